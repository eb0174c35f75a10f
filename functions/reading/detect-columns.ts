/** Opens a file, and detects which columns hold which fields and the formats of their values. */
import { columnsLike, isTitle, isUserName } from '../csv/column-names.ts';
import { listed } from '../domain/wording.ts';
import { byTime, datesIn, finders } from './column-values.ts';
import { isNoRating, scaleOf, shareLike } from './field-values.ts';
import type { FileFormat } from './formats.ts';
import { type ColumnMap, isFractional, type LineField, lineFields } from './imported-line.ts';
import { type ColumnOptions, type Columns, columnsOf, required, samplesOf } from './map-columns.ts';
import { contentOf, type FileContent, rowsSampled, type Spreadsheet } from './spreadsheet.ts';
import { dateFormatsOf, minimumShare } from './times.ts';

/** A file in memory. */
export interface FileBytes {
  bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the bytes, hexadecimal. */
  hash: string;
  /** When the file was written. */
  written: Date;
}

/** How to read the lines of a file. */
export interface Mapping extends ColumnOptions {
  /** The sheet of a workbook, or the path of a list in a JSON document. */
  sheetName?: string;
  /** The format of times, for `timeReader`; ISO 8601 if absent. */
  dateFormat?: string;
  /** Round ratings such as 4.5. */
  roundRatings?: boolean;
  /** Create all lines now, in the order of their times. */
  asNew?: boolean;
}

export interface ImportOptions extends Mapping {
  /** The file name, for messages. */
  file: string;
  format: FileFormat;
  /** Leave out lines that are duplicates. */
  onlyNew?: boolean;
}

/** An opened file and its mapping. */
export interface OpenedFile extends ImportOptions {
  text: string;
  /** Absent for NDJSON in the format of exports. */
  sheet?: Spreadsheet;
  /** The names of all sheets, if there are several. */
  sheetNames?: readonly string[];
  /** SHA-256 of the bytes, hexadecimal. */
  hash: string;
  /** When the file was written, an ISO 8601 date. */
  day: string;
  /** Present if the mapping contains guesses. */
  guess?: Guess;
}

/** What the names and the values of columns say about a file. */
export interface Guess {
  /** Required fields without a column: someone has to choose one. */
  nameless: LineField[];
  /** Required fields that get a placeholder, since no column contains them. */
  placed: LineField[];
  /** Fields whose columns are known only by their values. */
  valued: LineField[];
  /** Columns that fit a field equally well, so that none is used. */
  choices: ColumnMap;
  /** Columns named after a field, although most of their values do not fit it. */
  unlike: { field: LineField; column: string }[];
  /** Columns of dates beside the one that is used. */
  otherDates: string[];
  mapping: Mapping;
  /** Another date format that fits, if day and month are ambiguous. */
  otherDateFormat?: string;
}

const placeholders: Partial<Record<LineField, string>> = {
  'author.name': 'Anonymous',
  'author.email': 'unknown@example.com',
};

// Required fields accept columns with fewer matching values, because each line that does not fit is reported.
const minShares: Partial<Record<LineField, number>> = {
  content: 1 / 2,
  'author.name': 1 / 2,
  'author.email': Number.MIN_VALUE,
};

/** Returns the SHA-256 of bytes, hexadecimal. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the identity of an import: the bytes of a file and its mapping, without its name. */
export function fingerprintOf(opened: OpenedFile): Promise<string> {
  const { hash, format, map, defaults, dateFormat, sheetName } = opened;
  const sorted = (record: object) => Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const flags = [opened.roundRatings, opened.keepHtml, opened.asNew].map(Boolean);
  // Imports of files with one sheet keep the identity that they had before sheets could be chosen.
  const sheet = sheetName === undefined ? [] : [sheetName];
  const parts = [format, sorted(map), sorted(defaults), dateFormat, ...flags, ...sheet];
  return sha256(new TextEncoder().encode(JSON.stringify(parts) + hash));
}

/** Returns the mapping of an opened file, including its guesses, as JSON. Opening the file with it gives the same lines. */
export function mappingTextOf(opened: OpenedFile): string {
  const { map, defaults, sheetName, dateFormat, roundRatings, keepHtml, asNew } = opened;
  return JSON.stringify({ map, defaults, sheetName, dateFormat, roundRatings, keepHtml, asNew } satisfies {
    [Name in keyof Mapping]: Mapping[Name] | undefined;
  });
}

