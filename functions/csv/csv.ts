/**
 * Reads CSV (RFC 4180) and writes it. csv-parse and Papa Parse lose every row after a stray quote
 * (csv.test.ts).
 */
import { countFamiliarNames } from './column-names.ts';

export interface CsvRecord {
  /** The number of the line, of the row as a spreadsheet shows it, or of the object in its list. */
  line: number;
  /** The text in the file. For a workbook, the cells separated by tabs; empty for a JSON document. */
  text: string;
  /** Absent if the line cannot be read, even on its own. */
  cells?: string[];
  /** The reason that the line cannot be read. */
  unreadable?: string;
}

// No testimonial is this long. A quote that is still open after so many characters is a mistake.
const maxRecordLength = 1_000_000;

export const separators = [',', ';', '\t', '|'];

/** Titles can stand above the header, within this number of rows. */
export const headerWithin = 10;
// No header is longer, including the titles above it.
const maxTopLength = 100_000;

/**
 * Returns the separator that gives one of the first rows the most familiar column names. If none gives two,
 * returns the one with which the most rows have the same number of cells; on a tie, the one with the most
 * cells.
 */
export function separatorOf(text: string): string {
  const tried = separators.map((separator) => {
    const first = csvRecords(text.slice(0, maxTopLength), separator).take(headerWithin);
    const rows = first.map(readableCells).toArray();
    const familiar = Math.max(0, ...rows.map(countFamiliarNames));
    const cells = rows[0]?.length ?? 0;
    const alike = cells > 1 ? rows.filter(({ length }) => length === cells).length : 0;
    return { separator, familiar: familiar > 1 ? familiar : 0, alike, cells, isBlank: rows.length === 0 };
  });
  // With the right separator, a row of blank cells is a blank row.
  const blank = tried.find(({ isBlank }) => isBlank);
  const [best] = tried.toSorted((a, b) => b.familiar - a.familiar || b.alike - a.alike || b.cells - a.cells);
  return (blank ?? best)?.separator ?? ',';
}

/** Returns the cells of a record, or an empty array if it cannot be read. */
export function readableCells({ cells = [], unreadable }: CsvRecord): readonly string[] {
  return unreadable === undefined ? cells : [];
}

/**
 * Yields the records of a text whose lines end with newlines, except blank ones. A misplaced quote makes its
 * record unreadable up to the end of the quote's line; an unclosed one, the rest of the text. Each such line
 * is yielded as unreadable, with the cells it has on its own.
 * @throws when a quote is not closed within a megabyte
 */
export function* csvRecords(text: string, separator: string): Generator<CsvRecord, void, undefined> {
  const readRecord = recordReader(separator);
  let line = 1;
  for (let begin = 0; begin < text.length; ) {
    const { cells, end, unreadable } = readRecord(text, begin);
    const record = text.slice(begin, end);
    const isTooLong = record.length > maxRecordLength;
    if (isTooLong && unreadable === openQuote)
      throw new Error(
        `The quote in row ${line} is not closed within a megabyte. Close it and import the file again.`,
      );
    const why = unreadable ?? (isTooLong ? 'is longer than a megabyte' : undefined);
    begin = end + 1;
    // A record is one row, however many line breaks its cells contain.
    if (why === undefined) {
      if (cells.some((cell) => cell.trim() !== '')) yield { line, text: record, cells };
      line += 1;
    } else {
      for (const lineText of record.split('\n')) {
        const cellsOfLine = cellsAlone(lineText, separator);
        yield { line, text: lineText, unreadable: why, ...(cellsOfLine && { cells: cellsOfLine }) };
        line += 1;
      }
    }
  }
}

const openQuote = 'has a quote that is not closed';
const undoubledQuote = 'has a quote inside a quoted cell: write it twice';
const misplacedQuote = 'has a quote in an unquoted cell: quote the whole cell';

/**
 * Returns a function that reads the record at an index of a text, in one pass. Its `end` is the index of the
 * newline after the record, or the length of the text.
 */
