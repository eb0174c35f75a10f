/** A file of others as a table: its header, wherever that stands, and what is below it. */
import { isUtf8 } from 'node:buffer';
import type { FileFormat } from '../files/whole-file.ts';
import { counted, listed } from '../terminal/formatting.ts';
import { familiarIn } from './column-names.ts';
import { type CsvRecord, csvRecords, separators } from './csv.ts';

export interface Spreadsheet {
  header: readonly string[];
  /** Rows below it that are as wide, the first ones. */
  rows: readonly (readonly string[])[];
  /** All below the header, by their rows. */
  records: () => Iterable<CsvRecord>;
  /** What cells are separated by. */
  separator: string;
  /** What is told of how it was read, sentences. */
  notes: readonly string[];
}

/** What a file is made of, and its table; lines of JSON have none. */
export type FileContent = { text: string; table?: Spreadsheet };

// Above it there may be the title of a sheet.
const headerWithin = 10;
// So many tell columns apart, and nearly always day and month.
const rowsLooked = 1000;
// No header is longer, with what stands above it.
const longestTop = 100_000;

/**
 * Reads bytes as text, or as a workbook.
 * @param name what the file is called
 * @throws when they are not what the format says, or their encoding cannot be told
 */
export async function contentOf(bytes: Buffer, format: FileFormat, name: string): Promise<FileContent> {
  if (format === 'xlsx') return { text: '', table: await workbookTable(bytes, name) };
  const { text, notes } = textOf(bytes, name);
  if (format === 'ndjson') return { text };
  return { text, table: format === 'json' ? jsonTable(text, name) : csvTable(text, ...notes) };
}

/** The table of a CSV file, whose separator may be named on a line before the others. */
export function csvTable(text: string, ...notes: string[]): Spreadsheet {
  const [line = '', named] = /^"?sep=([^\n])"?\n/i.exec(text) ?? [];
  const its = text.slice(line.length);
  const separator = named ?? separatorOf(its);
  return tableOf(() => csvRecords(its, separator), separator, notes);
}

function tableOf(all: () => Iterable<CsvRecord>, separator: string, notes: readonly string[]): Spreadsheet {
  const first: CsvRecord[] = [];
  for (const record of all()) {
    if (first.push(record) > rowsLooked) break;
  }
  const isHeader = (each: CsvRecord) => familiarIn(readableCells(each)) > 1;
  const above = Math.max(0, first.slice(0, headerWithin).findIndex(isHeader));
  const head = first[above];
  if (head?.unreadable !== undefined) throw new Error(`The header of the file ${head.unreadable}.`);
  const header = (head?.cells ?? []).map((name) => name.trim());
  const rows = first
    .slice(above + 1)
    .map(readableCells)
    .filter(({ length }) => length === header.length)
    .map((cells) => cells.map((cell) => cell.trim()));
  const skipped = `${counted(above, 'line')} above the header ${above === 1 ? 'is' : 'are'} not read.`;
  const records = () => Iterator.from(all()).drop(above + 1);
  return { header, rows, records, separator, notes: above > 0 ? [...notes, skipped] : notes };
}

function readableCells({ cells = [], unreadable }: CsvRecord): readonly string[] {
  return unreadable === undefined ? cells : [];
}

/** The separator by which one of the first rows has the most names of columns; otherwise the first row the most cells. */
export function separatorOf(text: string): string {
  const tried = separators.map((separator) => {
    const first = csvRecords(text.slice(0, longestTop), separator).take(headerWithin);
    const rows = first.map(readableCells).toArray();
    const known = Math.max(0, ...rows.map(familiarIn));
    return { separator, known: known > 1 ? known : 0, cells: rows[0]?.length ?? 0 };
  });
  const [best] = tried.toSorted((a, b) => b.known - a.known || b.cells - a.cells);
  return best?.separator ?? ',';
}

async function workbookTable(bytes: Buffer, name: string): Promise<Spreadsheet> {
  const { default: readSheets } = await import('read-excel-file/universal');
  const sheets = await readSheets(new Blob([Uint8Array.from(bytes)])).catch((error: unknown) => {
    throw new Error(`${name} cannot be read as a workbook of Excel: save it as .xlsx or as CSV.`, {
      cause: error,
    });
  });
  const filled = sheets.filter(({ data }) => data.length > 0);
  const tables = filled.map(({ data }) => rowTable(data.map((row) => row.map(cellOf))));
  const known = tables.map(({ header }) => familiarIn(header));
  const best = known.indexOf(Math.max(...known));
  const others = filled.filter((_, i) => i !== best).map(({ sheet }) => sheet);
  const { notes, ...table } = tables[best] ?? rowTable([]);
  const note = `The sheet ${filled[best]?.sheet} is read; ${listed(others)} ${others.length === 1 ? 'is' : 'are'} not.`;
  return { ...table, notes: others.length > 0 ? [note, ...notes] : notes };
}

