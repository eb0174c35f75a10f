/** Reading the lines of an import, one after another. */
import { counted } from '../terminal/formatting.ts';
import type { Columns } from './columns.ts';
import type { FileContent, Table } from './table.ts';

/** A line of the file: what it says, or why some lines cannot be read. Lines of a table are the rows of its sheet. */
export type Line =
  | { line: number; text: string; value: Record<string, unknown> }
  | {
      line: number;
      unreadable: string;
      /** What stands there from that line on, and what each would say if it were taken alone. */
      lines: { text: string; value?: Record<string, unknown> }[];
    };

/** @param columns of a table, if it has a header */
export function readLines({ text, table }: FileContent, columns: Columns | undefined): Iterable<Line> {
  if (!table) return jsonLines(text);
  return columns ? tableLines(table, columns) : [];
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
    else yield { line, unreadable: read.unreadable, lines: [{ text: json }] };
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
  { records }: Table,
  { header: { length: width }, toTestimonial }: Columns,
): Generator<Line, void, undefined> {
  for (const each of records()) {
    const { line } = each;
    if ('unreadable' in each) {
      const lines = each.lines.map(({ text, cells }) => ({
        text,
        ...(cells?.length === width && { value: toTestimonial(cells) }),
      }));
      yield { line, unreadable: each.unreadable, lines };
    } else if (each.cells.length === width) {
      yield { line, text: each.text, value: toTestimonial(each.cells) };
    } else {
      // Which cells are the right ones, nobody knows.
      const unreadable = `has ${counted(each.cells.length, 'cell')} where the header has ${width}`;
      yield { line, unreadable, lines: [{ text: each.text }] };
    }
  }
}
