/** Reads a file as text and as spreadsheets: a header and the rows below it. */
import { familiarIn } from '../../../functions/csv/column-names.ts';
import {
  type CsvRecord,
  csvRecords,
  headerWithin,
  readableCells,
  separatorOf,
} from '../../../functions/csv/csv.ts';
import { textOf } from '../../../functions/csv/decode.ts';
import type { FileFormat } from '../files/whole-file.ts';
import { counted, oneLine } from '../terminal/formatting.ts';
import { required } from './map-columns.ts';

export interface Spreadsheet {
  /** The sheet of a workbook, or the path of a list in a JSON document; empty for other files. */
  name: string;
  header: readonly string[];
  /** The first rows below the header, except those of another width. */
  rows: readonly (readonly string[])[];
  /** Reads everything below the header. */
  records: () => Iterable<CsvRecord>;
  separator: string;
  /** Sentences about how the file was read. */
  notes: readonly string[];
}

/** The text of a file, and its sheets. NDJSON in the format of exports has none. */
export type FileContent = Awaited<ReturnType<typeof contentOf>>;

/** A line of a text file, or a row of a spreadsheet. */
export interface Line extends Omit<CsvRecord, 'cells'> {
  /** The members of an object; also present for an unreadable row that makes sense on its own. */
  value?: Record<string, unknown>;
}

// Enough to tell columns apart, and nearly always day and month.
export const rowsSampled = 1000;

/**
 * Decodes a file and reads its sheets.
 * @param name of the file, for messages
 * @param isMapped true if someone chose columns, so that NDJSON is read as a sheet in any case
 * @throws when the bytes do not match the format, or the encoding is unknown
 */
export async function contentOf(bytes: Buffer, format: FileFormat, name: string, isMapped = false) {
  if (format === 'xlsx') return { text: '', sheets: await workbookSheets(bytes, name) };
  const { text, notes } = textOf(bytes, name);
  if (format === 'json') return { text, sheets: jsonSheets(text, name) };
  if (format === 'csv') return { text, sheets: [csvSheet(text, ...notes)] };
  return { text, sheets: isMapped || !isExported(text) ? [ndjsonSheet(text)] : [] };
}

/** Reads CSV. Its first line may name the separator, as `sep=;`. */
export function csvSheet(text: string, ...notes: string[]): Spreadsheet {
  const [line = '', named] = /^"?sep=([^\n])"?\n/i.exec(text) ?? [];
  const body = text.slice(line.length);
  const separator = named ?? separatorOf(body);
  return sheetOf(() => csvRecords(body, separator), { name: '', separator, notes });
}

/** @param within the number of first rows that can be the header */
function sheetOf(
  all: () => Iterable<CsvRecord>,
  { name, separator = ',', notes = [] }: { name: string; separator?: string; notes?: readonly string[] },
  within = headerWithin,
): Spreadsheet {
  const first = Iterator.from(all()).take(rowsSampled).toArray();
  const above = headerRowIn(first.slice(0, within).map(readableCells));
  const torn = first.slice(0, above + 1).find(({ unreadable }) => unreadable !== undefined);
  if (torn) throw new Error(`The header of the file ${torn.unreadable}.`);
  const { cells = [] } = first[above] ?? {};
  const rows = first
    .slice(above + 1)
    .map(readableCells)
    .filter(({ length }) => length === cells.length)
    .map((row) => row.map((cell) => cell.trim()));
  const skipped = `${counted(above, 'line')} above the header ${above === 1 ? 'is' : 'are'} ignored.`;
  const records = () => Iterator.from(all()).drop(above + 1);
  const allNotes = above > 0 ? [...notes, skipped] : notes;
  return { name, header: headingsOf(cells, rows), rows, records, separator, notes: allNotes };
}

/** Returns names that a command line can print and use: each on one line, and each only once. */
function headingsOf(cells: readonly string[], rows: Spreadsheet['rows']): string[] {
  const names = cells.map(oneLine);
  return names.map((name, i) => {
    if (name === '') return rows.some((row) => row[i] !== '') ? `column ${i + 1}` : '';
    const same = names.flatMap((other, j) => (other === name ? [j] : []));
    return same.length > 1 ? `${name} (${same.indexOf(i) + 1})` : name;
  });
}

/** Returns the index of the row that looks most like a header. Titles and merged cells above it fill fewer cells. */
function headerRowIn(rows: readonly (readonly string[])[]): number {
  const filled = rows.map((cells) => new Set(cells.map((cell) => cell.trim()).filter(Boolean)));
  const scores = filled.map((cells, i) => {
    const isFullest = filled.slice(0, i).every(({ size }) => size < cells.size);
    // Headings have letters, and neither addresses nor dates.
    const labels = [...cells].filter((cell) => /\p{L}/u.test(cell) && !/@|^\d/.test(cell));
    return isFullest ? labels.length + 2 * familiarIn([...cells]) : 0;
  });
  return Math.max(0, scores.indexOf(Math.max(...scores)));
}

