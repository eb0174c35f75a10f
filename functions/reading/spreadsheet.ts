/** Reads a file as text and as sheets: a header and the rows below it. */
import * as v from 'valibot';
import { type CsvRecord, csvRecords, headerWithin, readableCells, separatorOf } from '../csv/csv.ts';
import { correctedTexts, correctLetterIn, decodeText } from '../csv/decode.ts';
import { statuses, testimonialTypes } from '../domain/testimonial.ts';
import { counted, oneLine } from '../domain/wording.ts';
import { cellOfList } from './field-values.ts';
import { type ExportFormat, emptyText, type FileFormat, xmlText } from './formats.ts';
import { describedHeadings, headerRowIn } from './header-row.ts';
import { lineFields, maxColumns, requiredFields } from './line-fields.ts';
import { loadLanguages } from './times.ts';
import { isWorkbook, readWorkbook } from './workbook.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export interface Sheet {
  /** The sheet of a workbook, or the path of a list in a JSON document; empty for other files. */
  name: string;
  header: readonly string[];
  /** The rows below the header among the first `rowsSampled` rows, except rows of another width. */
  firstRows: readonly (readonly string[])[];
  /** Reads everything below the header. */
  records: () => Iterable<CsvRecord>;
  separator: string;
  /** Sentences about how the file was read. */
  notes: readonly string[];
  /** True if no row is the header, so that columns are numbered. */
  isHeadless?: boolean;
  /** The format in which this service exported the file. */
  exportedAs?: ExportFormat;
  /** True if a cell can contain a list (`listIn`). */
  hasLists?: boolean;
  /** The same rows under other headings, for a person who chooses columns by these headings. */
  otherHeadings?: readonly Sheet[];
}

export interface FileContent {
  text: string;
  sheets: readonly Sheet[];
  /**
   * True for NDJSON in the format of exports, whose lines are read without a sheet unless a person maps them.
   */
  needsNoSheet?: boolean;
}

/** A row of a sheet, or a line of NDJSON. */
export interface FileRow extends Omit<CsvRecord, 'cells'> {
  /** The members of an object. Also present for an unreadable row that makes sense on its own. */
  value?: Record<string, unknown>;
}

// Enough to distinguish columns, and nearly always day and month.
export const rowsSampled = 1000;
// One more than allowed is enough to refuse a sheet (`isSmallEnough`). Reading more cells would only take
// time and memory.
const maxCellsRead = maxColumns + 1;

/**
 * Decodes a file and reads its sheets.
 * @param name the file name, for messages
 * @param options.maxUnpackedBytes the maximum size of an unpacked workbook
 * @throws if there are no bytes, they do not match the format, or the encoding is unknown
 */
export async function contentOf(
  bytes: Bytes,
  format: FileFormat,
  name: string,
  { maxUnpackedBytes = 1024 * 1024 * 1024 } = {},
): Promise<FileContent> {
  if (bytes.length === 0) throw new Error(emptyText(name));
  // Loaded here, because header rows, guesses and checks read dates synchronously.
  await loadLanguages();
  if (format === 'xlsx') return { text: '', sheets: await workbookSheets(bytes, name, maxUnpackedBytes) };
  if (isWorkbook(bytes))
    throw new Error(`${name} is an Excel workbook. Rename it to .xlsx, or save it as CSV.`);
  const decoded = decodeText(bytes, name);
  if (isXml(decoded.text)) throw new Error(xmlText(name));
  const originals = [format === 'csv' ? decoded.text : withLetters(decoded.text)];
  const [corrected] = correctedTexts(originals) ?? [];
  const text = corrected ?? decoded.text;
  const notes = [...decoded.notes, ...misreadNotes(originals, corrected !== undefined)];
  if (format === 'json') return { text, sheets: jsonSheets(text, name, notes) };
  if (format === 'csv') return { text, sheets: [csvSheet(text, ...notes)] };
  // A sheet has notes, so a file with corrected texts needs a sheet.
  const isExport = isInExportFormat(text);
  const sheet: Sheet = { ...ndjsonSheet(text, notes), ...(isExport && { exportedAs: 'ndjson' }) };
  return { text, sheets: [sheet], needsNoSheet: isExport && corrected === undefined };
}

/**
 * Returns a note that letters were corrected, or that some look garbled but were not corrected because others
 * are right.
 */
