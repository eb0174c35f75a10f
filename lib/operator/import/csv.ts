/** The records of a CSV file (RFC 4180), and the lines that are none. */

export interface CsvRecord {
  /** Its row, as a spreadsheet shows it. */
  line: number;
  text: string;
  /** Absent where the line cannot be read, also not if it is taken alone. */
  cells?: string[];
  /** Why the line is none. */
  unreadable?: string;
}

// No testimonial is as long. A quote that is open for so long was left open.
const longestRecord = 1_000_000;

export const separators = [',', ';', '\t', '|'];

/**
 * Reads the records of a text whose lines end with newlines; blank ones are left out. A misplaced quote costs the lines up to the end
 * of the one where it is found: each of these is told, with what it has where it is taken alone, and the next line begins a record.
 * @throws when a quote is not closed within a megabyte
 */
export function* csvRecords(text: string, separator: string): Generator<CsvRecord, void, undefined> {
  const cellsOf = cellReader(separator);
  let line = 1;
  for (let begin = 0; begin < text.length; ) {
    const { cells, end, unreadable } = cellsOf(text, begin);
    const its = text.slice(begin, end);
    if (unreadable === openQuote && its.length > longestRecord) {
      throw new Error(
        `The quote in row ${line} is not closed within a megabyte: close it, then import the file.`,
      );
    }
    const why = unreadable ?? (its.length > longestRecord ? 'is longer than a megabyte' : undefined);
    begin = end + 1;
    // A record is a row, whatever breaks its cells have; what cannot be read is told line by line.
    if (why === undefined) {
      if (cells.some((cell) => cell.trim() !== '')) yield { line, text: its, cells };
      line += 1;
    } else {
      for (const each of its.split('\n')) {
        const alone = cellsAlone(each, separator);
        yield { line, text: each, unreadable: why, ...(alone && { cells: alone }) };
        line += 1;
      }
    }
  }
}

const openQuote = 'has a quote that is not closed';
const undoubledQuote = 'has a quote in a quoted cell that is not doubled';
const misplacedQuote = 'has a quote in a cell that is not quoted';

interface Cells {
  cells: string[];
  /** Where the record ends: the place of a newline, or the end of the text. */
  end: number;
  unreadable?: string;
}

/** Returns what reads the cells of the record that begins at a place of a text. Each character is looked at once. */
function cellReader(separator: string): (text: string, begin: number) => Cells {
  const blank = separator === '\t' ? / */y : /[ \t]*/y;
  const plain = new RegExp(`[^${separator}\n]*`, 'y');
  const rest = /[^\n]*/y;
  const past = (pattern: RegExp, text: string, at: number): number => {
    pattern.lastIndex = at;
    pattern.test(text);
    return pattern.lastIndex;
  };
  return (text, begin) => {
    const cells: string[] = [];
    for (let at = begin; ; at += 1) {
      const first = past(blank, text, at);
      const isQuoted = text[first] === '"';
      const last = isQuoted ? closingQuote(text, first) : past(plain, text, first);
      if (last < 0) return { cells, end: text.length - Number(text.endsWith('\n')), unreadable: openQuote };
      at = isQuoted ? past(blank, text, last + 1) : last;
      const cell = text.slice(first + Number(isQuoted), last);
      if (isQuoted) cells.push(cell.replaceAll('""', '"'));
      else if (!cell.includes('"')) cells.push(cell);
      else return { cells, end: past(rest, text, at), unreadable: misplacedQuote };
      if (at === text.length || text[at] === '\n') return { cells, end: at };
      if (text[at] !== separator) return { cells, end: past(rest, text, at), unreadable: undoubledQuote };
    }
  };
}

/** Where the quote that opens a cell is closed, -1 where it is not; within the cell they are doubled. */
function closingQuote(text: string, open: number): number {
  for (let at = open + 1; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0 || text[at + 1] !== '"') return at - open > longestRecord ? -1 : at;
  }
}

/**
 * The cells of a line that was torn by a quote, or swallowed by one: a quote ends a cell only before a separator. Undefined where
 * one is left open.
 */
function cellsAlone(line: string, separator: string): string[] | undefined {
  const cells: string[] = [];
  let open: string[] = [];
  for (const part of line.split(separator)) {
    open.push(part);
    const cell = part.trim();
    const isQuoted = open.length > 1 || cell.startsWith('"');
    if (isQuoted && !(cell.endsWith('"') && (open.length > 1 || cell.length > 1))) continue;
    const its = open.join(separator).trim();
    cells.push(isQuoted ? its.slice(1, -1).replaceAll('""', '"') : its);
    open = [];
  }
  return open.length > 0 ? undefined : cells;
}
