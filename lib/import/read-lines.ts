/** Reading the lines of an import from a file, one after another. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import { type ColumnOptions, type Columns, columnsOf } from './columns.ts';

export const formats = ['csv', 'ndjson'] as const;
export type Format = (typeof formats)[number];

/** A line of the file: what it says, or why it cannot be read. */
export type Line = { line: number } & ({ value: unknown } | { unreadable: string });

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
  { onBytes = () => {}, onColumns = () => {} }: Told = {},
): AsyncGenerator<Line, void, undefined> {
  const stream = createReadStream(file);
  const lines = format === 'csv' ? csvLines(file, stream, columns, onColumns) : jsonLines(stream);
  for await (const line of lines) {
    onBytes(stream.bytesRead);
    yield line;
  }
}

async function* jsonLines(stream: NodeJS.ReadableStream): AsyncGenerator<Line, void, undefined> {
  let line = 0;
  for await (const text of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    const json = line === 1 ? text.replace(/^\ufeff/, '') : text;
    if (json.trim() === '') continue;
    yield { line, ...parsed(json) };
  }
}

function parsed(json: string): { value: unknown } | { unreadable: string } {
  try {
    return { value: JSON.parse(json) };
  } catch {
    return { unreadable: 'is not JSON' };
  }
}

async function* csvLines(
  file: string,
  stream: NodeJS.ReadableStream,
  options: ColumnOptions,
  onColumns: (columns: Columns) => void,
): AsyncGenerator<Line, void, undefined> {
  const unreadable: Line[] = [];
  let columns: Columns | undefined;
  const parser = parse({
    bom: true,
    delimiter: separatorOf(await firstLine(file)),
    columns: (header: string[]) => {
      const names = header.map((name) => name.trim());
      columns = columnsOf(names, options);
      onColumns(columns);
      return names;
    },
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    // Of a quote that is never closed, not the rest of the file.
    max_record_size: 1_000_000,
    on_skip: (error) => {
      if (error)
        unreadable.push({
          line: Number(error.lines ?? 0),
          unreadable: `is not CSV: ${error.message.split(' at line')[0]}`,
        });
    },
  });
  stream.on('error', (error) => parser.destroy(error));
  for await (const { record, info } of stream.pipe(parser)) {
    yield* unreadable.splice(0);
    // What csv-parse gives with `columns` and `info`.
    const cells = record as Record<string, string>;
    const breaks = Object.values(cells).join('').split('\n').length - 1;
    const at = Number(info.lines) - breaks;
    const isWhole = info.error === undefined;
    if (isWhole && columns) yield { line: at, value: columns.toTestimonial(cells) };
    else yield { line: at, unreadable: 'has another number of cells than the header' };
  }
  yield* unreadable;
}

// As much of a file as has its header.
const headBytes = 64 * 1024;

async function firstLine(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString('utf8', 0, bytesRead).split(/\r?\n/, 1)[0] ?? '';
  } finally {
    await handle.close();
  }
}

const separators = [',', ';', '\t', '|'];

/** The separator that a header has most often outside of quotes. */
export function separatorOf(header: string): string {
  const bare = header.replace(/"(?:[^"]|"")*"/g, '');
  const count = (separator: string) => bare.split(separator).length;
  return separators.reduce((best, each) => (count(each) > count(best) ? each : best));
}