function misreadNotes(texts: readonly string[], areCorrected: boolean): string[] {
  if (areCorrected) return ['Some letters were garbled (Ã© for é) and have been corrected.'];
  const letter = correctLetterIn(texts);
  if (letter === undefined) return [];
  return [
    `Some letters look garbled (probably ${letter}), and others are correct. Nothing was changed. Check the texts, and correct the file.`,
  ];
}

/** Returns JSON in which letters beyond ASCII replace their escapes. */
function withLetters(json: string): string {
  return json.replace(/\\(?:u([0-9a-f]{4})|.)/gis, (escaped, code) => {
    const letter = code === undefined ? 0 : Number.parseInt(code, 16);
    return letter > 0x7f ? String.fromCharCode(letter) : escaped;
  });
}

/** True for XML and HTML. A row of CSV can begin with a tag, but no sheet also ends with one. */
function isXml(text: string): boolean {
  return (
    /^\s*<(?:\?xml|!doctype|rss)\b/i.test(text) || (/^\s*<[a-z!]/i.test(text) && text.trimEnd().endsWith('>'))
  );
}

/** Reads CSV. Its first line may name the separator, as `sep=;`. */
export function csvSheet(text: string, ...notes: string[]): Sheet {
  const [line = '', named] = /^"?sep=([^\n])"?\n/i.exec(text) ?? [];
  const body = text.slice(line.length);
  const separator = named ?? separatorOf(body);
  return sheetOf(() => csvRecords(body, separator), { name: '', separator, notes });
}

interface SheetOptions {
  name: string;
  separator?: string;
  notes?: readonly string[];
  /** True for rows made from objects, whose header contains paths. */
  hasObjects?: boolean;
}

function sheetOf(
  allRecords: () => Iterable<CsvRecord>,
  { name, separator = ',', notes = [], hasObjects = false }: SheetOptions,
): Sheet {
  const first = Iterator.from(allRecords())
    .take(rowsSampled)
    .map(({ cells, ...record }) => ({ ...record, ...(cells && { cells: cells.slice(0, maxCellsRead) }) }))
    .toArray();
  const topRows = first.map(readableCells);
  const { index, isMissing, descriptionRowCount } = hasObjects
    ? onlyHeader
    : headerRowIn(topRows, headerWithin);
  // Titles above the header count, too, because the end of an unreadable row is unknown.
  const [unreadable] = first.slice(0, index + 1).flatMap((record) => record.unreadable ?? []);
  if (unreadable !== undefined && !isMissing) throw new Error(`The header of the file ${unreadable}.`);
  // Without a recognized header, the first row of the usual width, below any title, may still be the header.
  const headerIndex = isMissing ? topRows.indexOf(firstOfCommonWidth(topRows.slice(index))) : index;
  const headerCells = topRows[headerIndex] ?? [];
  const rowsFrom = (from: number) => ({
    firstRows: topRows
      .slice(from)
      .filter(({ length }) => length === headerCells.length)
      .map((row) => row.map((cell) => cell.trim())),
    records: () => Iterator.from(allRecords()).drop(from),
  });
  const { firstRows, records } = rowsFrom(headerIndex + 1 + descriptionRowCount);
  const above = (count: number, what: string) =>
    count > 0 && `${counted(count, 'line')} above the ${what} ${count === 1 ? 'is' : 'are'} ignored.`;
  const skipped = [
    above(headerIndex, 'header'),
    descriptionRowCount > 0 &&
      `${counted(descriptionRowCount, 'row')} of descriptions below the header ${descriptionRowCount === 1 ? 'is' : 'are'} skipped.`,
  ].filter((note) => note !== false);
  const underHeadings = (headings: readonly string[]): Sheet => {
    const header = headingsOf(headings, firstRows);
    return {
      name,
      separator,
      firstRows,
      records,
      notes: [...notes, ...skipped],
      header,
      // JSON of other tools can have the same paths.
      ...(!hasObjects && isHeaderOfExport(header) && { exportedAs: 'csv' }),
    };
  };
  const headless = {
    name,
    separator,
    ...rowsFrom(isMissing ? index : 0),
    isHeadless: true,
    notes: [...notes, headlessNote, ...[isMissing && above(index, 'rows')].filter((note) => note !== false)],
    header: headerCells.map((_, i) => `column ${i + 1}`),
  };
  const asWritten = underHeadings(headerCells);
  // | The sheet has | Headings in use | A person can also choose columns by |
  // |---|---|---|
  // | no header | numbered | headings as written |
  // | a header | as written | numbers |
  // | a header of an export in other capitals | as exported | headings as written, numbers |
  // | a header above descriptions | described | headings as written, numbers |
  if (hasObjects) return { ...asWritten, hasLists: true };
  if (isMissing) return { ...headless, otherHeadings: [asWritten] };
  const own = ownHeadings(headerCells);
  if (asWritten.exportedAs && own.join() !== headerCells.join())
    return { ...underHeadings(own), otherHeadings: [asWritten, headless] };
  if (descriptionRowCount === 0) return { ...asWritten, otherHeadings: [headless] };
  const described = describedHeadings(headerCells, topRows[index + 1] ?? []);
  return { ...underHeadings(described), otherHeadings: [asWritten, headless] };
}

