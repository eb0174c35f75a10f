/** What the command line prints: numbers, tables, JSON, and texts that anybody wrote. */
import cliTruncate from 'cli-truncate';
import stringWidth from 'string-width';
import type { Status, Testimonial } from '../../../functions/domain/testimonial.ts';
import type { Person, TextStyle } from './program-io.ts';

export { capital, counted, minuteOf } from '../../../functions/domain/wording.ts';

/** Parts under each other, or joined otherwise; those that are false or undefined are left out. */
export function joined(parts: readonly (string | false | undefined)[], separator = '\n'): string {
  return parts.filter((part) => typeof part === 'string').join(separator);
}

const list = new Intl.ListFormat('en-GB');

/** Names in a sentence: `a, b and c`. */
export function listed(names: Iterable<string>): string {
  return list.format(names);
}

/** What stands between two columns. */
export const gap = '  ';

/** The columns of a terminal that the widest of some texts takes. */
export function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => stringWidth(text)));
}

/**
 * Columns under each other, as wide as a terminal shows them.
 * @param alignments of the columns: `start` where absent
 */
export function columns(rows: readonly string[][], alignments: readonly ('start' | 'end')[] = []): string {
  const widths = (rows[0] ?? []).map((_, column) => widest(rows.map((row) => row[column] ?? '')));
  const cell = (text: string, column: number) => {
    const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(text)));
    return alignments[column] === 'end' ? space + text : text + space;
  };
  return rows.map((row) => row.map(cell).join(gap).trimEnd()).join('\n');
}

// What JSON leaves as it is, and a terminal obeys.
const unescaped = /[\x7F-\x9F\p{Bidi_Control}\u2028\u2029]/gv;

/** A value as JSON that a terminal can show. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    unescaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

// What moves the cursor, reverses what stands beside it, or breaks a line unseen. No text with a control character is
// stored; nothing here rests on that.
const unsafe = /[[\p{Cc}\p{Bidi_Control}\u2028\u2029]--[\n\t]]/gv;

/** The text with a sign in place of each character that would do something to the terminal; lines stay lines. */
export function displayed(text: string): string {
  return text.replaceAll('\t', '    ').replace(unsafe, '\uFFFD');
}

/** The text on one line. */
export function oneLine(text: string): string {
  return displayed(text).replace(/\s+/g, ' ').trim();
}

/** The beginning of a text that stands on one line of so many columns. */
export function beginning(text: string, width: number): string {
  return cliTruncate(text, width);
}

/** Words as a POSIX shell reads them: each between single quotes, where it has to be. */
export function shellText(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

const colours: Record<Status, TextStyle> = { pending: 'yellow', approved: 'green', rejected: 'red' };

/** A status in its colour, where somebody sits at a terminal that has colours. */
export function statusText(status: Status, person: Person | undefined): string {
  return person ? person.style(colours[status], status) : status;
}

/** The whole testimonial; its lines are as long as they are. */
export function testimonialText(
  { id, content, author, rating, type, status, tags, createdAt, updatedAt }: Testimonial,
  person?: Person,
): string {
  const company = author.company === undefined ? '' : `, ${oneLine(author.company)}`;
  return joined([
    `${id}  ${statusText(status, person)}  ${type}  ${rating === undefined ? 'unrated' : `${rating}/5`}`,
    `${oneLine(author.name)} <${oneLine(author.email)}>${company}`,
    tags && tags.length > 0 && `tags: ${tags.map(oneLine).join(', ')}`,
    `created ${createdAt}, updated ${updatedAt}`,
    '',
    displayed(content),
  ]);
}

/** What is said where an organization has no testimonial with an id. */
export function notFoundText(organization: string, id: string): string {
  return `No testimonial ${id} in organization ${organization}`;
}
