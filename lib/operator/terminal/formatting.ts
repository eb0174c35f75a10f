/** Formats for a terminal: tables, JSON, and texts by strangers. */
import stringWidth from 'string-width';
import { nothingElse } from '../../../functions/domain/nothing-else.ts';
import type { Status, StoredMedia, Testimonial } from '../../../functions/domain/testimonial.ts';
import type { Person, TextStyle } from './program-io.ts';

export { default as beginning } from 'cli-truncate';
export { capital, counted, minuteOf } from '../../../functions/domain/wording.ts';

/** Joins parts, and leaves out those that are false or undefined. */
export function joined(parts: readonly (string | false | undefined)[], separator = '\n'): string {
  return parts.filter((part) => typeof part === 'string').join(separator);
}

const list = new Intl.ListFormat('en-GB');

/** Joins names as in a sentence: `a, b and c`. */
export function listed(names: Iterable<string>): string {
  return list.format(names);
}

/** The space between two columns. */
export const gap = '  ';

/** Returns the width of the widest text, in columns of a terminal. */
export function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => stringWidth(text)));
}

/**
 * Aligns the cells of rows by their width in a terminal.
 * @param alignments of the columns, `start` by default
 */
export function columns(rows: readonly string[][], alignments: readonly ('start' | 'end')[] = []): string {
  const widths = (rows[0] ?? []).map((_, column) => widest(rows.map((row) => row[column] ?? '')));
  const cell = (text: string, column: number) => {
    const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(text)));
    return alignments[column] === 'end' ? space + text : text + space;
  };
  return rows.map((row) => row.map(cell).join(gap).trimEnd()).join('\n');
}

// The characters that a terminal obeys and JSON does not escape.
const unescaped = /[\x7F-\x9F\p{Bidi_Control}\u2028\u2029]/gv;

/** Formats a value as JSON that a terminal can show safely. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    unescaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

// Characters that move the cursor, reverse other text, or break a line invisibly. The API refuses most of
// them.
const unsafe = /[[\p{Cc}\p{Bidi_Control}\u2028\u2029]--[\n\t]]/gv;

/** Replaces each character that a terminal obeys, except newlines. */
export function displayed(text: string): string {
  return text.replaceAll('\t', '    ').replace(unsafe, '\uFFFD');
}

export function oneLine(text: string): string {
  return displayed(text).replace(/\s+/g, ' ').trim();
}

/** Quotes words for a POSIX shell, if necessary. */
export function shellText(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** Returns a command of the operator as it can be pasted. */
export function commandText(words: readonly string[]): string {
  return `npm run admin -- ${shellText(words)}`;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

const colours: Record<Status, TextStyle> = { pending: 'yellow', approved: 'green', rejected: 'red' };

export function statusText(status: Status, person: Person | undefined): string {
  return person ? person.style(colours[status], status) : status;
}

/** Describes an author in one line. */
export function authorText({ name, email, role, company, ...others }: Testimonial['author']): string {
  nothingElse(others);
  return oneLine(joined([`${name} <${email}>`, role, company], ', '));
}

export function testimonialText(
  { id, content, author, rating, type, status, tags, media, createdAt, updatedAt, ...others }: Testimonial,
  person?: Person,
): string {
  nothingElse(others);
  return joined([
    `${id}  ${statusText(status, person)}  ${type}  ${rating === undefined ? 'unrated' : `${rating}/5`}`,
    authorText(author),
    tags && tags.length > 0 && `tags: ${tags.map(oneLine).join(', ')}`,
    media && `media: ${mediaText(media)}`,
    `created ${createdAt}, updated ${updatedAt}`,
    '',
    displayed(content),
  ]);
}

/** Describes the media of a testimonial in one line. */
function mediaText({ photo, recording, poster, url }: StoredMedia): string {
  const size = recording && `${recording.type}, ${recording.bytes.toLocaleString('en')} bytes`;
  return joined(
    [photo && 'photo', size && `recording (${size})`, poster && 'poster', url && oneLine(url)],
    ', ',
  );
}

export function notFoundText(organization: string, id: string): string {
  return `${organization} has no testimonial ${id}`;
}
