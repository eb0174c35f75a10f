/** Reading the lines of an import, one after another. */
import { counted } from '../terminal/formatting.ts';
import { type ColumnOptions, type Columns, columnsOf } from './columns.ts';
import type { FileContent, Table } from './table.ts';

/** A line of the file: what it says, or why some lines cannot be read. Lines of a table are the rows of its sheet. */
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

/** @param onColumns told once what the columns of a table are */
export function readLines(
  { text, table }: FileContent,
  options: ColumnOptions,
  onColumns: (columns: Columns) => void = () => {},
): Generator<Line, void, undefined> {
  return table ? tableLines(table, options, onColumns) : jsonLines(text);
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

function* tableLines(
  { header, rows, records }: Table,
  options: ColumnOptions,
  onColumns: (columns: Columns) => void,
): Generator<Line, void, undefined> {
  if (header.length === 0) return;
  const columns = columnsOf(header, options, rows);
  onColumns(columns);
  const { toTestimonial } = columns;
  const width = header.length;
  for (const each of records()) {
    const { line, lastLine } = each;
    if (!('cells' in each)) {
      const lines = each.lines.map(({ text, cells }) => ({
        text,
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