async function workbookSheets(bytes: Buffer, name: string): Promise<Spreadsheet[]> {
  const { default: readSheets } = await import('read-excel-file/universal');
  const all = await readSheets(new Blob([Uint8Array.from(bytes)])).catch((error: unknown) => {
    throw new Error(`${name} is not an Excel workbook. Save it as .xlsx or as CSV.`, { cause: error });
  });
  return all.flatMap(({ sheet, data }) => (data.length > 0 ? [rowSheet(sheet, data)] : []));
}

/** Returns a workbook's cell as text. Times are rounded to seconds, since fractions of days are not exact. */
function cellOf(cell: unknown): string {
  if (cell instanceof Date) {
    const time = new Date(Math.round(cell.getTime() / 1000) * 1000);
    return time.toISOString().replace('T00:00:00.000Z', '');
  }
  return cell === null || cell === undefined ? '' : String(cell);
}

function rowSheet(name: string, rows: readonly (readonly unknown[])[]): Spreadsheet {
  const width = Math.max(0, ...rows.map(({ length }) => length));
  const records = rows.flatMap((row, i) => {
    const cells = Array.from({ length: width }, (_, column) => cellOf(row[column]));
    return cells.every((cell) => cell.trim() === '') ? [] : [{ line: i + 1, cells, text: cells.join('\t') }];
  });
  return sheetOf(() => records, { name });
}

type ObjectLine = Omit<Line, 'value'> & { members: ReadonlyMap<string, string> };

/** Returns a sheet with a column for each path of the objects. */
function objectSheet(name: string, lines: () => Iterable<ObjectLine>): Spreadsheet {
  const header = [...new Set(Iterator.from(lines()).flatMap(({ members }) => members.keys()))];
  function* records(): Generator<CsvRecord> {
    yield { line: 1, text: '', cells: header };
    for (const { members, ...line } of lines()) {
      const cells = header.map((path) => members.get(path) ?? '');
      yield line.unreadable === undefined ? { ...line, cells } : line;
    }
  }
  return sheetOf(records, { name }, 1);
}

/** Returns a sheet for each list of objects in a JSON document. */
function jsonSheets(text: string, name: string): Spreadsheet[] {
  const lists = Map.groupBy(listedIn(parsed(text, name)), ({ path }) => path);
  if (lists.size === 0) throw new Error(`${name} contains no list of objects.`);
  return Array.from(lists, ([path, list]) => {
    const lines = list.map(({ item }, i) => ({ line: i + 2, text: '', members: new Map(membersOf(item)) }));
    return objectSheet(path, () => lines);
  });
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} is not JSON. If each line is an object, rename it to .ndjson.`);
  }
}

function ndjsonSheet(text: string): Spreadsheet {
  return objectSheet('', () =>
    jsonLines(text).map(({ value = {}, ...line }) => ({ ...line, members: new Map(membersOf(value)) })),
  );
}

/** True of NDJSON whose first lines have the members of an export, or none at all. */
function isExported(text: string): boolean {
  const lines = jsonLines(text).take(headerWithin);
  const paths = new Set(lines.flatMap(({ value = {} }) => membersOf(value).map(([path]) => path)));
  return paths.size === 0 || required.every((field) => paths.has(field));
}

/** Yields the lines of NDJSON. Not split at once: a file can contain more lines than an array can hold. */
export function* jsonLines(text: string): Generator<Line, void, undefined> {
  for (let begin = 0, line = 1; begin < text.length; line += 1) {
    const end = text.indexOf('\n', begin);
    const json = text.slice(begin, end < 0 ? text.length : end);
    begin += json.length + 1;
    if (json.trim() !== '') yield { line, text: json, ...objectOf(json) };
  }
}

function objectOf(json: string): Pick<Line, 'value' | 'unreadable'> {
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

// Deeper members do not belong to a testimonial.
const maxDepth = 6;

/** Returns the objects in lists, with the path of their list. Lists inside the items of a list have the same path. */
function listedIn(
  value: unknown,
  path: readonly string[] = [],
): { path: string; item: Record<string, unknown> }[] {
  if (Array.isArray(value))
    return value
      .filter(isObject)
      .flatMap((item) => [{ path: path.join('.') || 'top', item }, ...listedIn(item, path)]);
  if (!isObject(value) || path.length === maxDepth) return [];
  return Object.entries(value).flatMap(([name, member]) => listedIn(member, [...path, name]));
}

// Members that hold the object itself, in GraphQL, JSON:API, Airtable and Elasticsearch.
const wrappers = ['node', 'attributes', 'fields', '_source'];

/** Returns the texts in an object by their paths, such as `author.name`. */
function membersOf(value: Record<string, unknown>, path = '', depth = 1): [string, string][] {
  return Object.entries(value).flatMap(([name, member]): [string, string][] => {
    const inner = wrappers.includes(name) ? path : `${path}${name}.`;
    if (isObject(member)) return depth < maxDepth ? membersOf(member, inner, depth + 1) : [];
    if (!Array.isArray(member)) return member === null ? [] : [[`${path}${name}`, String(member)]];
    const texts = member.filter((item) => typeof item === 'string');
    return texts.length > 0 ? [[`${path}${name}`, texts.join(',')]] : [];
  });
}