function recordReader(separator: string) {
  const blank = separator === '\t' ? / */y : /[ \t]*/y;
  const plain = new RegExp(`[^${separator.replace(/[\\\]^-]/, '\\$&')}\n]*`, 'y');
  const rest = /[^\n]*/y;
  const after = (pattern: RegExp, text: string, index: number): number => {
    pattern.lastIndex = index;
    pattern.test(text);
    return pattern.lastIndex;
  };
  return (text: string, begin: number) => {
    const cells: string[] = [];
    for (let index = begin; ; index += 1) {
      const first = after(blank, text, index);
      const isQuoted = text[first] === '"';
      const last = isQuoted ? closingQuote(text, first) : after(plain, text, first);
      if (last < 0) return { cells, end: text.length - Number(text.endsWith('\n')), unreadable: openQuote };
      index = isQuoted ? after(blank, text, last + 1) : last;
      const cell = text.slice(first + Number(isQuoted), last);
      if (isQuoted) cells.push(cell.replaceAll('""', '"'));
      else if (!cell.includes('"')) cells.push(cell);
      else return { cells, end: after(rest, text, index), unreadable: misplacedQuote };
      if (index === text.length || text[index] === '\n') return { cells, end: index };
      if (text[index] !== separator)
        return { cells, end: after(rest, text, index), unreadable: undoubledQuote };
    }
  };
}

/**
 * Returns the index of the quote that closes the cell opened at `open`, or -1 if none follows within
 * `maxRecordLength`. Quotes inside the cell are doubled.
 */
function closingQuote(text: string, open: number): number {
  for (let index = open + 1; ; index += 2) {
    index = text.indexOf('"', index);
    if (index < 0 || text[index + 1] !== '"') return index - open > maxRecordLength ? -1 : index;
  }
}

/**
 * Reads a line on its own. A quote ends a cell only before a separator. Returns undefined if a quote stays
 * open.
 */
function cellsAlone(line: string, separator: string): string[] | undefined {
  const cells: string[] = [];
  let open: string[] = [];
  for (const part of line.split(separator)) {
    open.push(part);
    const cell = part.trim();
    const isQuoted = open.length > 1 || cell.startsWith('"');
    if (isQuoted && !(cell.endsWith('"') && (open.length > 1 || cell.length > 1))) continue;
    const whole = open.join(separator).trim();
    cells.push(isQuoted ? whole.slice(1, -1).replaceAll('""', '"') : whole);
    open = [];
  }
  return open.length > 0 ? undefined : cells;
}

/** The byte order mark, which tells spreadsheets that a file is UTF-8. */
export const byteOrderMark = '\uFEFF';

/** Writes lines of CSV. Formulas are defused. */
export function csvText(lines: readonly (readonly string[])[], separator = ','): string {
  return lines.map((cells) => `${cells.map(quoted).join(separator)}\r\n`).join('');
}

/** Quotes every nonempty cell, because some readers guess the separator. */
function quoted(cell: string): string {
  return cell === '' ? '' : `"${quoteFormulas(cell).replaceAll('"', '""')}"`;
}

// Matches before each sign that begins a formula in a spreadsheet: at the start, and after every separator at
// which a reader may split cells. Readers may remove quotes and spaces before it. An apostrophe that is
// already there is doubled, so that `unquoteFormulas` is exact. Source: OWASP, CSV Injection
// (https://owasp.org/www-community/attacks/CSV_Injection).
const formula = String.raw`(?=[=+\-@\t\r＝＋－＠])(?<=(?:^|[,;\t\r\n\|])[[\s"']--[\t\r\n]]*)`;
const formulaStart = new RegExp(formula, 'gv');
const defusedStart = new RegExp(`'${formula}`, 'gv');

/** Puts an apostrophe before each sign that a spreadsheet would run as a formula. */
export function quoteFormulas(text: string): string {
  return text.replace(formulaStart, "'");
}

/** Returns the text that `quoteFormulas` was called with. */
export function unquoteFormulas(text: string): string {
  return text.replace(defusedStart, '');
}