/** What a workbook's cell says: a time to the second, as fractions of days are not exact; a day without a time has none. */
function cellOf(cell: unknown): string {
  if (cell instanceof Date) {
    const time = new Date(Math.round(cell.getTime() / 1000) * 1000);
    return time.toISOString().replace('T00:00:00.000Z', '');
  }
  return cell === null || cell === undefined ? '' : String(cell);
}

/** Rows of cells, numbered from 1. */
function rowTable(rows: readonly string[][]): Spreadsheet {
  const width = Math.max(0, ...rows.map(({ length }) => length));
  const records = rows.flatMap((row, i) => {
    const cells = Array.from({ length: width }, (_, place) => row[place] ?? '');
    return cells.every((cell) => cell.trim() === '') ? [] : [{ line: i + 1, cells, text: row.join('\t') }];
  });
  return tableOf(() => records, ',', []);
}

/** The table of a JSON document that is a list of objects, or has one: a column for each path. */
function jsonTable(text: string, name: string): Spreadsheet {
  const list = listIn(parsed(text, name));
  if (!list) throw new Error(`${name} has no list of objects.`);
  const rows = list.map((each) => new Map(membersOf(each)));
  const header = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  return rowTable([header, ...rows.map((row) => header.map((path) => row.get(path) ?? ''))]);
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} is not JSON; a file with an object on each line is named .ndjson.`);
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listIn(value: unknown): Record<string, unknown>[] | undefined {
  const lists = isObject(value) ? Object.values(value) : [value];
  return lists.filter(Array.isArray).find((each) => each.length > 0 && each.every(isObject));
}

// What lies deeper is no member of a testimonial.
const deepest = 3;

function membersOf(value: Record<string, unknown>, path = '', depth = 1): [string, string][] {
  return Object.entries(value).flatMap(([name, member]): [string, string][] => {
    if (isObject(member)) return depth < deepest ? membersOf(member, `${path}${name}.`, depth + 1) : [];
    if (Array.isArray(member)) {
      const texts = member.filter((each) => typeof each === 'string');
      return texts.length > 0 ? [[`${path}${name}`, texts.join(',')]] : [];
    }
    return member === null ? [] : [[`${path}${name}`, String(member)]];
  });
}

const newline = 0x0a;

/**
 * Decodes UTF-8, UTF-16 and Windows-1252, with or without a byte order mark; lines end with newlines.
 * @param file its name
 * @throws when the encoding cannot be told: what is shown of the text would be wrong
 */
export function textOf(bytes: Buffer, file: string): { text: string; notes: string[] } {
  const encoding = encodingOf(bytes);
  if (!encoding) {
    throw new Error(
      `Line ${firstInvalidLine(bytes)} of ${file} is not UTF-8: save the file as UTF-8, then import it.`,
    );
  }
  const text = new TextDecoder(encoding).decode(bytes);
  return {
    text: text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text,
    notes: encoding === 'windows-1252' ? ['It is read as Windows-1252: look at its accents.'] : [],
  };
}

// Beyond ASCII, as UTF-8 writes them.
const letters = /[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}|[\xF0-\xF4][\x80-\xBF]{3}/g;

function encodingOf(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // The letters of its first names have a zero before or behind them.
  const zeros = [0, 1].map(
    (half) => bytes.subarray(0, 100).filter((byte, i) => byte === 0 && i % 2 === half).length,
  );
  const most = Math.max(...zeros);
  if (most >= 10) return zeros[0] === most ? 'utf-16be' : 'utf-16le';
  if (isUtf8(bytes)) return 'utf-8';
  const text = bytes.toString('latin1');
  const [damaged, others] = [
    text.match(letters)?.length ?? 0,
    text.replace(letters, '').match(/[\x80-\xFF]/g)?.length ?? 0,
  ];
  // Letters beyond ASCII stand nearly alone in western languages; where several follow each other, it is another alphabet.
  const isOther =
    /[\xC0-\xFF]{3}/.test(text) || /[\p{Cc}--[\t\n\r]]/v.test(new TextDecoder('windows-1252').decode(bytes));
  return isOther || damaged >= others ? undefined : 'windows-1252';
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
