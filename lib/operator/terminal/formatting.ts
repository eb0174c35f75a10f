/** Formats for a terminal: tables, JSON, and texts of unknown origin. */
import stringWidth from 'string-width';
import { expectNoOthers } from '../../../functions/domain/expect-no-others.ts';
import type { Status, StoredMedia, Testimonial } from '../../../functions/domain/testimonial.ts';
import { authorText, displayed, joined, oneLine } from '../../../functions/domain/wording.ts';
import type { Terminal, TextStyle } from './program-io.ts';

export { default as beginning } from 'cli-truncate';
export {
  capital,
  counted,
  displayed,
  joined,
  listed,
  minuteOf,
  oneLine,
} from '../../../functions/domain/wording.ts';

/** The space between two columns. */
export const columnGap = '  ';

/** Returns the width of the widest text, in columns of a terminal. */
export function maxWidth(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => stringWidth(text)));
}

/**
 * Aligns the cells of rows by their width in a terminal.
 * @param alignments the alignments of the columns, `start` by default
 */
export function columns(rows: readonly string[][], alignments: readonly ('start' | 'end')[] = []): string {
  const widths = (rows[0] ?? []).map((_, column) => maxWidth(rows.map((row) => row[column] ?? '')));
  const cell = (text: string, column: number) => {
    const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(text)));
    return alignments[column] === 'end' ? space + text : text + space;
  };
  return rows.map((row) => row.map(cell).join(columnGap).trimEnd()).join('\n');
}

// The characters that control a terminal and that JSON does not escape.
const unescaped = /[\x7F-\x9F\p{Bidi_Control}\u2028\u2029]/gv;

/** Formats a value as JSON that a terminal can show safely. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    unescaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Quotes words for a POSIX shell, if necessary. */
export function shellText(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** Returns a command of the operator in a form that can be pasted. */
export function commandText(words: readonly string[]): string {
  return `npm run admin -- ${shellText(words)}`;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

const colors: Record<Status, TextStyle> = { pending: 'yellow', approved: 'green', rejected: 'red' };

export function statusText(status: Status, person: Terminal | undefined): string {
  return person ? person.style(colors[status], status) : status;
}

export function testimonialText(
  { id, content, author, rating, type, status, tags, media, createdAt, updatedAt, ...others }: Testimonial,
  person?: Terminal,
): string {
  expectNoOthers(others);
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
