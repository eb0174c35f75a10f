/** The records of a CSV file, and the lines that are none. */
import { finished } from 'node:stream/promises';
import { type Parser, parse } from 'csv-parse';
import { breaksIn } from './read-text.ts';

/** Cells, in the order of the file; or why some lines, from `line` to `lastLine`, are none. */
export type CsvRecord = { line: number; lastLine: number } & ({ cells: string[] } | { unreadable: string });

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
  let parser: Parser | undefined;
  let nextLine = 1;
  let unreadable: string | undefined;
  let tooLong = false;
  const endUnreadable = (lastLine: number) => {
    if (unreadable !== undefined) found.push({ line: nextLine, lastLine, unreadable });
    unreadable = undefined;
  };
  const open = (separator: string) =>
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
        endUnreadable(line - 1);
        nextLine = lastLine + 1;
        if (cells.some((cell) => cell.trim() !== '')) found.push({ line, lastLine, cells });
        return null;
      },
    });
  let lines = 0;
  for await (const some of text) {
    parser ??= open(separatorOf(some));
    parser.write(some);
    lines += breaksIn(some) + (some.endsWith('\n') ? 0 : 1);
    if (tooLong) {
      throw new Error(
        `A quote on line ${nextLine} or soon after it is not closed within a megabyte: close it, then import the file.`,
      );
    }
    yield* found.splice(0);
  }
  if (!parser) return;
  parser.resume().end();
  await finished(parser);
  endUnreadable(lines);
  yield* found;
}

const separators = [',', ';', '\t', '|'];

/** The separator that the first line of a text has most often outside of quotes. */
export function separatorOf(text: string): string {
  const [header = ''] = text.replace(/"(?:[^"]|"")*"/g, '').split('\n', 1);
  const count = (separator: string) => header.split(separator).length;
  return separators.reduce((best, each) => (count(each) > count(best) ? each : best));
}
