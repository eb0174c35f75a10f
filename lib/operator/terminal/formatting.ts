/** Numbers, tables and JSON as the command line prints them. */
import stringWidth from 'string-width';

/** A number and what it counts: `1 request`, `20,001 requests`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
}

/** A word that begins a label or a sentence. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Parts under each other, or joined otherwise; those that are false or undefined are left out. */
export function joined(parts: readonly (string | false | undefined)[], separator = '\n'): string {
  return parts.filter((part) => typeof part === 'string').join(separator);
}

const list = new Intl.ListFormat('en-GB');

/** Names in a sentence: `a, b and c`. */
export function listed(names: Iterable<string>): string {
  return list.format(names);
}

/** A time, to the minute. */
export function minuteOf(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
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
