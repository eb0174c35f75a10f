/** Reads a file as text and, unless it is NDJSON, as a spreadsheet: a header and the rows below it. */
import { isUtf8 } from 'node:buffer';
import type { FileFormat } from '../files/whole-file.ts';
import { counted, listed } from '../terminal/formatting.ts';
import { familiarIn } from './column-names.ts';
import { type CsvRecord, csvRecords, separators } from './csv.ts';

export interface Spreadsheet {
  header: readonly string[];
  /** The first rows below the header, except those of another width. */
  rows: readonly (readonly string[])[];
  /** Reads everything below the header. */
  records: () => Iterable<CsvRecord>;
  separator: string;
  /** Sentences about how the file was read. */
  notes: readonly string[];
}

export type FileContent = { text: string; sheet?: Spreadsheet };

// Titles can stand above the header.
const headerWithin = 10;
// Enough to tell columns apart, and nearly always day and month.
const rowsSampled = 1000;
// No header is longer, including the titles above it.
const maxTopLength = 100_000;

/**
 * Decodes a file and reads its spreadsheet.
 * @param name of the file, for messages
 * @throws when the bytes do not match the format, or the encoding is unknown
 */
export async function contentOf(bytes: Buffer, format: FileFormat, name: string): Promise<FileContent> {
  if (format === 'xlsx') return { text: '', sheet: await workbookSheet(bytes, name) };
  const { text, notes } = textOf(bytes, name);
  if (format === 'ndjson') return { text };
  return { text, sheet: format === 'json' ? jsonSheet(text, name) : csvSheet(text, ...notes) };
}

/** Reads CSV. Its first line may name the separator, as `sep=;`. */
export function csvSheet(text: string, ...notes: string[]): Spreadsheet {
  const [line = '', named] = /^"?sep=([^\n])"?\n/i.exec(text) ?? [];
  const body = text.slice(line.length);
  const separator = named ?? separatorOf(body);
  return sheetOf(() => csvRecords(body, separator), separator, notes);
}

function sheetOf(all: () => Iterable<CsvRecord>, separator: string, notes: readonly string[]): Spreadsheet {
  const first = Iterator.from(all()).take(rowsSampled).toArray();
  const isHeader = (record: CsvRecord) => familiarIn(readableCells(record)) > 1;
  const above = Math.max(0, first.slice(0, headerWithin).findIndex(isHeader));
  const head = first[above];
  if (head?.unreadable !== undefined) throw new Error(`The header of the file ${head.unreadable}.`);
  const header = (head?.cells ?? []).map((name) => name.trim());
  const rows = first
    .slice(above + 1)
    .map(readableCells)
    .filter(({ length }) => length === header.length)
    .map((cells) => cells.map((cell) => cell.trim()));
  const skipped = `${counted(above, 'line')} above the header ${above === 1 ? 'is' : 'are'} ignored.`;
  const records = () => Iterator.from(all()).drop(above + 1);
  return { header, rows, records, separator, notes: above > 0 ? [...notes, skipped] : notes };
}

function readableCells({ cells = [], unreadable }: CsvRecord): readonly string[] {
  return unreadable === undefined ? cells : [];
}

/** Returns the separator that gives one of the first rows the most familiar column names; below two, the one with the most cells. */
export function separatorOf(text: string): string {
  const tried = separators.map((separator) => {
    const first = csvRecords(text.slice(0, maxTopLength), separator).take(headerWithin);
    const rows = first.map(readableCells).toArray();
    const familiar = Math.max(0, ...rows.map(familiarIn));
    return { separator, familiar: familiar > 1 ? familiar : 0, cells: rows[0]?.length ?? 0 };
  });
  const [best] = tried.toSorted((a, b) => b.familiar - a.familiar || b.cells - a.cells);
  return best?.separator ?? ',';
}

async function workbookSheet(bytes: Buffer, name: string): Promise<Spreadsheet> {
  const { default: readSheets } = await import('read-excel-file/universal');
  const all = await readSheets(new Blob([Uint8Array.from(bytes)])).catch((error: unknown) => {
    throw new Error(`${name} is not an Excel workbook. Save it as .xlsx or as CSV.`, { cause: error });
  });
  const filled = all.filter(({ data }) => data.length > 0);
  const sheets = filled.map(({ data }) => rowSheet(data.map((row) => row.map(cellOf))));
  const familiar = sheets.map(({ header }) => familiarIn(header));
  const best = familiar.indexOf(Math.max(...familiar));
  const { notes, ...sheet } = sheets[best] ?? rowSheet([]);
  if (filled.length < 2) return { ...sheet, notes };
  const others = filled.filter((_, i) => i !== best).map(({ sheet: name }) => name);
  const chosen = `Sheet ${filled[best]?.sheet} is imported. Ignored: ${listed(others)}.`;
  return { ...sheet, notes: [chosen, ...notes] };
}

