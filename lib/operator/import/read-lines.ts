/** Reading the lines of an import from a file, one after another. */
import type { FileFormat } from '../files/file-format.ts';
import { counted } from '../terminal/formatting.ts';
import { type ColumnOptions, type Columns, columnsOf } from './columns.ts';
import { csvRecords } from './csv-records.ts';
import { textOf } from './read-text.ts';

/** A line of the file: what it says, or why some lines cannot be read. */
export type Line =
  | { line: number; text: string; value: Record<string, unknown> }
  | {
      line: number;
      /** The last one where several lines cannot be told apart; `line` otherwise. */
      lastLine: number;
      unreadable: string;
      /** What stands there, line by line, and what each would say if it were taken alone. */
      lines: { text: string; value?: Record<string, unknown> }[];
    };

export interface Told {
  /** Told how many bytes were read so far. */
  onBytes?: (bytes: number) => void;
  /** Told once what the columns of a CSV file are. */
  onColumns?: (columns: Columns) => void;
}

/** Reads the bytes of a file line by line; the memory that it takes does not grow with the file. */
export async function* readLines(
  bytes: AsyncIterable<Buffer> | Iterable<Buffer>,
  { file, format }: { file: string; format: FileFormat },
  columns: ColumnOptions,
  { onBytes, onColumns = () => {} }: Told = {},
): AsyncGenerator<Line, void, undefined> {
  const text = textOf(bytes, file, onBytes);
  yield* format === 'csv' ? csvLines(text, columns, onColumns) : jsonLines(text);
}

async function* jsonLines(text: AsyncIterable<string>): AsyncGenerator<Line, void, undefined> {
  let line = 0;
  for await (const some of text) {
    for (const json of some.replace(/\n$/, '').split('\n')) {
      line += 1;
      if (json.trim() === '') continue;
      const read = parsed(json);
      if ('value' in read) yield { line, text: json, value: read.value };
      else yield { line, lastLine: line, unreadable: read.unreadable, lines: [{ text: json }] };
    }
  }
}

function parsed(json: string): { value: Record<string, unknown> } | { unreadable: string } {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? { value } : { unreadable: 'is not a JSON object' };
  } catch {
    return { unreadable: 'is not JSON' };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function* csvLines(
  text: AsyncIterable<string>,
  options: ColumnOptions,
  onColumns: (columns: Columns) => void,
): AsyncGenerator<Line, void, undefined> {
  let columns: Columns | undefined;
  let width = 0;
  for await (const each of csvRecords(text)) {
    if (!columns) {
      if (!('cells' in each)) throw new Error(`The header of the file ${each.unreadable}.`);
      columns = columnsOf(each.cells, options);
      width = each.cells.length;
      onColumns(columns);
      continue;
    }
    const { line, lastLine } = each;
    if (!('cells' in each)) {
      const { toTestimonial } = columns;
      const lines = each.lines.map(({ text: its, cells }) => ({
        text: its,
        ...(cells?.length === width && { value: toTestimonial(cells) }),
      }));
      yield { line, lastLine, unreadable: each.unreadable, lines };
    } else if (each.cells.length === width) {
      yield { line, text: each.text, value: columns.toTestimonial(each.cells) };
    } else {
      // Which cells are the right ones, nobody knows.
      const unreadable = `has ${counted(each.cells.length, 'cell')} where the header has ${width}`;
      yield { line, lastLine, unreadable, lines: [{ text: each.text }] };
    }
  }
}