/** @throws when a file is empty or does not match its format, or a chosen sheet or column is missing */
export async function openFile(options: ImportOptions, whole: FileBytes): Promise<OpenedFile> {
  const { file, format, map, defaults } = options;
  const isMapped = Object.keys({ ...map, ...defaults }).length > 0;
  return openedFile(options, whole, await contentOf(whole.bytes, format, file, { isMapped }));
}

/**
 * Chooses the sheet of an opened file, and guesses its mapping.
 * @throws when the file is empty, or a chosen sheet or column is missing
 */
export function openedFile(
  options: ImportOptions,
  { hash, written }: Pick<FileBytes, 'hash' | 'written'>,
  { text, sheets }: FileContent,
): OpenedFile {
  const { file, format, sheetName } = options;
  const sheetNames = sheets.map(({ name }) => name);
  if (sheetName !== undefined && !sheetNames.includes(sheetName))
    throw new Error(`${file} has no sheet ${sheetName}. Its sheets: ${listed(sheetNames) || 'none'}.`);
  const unread = { ...options, text, hash, day: written.toISOString().slice(0, 10) };
  const chosen = new Set(Object.values(options.map).flat());
  const has = ({ header }: Pick<Spreadsheet, 'header'>) => chosen.isSubsetOf(new Set(header));
  const named = sheets
    .filter(({ name }) => sheetName === undefined || name === sheetName)
    .map((sheet) => [sheet, ...(sheet.others ?? [])].find(has) ?? sheet);
  const having = named.filter(has);
  const candidates = (having.length > 0 ? having : named).map((sheet) => {
    const others = listed(sheetNames.filter((name) => name !== sheet.name));
    const notes = [`Sheet ${sheet.name} is imported. Ignored: ${others}.`, ...sheet.notes];
    const one = { ...unread, sheet };
    const opened =
      others === '' ? one : { ...one, sheet: { ...sheet, notes }, sheetNames, sheetName: sheet.name };
    const guess = guessMapping(opened);
    return guess ? { ...opened, ...guess.mapping, guess } : opened;
  });
  const [opened] = candidates.length > 1 ? candidates.toSorted((a, b) => fitOf(b) - fitOf(a)) : candidates;
  // An empty NDJSON file is an export without testimonials.
  if (!opened && format === 'ndjson') return unread;
  if (!opened?.sheet.header.length) throw new Error(`${file} is empty. Nothing was imported.`);
  return opened;
}

type OpenedSheet = OpenedFile & { sheet: Spreadsheet };

/** Counts the fields that every line needs, and then the rows that have them. */
function fitOf(opened: OpenedSheet): number {
  const { header, rows } = opened.sheet;
  const { map } = columnsOf(header, opened);
  const used = required.map((field) => map[field] ?? []).filter(({ length }) => length > 0);
  const isFilled = (row: readonly string[]) =>
    used.every((columns) => columns.some((name) => row[header.indexOf(name)]));
  return used.length * rowsSampled + rows.filter(isFilled).length;
}

/** Guesses the mapping from the first rows. Returns undefined if nothing needs a guess. */
function guessMapping(opened: OpenedSheet): Guess | undefined {
  const { header, rows } = opened.sheet;
  const columns = columnsOf(header, opened, rows);
  const { guessed, ...guesses } = guessedColumns(columns, opened);
  const unmapped = columns.missing.filter((field) => !guessed[field]?.length);
  const placed = unmapped.filter((field) => placeholders[field] !== undefined && !guesses.choices[field]);
  const values = placed.map((field) => [field, placeholders[field]]);
  const map = { ...opened.map, ...guessed };
  const defaults = { ...opened.defaults, ...Object.fromEntries(values) };
  const lines = rows.map(columnsOf(header, { ...opened, map, defaults }, rows).toTestimonial);
  const times = lines.map(({ createdAt }) => createdAt).filter((time) => typeof time === 'string');
  const formats = opened.dateFormat === undefined ? dateFormatsOf(times, opened.day) : undefined;
  const { dateFormat = formats?.format } = opened;
  const otherDateFormat = formats?.other;
  const roundRatings = opened.roundRatings || lines.some(({ rating }) => isFractional(rating));
  const isGuessed = dateFormat !== opened.dateFormat || roundRatings !== Boolean(opened.roundRatings);
  const open = [...columns.missing, ...Object.keys({ ...guessed, ...guesses.choices })];
  if (!isGuessed && open.length === 0) return undefined;
  return {
    ...guesses,
    placed,
    nameless: unmapped.filter((field) => !placed.includes(field)),
    mapping: { map, defaults, roundRatings, ...(dateFormat !== undefined && { dateFormat }) },
    ...(otherDateFormat !== undefined && { otherDateFormat }),
  };
}

