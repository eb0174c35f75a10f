/** The records of a CSV file, and the lines that are none. */
import { finished } from 'node:stream/promises';
import { type Parser, parse } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import { breaksIn } from './read-text.ts';

interface Lines {
  line: number;
  /** The last one; `line` where it is one. */
  lastLine: number;
}

/** A line of the file that is no record, as it stands there. */
export interface UnreadLine {
  text: string;
  /** The cells that it has where it is taken alone; undefined where that does not make sense. */
  cells: string[] | undefined;
}

/** Cells, in the order of the file, with the text of their lines; or why some lines are none. */
export type CsvRecord = Lines &
  ({ cells: string[]; text: string } | { unreadable: string; lines: UnreadLine[] });

// In memory at once: of a quote that is never closed, not the rest of the file.
const longestRecord = 1_000_000;

const reasons: Record<string, string> = {
  CSV_INVALID_CLOSING_QUOTE: 'has a quote in a quoted cell that is not doubled',
  INVALID_OPENING_QUOTE: 'has a quote in a cell that is not quoted',
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is not closed',
};

/**
 * Reads the records of a text whose lines end with newlines; blank ones are left out. What stands between a misplaced
 * quote and the next good record is told as lines that cannot be read: no line is passed over in silence.
 * @throws when a record is so long that a quote in it must have been left open
 */
export async function* csvRecords(text: AsyncIterable<string>): AsyncGenerator<CsvRecord, void, undefined> {
  const found: CsvRecord[] = [];
  const ahead = new LinesAhead();
  let separator = ',';
  let parser: Parser | undefined;
  let unreadable: string | undefined;
  let tooLong = false;
  const tooLongLines = new Set<number>();
  /** Passes the lines before one; tells them, where they were found to be unreadable. */
  const passUpTo = (line: number) => {
    const { first } = ahead;
    const passed = ahead.take(line - first);
    if (unreadable !== undefined && passed.length > 0) {
      const lines = passed.map((each) => ({ text: each, cells: cellsAlone(each, separator) }));
      found.push({ line: first, lastLine: first + passed.length - 1, unreadable, lines });
    }
    unreadable = undefined;
  };
  const open = () =>
    parse({
      delimiter: separator,
      record_delimiter: '\n',
      ltrim: true,
      relax_column_count: true,
      max_record_size: longestRecord,
      skip_records_with_error: true,
      on_skip: (error) => {
        tooLong ||= error?.code === 'CSV_MAX_RECORD_SIZE';
        unreadable ??= reasons[error?.code ?? ''] ?? `is not CSV: ${error?.message}`;
        return undefined;
      },
      // Nothing is left for the stream to give: records and errors come in the order of the file.
      on_record: (cells: string[], { lines: lastLine }) => {
        const line = lastLine - cells.reduce((sum, cell) => sum + breaksIn(cell), 0);
        passUpTo(line);
        if (tooLongLines.has(line)) {
          unreadable = 'is longer than a megabyte';
          passUpTo(line + 1);
          return null;
        }
        const its = ahead.take(lastLine - line + 1).join('\n');
        if (cells.some((cell) => cell.trim() !== '')) found.push({ line, lastLine, text: its, cells });
        return null;
      },
    });
  for await (const some of text) {
    if (!parser) separator = separatorOf(some);
    parser ??= open();
    for (const { text: piece, isTooLong } of piecesOf(some)) {
      ahead.add(piece);
      if (isTooLong && !ahead.isInQuotes()) {
        // In no quotes it costs only itself. What the parser gets in its place is blank.
        tooLongLines.add(ahead.last);
        parser.write('\n');
      } else parser.write(piece);
      if (tooLong) {
        throw new Error(
          `A quote on line ${ahead.first} or soon after it is not closed within a megabyte: close it, then import the file.`,
        );
      }
    }
    yield* found.splice(0);
  }
  if (!parser) return;
  parser.resume().end();
  await finished(parser);
  passUpTo(Number.POSITIVE_INFINITY);
  yield* found;
}

/** The lines that the parser has and has not told of yet. */
class LinesAhead {
  #lines: string[] = [];
  /** The number of the first of them. */
  first = 1;

  /** @param text whole lines; the last one of a file may have no newline */
  add(text: string): void {
    this.#lines.push(...text.replace(/\n$/, '').split('\n'));
  }

  take(count: number): string[] {
    const taken = this.#lines.splice(0, count);
    this.first += taken.length;
    return taken;
  }

  get last(): number {
    return this.first + this.#lines.length - 1;
  }

  /** Whether a quote is open at their end. */
  isInQuotes(): boolean {
    return this.#lines.join('').split('"').length % 2 === 0;
  }
}

/** Whole lines, of which one that is too long stands alone. */
function piecesOf(text: string): { text: string; isTooLong: boolean }[] {
  if (text.length <= longestRecord) return [{ text, isTooLong: false }];
  return text.split(/(?<=\n)/).map((line) => ({ text: line, isTooLong: line.length > longestRecord }));
}

/** The cells of a line that was torn by a quote, or swallowed by one: each quote in it is taken for a quote. */
function cellsAlone(line: string, delimiter: string): string[] | undefined {
  const [cells, ...more] = parseAtOnce(line, {
    delimiter,
    ltrim: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_records_with_error: true,
  });
  if (!cells || more.length > 0) return undefined;
  return cells.map((cell) => (/^".*"$/s.test(cell) ? cell.slice(1, -1) : cell));
}

const separators = [',', ';', '\t', '|'];

/** The separator that the first line of a text has most often outside of quotes. */
export function separatorOf(text: string): string {
  const [header = ''] = text.replace(/"(?:[^"]|"")*"/g, '').split('\n', 1);
  const count = (separator: string) => header.split(separator).length;
  return separators.reduce((best, each) => (count(each) > count(best) ? each : best));
}