/** Returns the first of the rows that have the most common number of cells. */
function firstOfCommonWidth(rows: Sheet['firstRows']): readonly string[] {
  const [most] = [...Map.groupBy(rows, ({ length }) => length).values()].toSorted(
    (a, b) => b.length - a.length,
  );
  return most?.[0] ?? [];
}

const onlyHeader = { index: 0, isMissing: false, descriptionRowCount: 0 };
const headlessNote =
  'No header row was found: columns are numbered, and the first row is imported as a testimonial. If it is the header, choose each column by its heading.';

const ownNames = new Map<string, string>(lineFields.map((name) => [name.toLowerCase(), name]));

/** Returns headings with the names of an export in its own capitals, unless two would be the same. */
function ownHeadings(cells: readonly string[]): readonly string[] {
  const names = cells.map((cell) => ownNames.get(cell.trim().toLowerCase()) ?? cell);
  return new Set(names).size === names.length ? names : cells;
}

/** True for the header of a table that this service exported, in any capitals. */
function isHeaderOfExport(header: readonly string[]): boolean {
  const names = ownHeadings(header);
  return (
    names.includes('author.name') &&
    (names.includes('author.email') || names.every((name) => ownNames.has(name.toLowerCase())))
  );
}

/** Returns names that a command line can print and use: each on one line, and each only once. */
function headingsOf(cells: readonly string[], rows: Sheet['firstRows']): string[] {
  const named = cells.map((cell, i) => {
    const name = oneLine(cell);
    return name === '' && rows.some((row) => row[i] !== '') ? `column ${i + 1}` : name;
  });
  const all = Map.groupBy(named, (name) => name);
  const taken = new Set(named.filter((name) => all.get(name)?.length === 1));
  return named.map((name) => {
    if (name === '' || taken.has(name)) return name;
    for (let number = 1; ; number += 1) {
      const numbered = `${name} (${number})`;
      if (taken.has(numbered)) continue;
      taken.add(numbered);
      return numbered;
    }
  });
}

async function workbookSheets(bytes: Bytes, name: string, maxUnpackedBytes: number): Promise<Sheet[]> {
  const filled = await readWorkbook(bytes, name, maxUnpackedBytes);
  const texts = filled.flatMap(({ data }) => data.flat().filter((cell) => typeof cell === 'string'));
  const corrected = correctedTexts(texts);
  const correctedOf = new Map(corrected?.map((text, i) => [texts[i], text]));
  const notes = misreadNotes(texts, corrected !== undefined);
  return filled.map(({ sheet, data }) => {
    const rows = corrected
      ? data.map((row) => row.map((cell) => correctedOf.get(String(cell)) ?? cell))
      : data;
    return rowSheet(sheet, rows, notes);
  });
}

/**
 * Returns a workbook's cell as text. Times are rounded to seconds, because fractions of days are not exact.
 */
function cellOf(cell: unknown): string {
  if (cell instanceof Date) {
    const time = new Date(Math.round(cell.getTime() / 1000) * 1000);
    return time.toISOString().replace('T00:00:00.000Z', '');
  }
  return cell === null || cell === undefined ? '' : String(cell);
}

function rowSheet(name: string, rows: readonly (readonly unknown[])[], notes: readonly string[]): Sheet {
  const widest = rows.reduce((most, { length }) => Math.max(most, length), 0);
  const width = Math.min(widest, maxCellsRead);
  const records = rows.flatMap((row, i) => {
    const cells = Array.from({ length: width }, (_, column) => cellOf(row[column]));
    return cells.every((cell) => cell.trim() === '') ? [] : [{ line: i + 1, cells, text: cells.join('\t') }];
  });
  return sheetOf(() => records, { name, notes });
}

