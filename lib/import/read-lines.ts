/** Reading the lines of an import from a file, one after another. */
import { counted } from '../operator/text.ts';
import { type ColumnOptions, type Columns, columnsOf } from './columns.ts';
import { csvRecords } from './csv-records.ts';
import { textOf } from './read-text.ts';

export const formats = ['csv', 'ndjson'] as const;
export type Format = (typeof formats)[number];

/** A line of the file: what it says, or why it cannot be read. */
export type Line =
  | { line: number; value: Record<string, unknown> }
  | {
      line: number;
      /** The last one where several lines cannot be told apart; `line` otherwise. */
      lastLine: number;
      unreadable: string;
      /** What stands there, as far as it can be told. */
      there?: unknown;
    };

/** The format that a file's name tells. */
export function formatOf(file: string): Format | undefined {
  if (/\.csv$|\.tsv$/i.test(file)) return 'csv';
  return /\.ndjson$|\.jsonl$/i.test(file) ? 'ndjson' : undefined;
}

export interface Told {
  /** Told how many bytes were read so far. */
  onBytes?: (bytes: number) => void;
  /** Told once what the columns of a CSV file are. */
  onColumns?: (columns: Columns) => void;
}

/** Reads a file line by line; the memory that it takes does not grow with the file. */
export async function* readLines(
  file: string,
  format: Format,
  columns: ColumnOptions,
  { onBytes, onColumns = () => {} }: Told = {},
): AsyncGenerator<Line, void, undefined> {
  const text = textOf(file, onBytes);
  yield* format === 'csv' ? csvLines(text, columns, onColumns) : jsonLines(text);
}

async function* jsonLines(text: AsyncIterable<string>): AsyncGenerator<Line, void, undefined> {
  let line = 0;
  for await (const some of text) {
    for (const json of some.replace(/\n$/, '').split('\n')) {
      line += 1;
      if (json.trim() !== '') yield { line, lastLine: line, ...parsed(json) };
    }
  }
}

function parsed(json: string): { value: Record<string, unknown> } | { unreadable: string; there: unknown } {
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return { value };
    return { unreadable: 'is not a JSON object', there: value };
  } catch {
    return { unreadable: 'is not JSON', there: json };
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
    if (!('cells' in each)) {
      if (!columns) throw new Error(`The header of the file ${each.unreadable}.`);
      yield each;
    } else if (!columns) {
      columns = columnsOf(each.cells, options);
      width = each.cells.length;
      onColumns(columns);
    } else if (each.cells.length === width) {
      yield { line: each.line, value: columns.toTestimonial(each.cells) };
    } else {
      const unreadable = `has ${counted(each.cells.length, 'cell')} where the header has ${width}`;
      yield { line: each.line, lastLine: each.lastLine, unreadable, there: each.cells };
    }
  }
}