/** Returns a workbook's cell as text. Times are rounded to seconds, since fractions of days are not exact. */
function cellOf(cell: unknown): string {
  if (cell instanceof Date) {
    const time = new Date(Math.round(cell.getTime() / 1000) * 1000);
    return time.toISOString().replace('T00:00:00.000Z', '');
  }
  return cell === null || cell === undefined ? '' : String(cell);
}

function rowSheet(rows: readonly string[][]): Spreadsheet {
  const width = Math.max(0, ...rows.map(({ length }) => length));
  const records = rows.flatMap((row, i) => {
    const cells = Array.from({ length: width }, (_, column) => row[column] ?? '');
    return cells.every((cell) => cell.trim() === '') ? [] : [{ line: i + 1, cells, text: row.join('\t') }];
  });
  return sheetOf(() => records, ',', []);
}

/** Reads a JSON document that is or contains a list of objects, with a column for each path. */
function jsonSheet(text: string, name: string): Spreadsheet {
  const list = listIn(parsed(text, name));
  if (!list) throw new Error(`${name} contains no list of objects.`);
  const rows = list.map((value) => new Map(membersOf(value)));
  const header = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  return rowSheet([header, ...rows.map((row) => header.map((path) => row.get(path) ?? ''))]);
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} is not JSON. If each line is an object, rename it to .ndjson.`);
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listIn(value: unknown): Record<string, unknown>[] | undefined {
  const lists = isObject(value) ? Object.values(value) : [value];
  return lists.filter(Array.isArray).find((list) => list.length > 0 && list.every(isObject));
}

// Deeper members do not belong to a testimonial.
const maxDepth = 3;

function membersOf(value: Record<string, unknown>, path = '', depth = 1): [string, string][] {
  return Object.entries(value).flatMap(([name, member]): [string, string][] => {
    if (isObject(member)) return depth < maxDepth ? membersOf(member, `${path}${name}.`, depth + 1) : [];
    if (!Array.isArray(member)) return member === null ? [] : [[`${path}${name}`, String(member)]];
    const texts = member.filter((item) => typeof item === 'string');
    return texts.length > 0 ? [[`${path}${name}`, texts.join(',')]] : [];
  });
}

/**
 * Decodes UTF-8, UTF-16 and Windows-1252, with or without a byte order mark. Every line of the result ends with a newline.
 * @throws when the encoding is unknown, since the texts would be garbled
 */
export function textOf(bytes: Buffer, file: string): { text: string; notes: string[] } {
  const encoding = encodingOf(bytes);
  if (!encoding)
    throw new Error(
      `Line ${firstInvalidLine(bytes)} of ${file} is not UTF-8. Save the file as UTF-8 and import it again.`,
    );
  const text = new TextDecoder(encoding).decode(bytes);
  return {
    text: text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text,
    notes: encoding === 'windows-1252' ? ['The encoding is Windows-1252: check the accents.'] : [],
  };
}

// Letters beyond ASCII in UTF-8.
const letters = /[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}|[\xF0-\xF4][\x80-\xBF]{3}/g;

function encodingOf(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // UTF-16 puts a zero next to each ASCII letter of the header.
  const zeros = [0, 1].map(
    (half) => bytes.subarray(0, 100).filter((byte, i) => byte === 0 && i % 2 === half).length,
  );
  const most = Math.max(...zeros);
  if (most >= 10) return zeros[0] === most ? 'utf-16be' : 'utf-16le';
  if (isUtf8(bytes)) return 'utf-8';
  const text = bytes.toString('latin1');
  const utf8Letters = text.match(letters)?.length ?? 0;
  const otherLetters = text.replace(letters, '').match(/[\x80-\xFF]/g)?.length ?? 0;
  // In western languages letters beyond ASCII rarely follow each other. Three in a row are another alphabet.
  const isOther =
    /[\xC0-\xFF]{3}/.test(text) || /[\p{Cc}--[\t\n\r]]/v.test(new TextDecoder('windows-1252').decode(bytes));
  return isOther || utf8Letters >= otherLetters ? undefined : 'windows-1252';
}

function firstInvalidLine(bytes: Buffer): number {
  let line = 1;
  for (let begin = 0; begin < bytes.length; line += 1) {
    const end = bytes.indexOf('\n', begin) + 1 || bytes.length;
    if (!isUtf8(bytes.subarray(begin, end))) return line;
    begin = end;
  }
  return line;
}
