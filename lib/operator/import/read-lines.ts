/** Reading the lines of an import from the text of a file, one after another. */
import { isUtf8 } from 'node:buffer';
import type { FileFormat } from '../files/whole-file.ts';
import { counted } from '../terminal/formatting.ts';
import { type ColumnOptions, type Columns, columnsOf } from './columns.ts';
import { csvRecords } from './csv-records.ts';

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

/** @param onColumns told once what the columns of a CSV file are */
export function readLines(
  text: string,
  format: FileFormat,
  options: ColumnOptions,
  onColumns: (columns: Columns) => void = () => {},
): Generator<Line, void, undefined> {
  return format === 'csv' ? csvLines(text, options, onColumns) : jsonLines(text);
}

function* jsonLines(text: string): Generator<Line, void, undefined> {
  let line = 0;
  for (let begin = 0; begin < text.length; ) {
    const newline = text.indexOf('\n', begin);
    const end = newline < 0 ? text.length : newline;
    const json = text.slice(begin, end);
    begin = end + 1;
    line += 1;
    if (json.trim() === '') continue;
    const read = parsed(json);
    if ('value' in read) yield { line, text: json, value: read.value };
    else yield { line, lastLine: line, unreadable: read.unreadable, lines: [{ text: json }] };
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

function* csvLines(
  text: string,
  options: ColumnOptions,
  onColumns: (columns: Columns) => void,
): Generator<Line, void, undefined> {
  const records = csvRecords(text);
  const { value: header } = records.next();
  if (!header) return;
  if (!('cells' in header)) throw new Error(`The header of the file ${header.unreadable}.`);
  const columns = columnsOf(header.cells, options);
  onColumns(columns);
  const { toTestimonial } = columns;
  const width = header.cells.length;
  for (const each of records) {
    const { line, lastLine } = each;
    if (!('cells' in each)) {
      const lines = each.lines.map(({ text: its, cells }) => ({
        text: its,
        ...(cells?.length === width && { value: toTestimonial(cells) }),
      }));
      yield { line, lastLine, unreadable: each.unreadable, lines };
    } else if (each.cells.length === width) {
      yield { line, text: each.text, value: toTestimonial(each.cells) };
    } else {
      // Which cells are the right ones, nobody knows.
      const unreadable = `has ${counted(each.cells.length, 'cell')} where the header has ${width}`;
      yield { line, lastLine, unreadable, lines: [{ text: each.text }] };
    }
  }
}

const newline = 0x0a;
const byteOrderMark = '\ufeff';

/**
 * Decodes UTF-8, with or without a byte order mark; lines end with newlines.
 * @param file its name
 * @throws when the bytes are no text in UTF-8: what is shown of it would be wrong
 */
export function textOf(bytes: Buffer, file: string): string {
  if (!isUtf8(bytes)) {
    throw new Error(
      `Line ${firstInvalidLine(bytes)} of ${file} is not UTF-8: save the file as UTF-8, then import it.`,
    );
  }
  const all = bytes.toString('utf8');
  const text = all.startsWith(byteOrderMark) ? all.slice(1) : all;
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

function firstInvalidLine(bytes: Buffer): number {
  let line = 1;
  for (let begin = 0; begin < bytes.length; line += 1) {
    const end = bytes.indexOf(newline, begin) + 1 || bytes.length;
    if (!isUtf8(bytes.subarray(begin, end))) return line;
    begin = end;
  }
  return line;
}