type Guesses = Pick<Guess, 'valued' | 'choices' | 'unlike' | 'otherDates'> & { guessed: ColumnMap };

/**
 * Matches columns to unmapped fields: first by name and values, then those that no name explains by their
 * values alone.
 */
function guessedColumns({ map: mapped, unused, isExport }: Columns, { sheet, map, day }: OpenedSheet) {
  const samples = new Map(samplesOf(sheet.header, sheet.rows).map((sample) => [sample.name, sample]));
  const { guessed, valued, choices, unlike }: Omit<Guesses, 'otherDates'> = {
    guessed: {},
    valued: [],
    choices: {},
    unlike: [],
  };
  const free = () => unused.filter(({ name }) => !Object.values(guessed).flat().includes(name));
  const looksLike = (field: LineField, columns: readonly string[]) => {
    const texts = columns.filter((name) => columns.length === 1 || !isTitle(name));
    const cells = texts.flatMap((name) => samples.get(name)?.filled ?? []);
    if (cells.length === 0) return sheet.rows.length === 0 && required.includes(field);
    if (field === 'createdAt') return dateFormatsOf(cells, day) !== undefined;
    if (field === 'rating' && isNoRating(columns[0] ?? '', cells)) return false;
    return shareLike(field, cells, scaleOf(columns[0] ?? '', cells)) >= (minShares[field] ?? minimumShare);
  };
  const isVaried = (name: string) => new Set(samples.get(name)?.filled).size > 1;
  /** Compares two columns with names of the same field. */
  const preferred = (field: LineField, [a = '']: readonly string[], [b = '']: readonly string[]) => {
    if (field === 'createdAt') return byTime(a, b);
    if (field !== 'author.name') return 0;
    return Number(isVaried(b)) - Number(isVaried(a)) || Number(isUserName(a)) - Number(isUserName(b));
  };
  for (const field of lineFields.filter((name) => map[name] === undefined)) {
    const own = mapped[field] ?? [];
    if (own.length > 0) {
      const mayDiffer =
        !required.includes(field) && !isExport && own.some((name) => samples.get(name)?.filled.length);
      // The column named after an optional field is ignored if its values do not fit that field.
      if (!mayDiffer || looksLike(field, own)) continue;
      guessed[field] = [];
      unlike.push({ field, column: own.join() });
      continue;
    }
    const names = free().map(({ name }) => name);
    const candidates = columnsLike(field, names, { ...mapped, ...map, ...guessed });
    const fitting = candidates.filter((columns) => looksLike(field, columns));
    const [match] = fitting.toSorted((a, b) => preferred(field, a, b));
    const [column] = candidates.flat();
    if (match) guessed[field] = match;
    else if (column !== undefined && samples.get(column)?.filled.length) unlike.push({ field, column });
  }
  for (const [field, find] of isExport ? [] : finders) {
    if (map[field] !== undefined || (guessed[field] ?? mapped[field])?.length) continue;
    // A status with values that nobody foresaw is no rating.
    const statuses = unlike.flatMap(({ field: named, column }) => (named === 'status' ? [column] : []));
    const [columns, ...others] = find(
      free().filter(({ name, filled }) => filled.length > 0 && !statuses.includes(name)),
      day,
    );
    if (columns && others.length > 0) choices[field] = [...columns, ...others.flat()];
    if (!columns || others.length > 0) continue;
    guessed[field] = columns;
    valued.push(field);
  }
  const names = free().map(({ name }) => name);
  const [date] = guessed.createdAt ?? [];
  return {
    guessed,
    valued,
    choices,
    unlike: unlike.filter(({ field, column }) => field === column || names.includes(column)),
    otherDates: date === undefined ? [] : datesIn(free(), day).map(({ name }) => name),
  };
}