type ObjectRow = Omit<FileRow, 'value'> & { members: ReadonlyMap<string, string> };

/** Returns a sheet with a column for each path of the objects. */
function objectSheet(name: string, rows: () => Iterable<ObjectRow>, notes: readonly string[] = []): Sheet {
  const header = firstDifferent(
    Iterator.from(rows()).flatMap(({ members }) => members.keys()),
    maxCellsRead,
  );
  function* records(): Generator<CsvRecord> {
    yield { line: 1, text: '', cells: header };
    for (const { members, ...row } of rows()) {
      const cells = header.map((path) => members.get(path) ?? '');
      yield row.unreadable === undefined ? { ...row, cells } : row;
    }
  }
  return sheetOf(records, { name, notes, hasObjects: true });
}

function firstDifferent(texts: Iterable<string>, most: number): string[] {
  const different = new Set<string>();
  for (const text of texts) {
    if (different.size === most) break;
    different.add(text);
  }
  return [...different];
}

/** Returns a sheet for each list of objects in a JSON document. */
function jsonSheets(text: string, name: string, notes: readonly string[]): Sheet[] {
  const lists = Map.groupBy(listedIn(parsed(text, name)), ({ path }) => path);
  if (lists.size === 0) throw new Error(`${name} contains no list of objects.`);
  return Array.from(lists, ([path, list]) => {
    const rows = list.map(({ item }, i) => ({ line: i + 1, text: '', members: new Map(membersOf(item)) }));
    return objectSheet(path, () => rows, notes);
  });
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} is not JSON. If each line is an object, rename it to .ndjson.`);
  }
}

function ndjsonSheet(text: string, notes: readonly string[]): Sheet {
  const rows = () =>
    jsonLines(text).map(({ value = {}, ...row }) => ({ ...row, members: new Map(membersOf(value)) }));
  return objectSheet('', rows, notes);
}

/** True for NDJSON if most of its first lines are in the format of exports, or none is an object. */
function isInExportFormat(text: string): boolean {
  const lines = jsonLines(text).take(headerWithin);
  const objects = lines
    .map(({ value = {} }) => value)
    .filter((value) => membersOf(value).length > 0)
    .toArray();
  return objects.length === 0 || objects.filter(isExported).length >= objects.length / 2;
}

// Other tools may use the same field names, but with other values.
const exportedValues = v.object({
  type: v.picklist(testimonialTypes),
  status: v.exactOptional(v.picklist(statuses)),
  rating: v.exactOptional(v.number()),
});

/** True if an object has the members of an export, with values of the right types. */
function isExported(value: Record<string, unknown>): boolean {
  const paths = new Map(membersOf(value));
  return requiredFields.every((field) => paths.has(field)) && v.is(exportedValues, value);
}

/**
 * Yields the lines of NDJSON. Does not split the whole text, because a file can contain more lines than an
 * array can hold.
 */
export function* jsonLines(text: string): Generator<FileRow, void, undefined> {
  for (let begin = 0, line = 1; begin < text.length; line += 1) {
    const end = text.indexOf('\n', begin);
    const json = text.slice(begin, end < 0 ? text.length : end);
    begin += json.length + 1;
    if (json.trim() !== '') yield { line, text: json, ...objectOf(json) };
  }
}

function objectOf(json: string): Pick<FileRow, 'value' | 'unreadable'> {
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

/**
 * Returns the objects in lists, with the path of their list. Lists inside the items of a list share one path.
 */
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

// Members that contain the object itself, in GraphQL, JSON:API, Airtable and Elasticsearch.
const wrapperMembers = ['node', 'attributes', 'fields', '_source'];

/** Returns the texts in an object by their paths, such as `author.name`. */
function membersOf(value: Record<string, unknown>, path = '', depth = 1): [string, string][] {
  return Object.entries(value).flatMap(([name, member]): [string, string][] => {
    const inner = wrapperMembers.includes(name) ? path : `${path}${name}.`;
    if (isObject(member)) return depth < maxDepth ? membersOf(member, inner, depth + 1) : [];
    if (!Array.isArray(member)) return member === null ? [] : [[`${path}${name}`, String(member)]];
    const texts = member.filter((item) => typeof item === 'string');
    return texts.length > 0 ? [[`${path}${name}`, cellOfList(texts)]] : [];
  });
}
