/** Opens a file, and detects which columns hold which fields and the formats of their values. */
import { createHash } from 'node:crypto';
import type { FileFormat, WholeFile } from '../files/whole-file.ts';
import { listed } from '../terminal/formatting.ts';
import { columnsLike, isTitle } from './column-names.ts';
import { findByValues } from './column-values.ts';
import { scaleOf, shareLike } from './field-values.ts';
import { type ColumnMap, isFractional, type LineField, lineFields } from './imported-line.ts';
import { type ColumnOptions, type Columns, columnsOf, required } from './map-columns.ts';
import { contentOf, type FileContent, rowsSampled, type Spreadsheet } from './spreadsheet.ts';
import { dateFormatsOf, minimumShare } from './times.ts';

/** How to read the lines of a file. */
export interface Interpretation extends ColumnOptions {
  /** The sheet of a workbook, or the path of a list in a JSON document. */
  sheetName?: string;
  /** The format of times, for `timeReader`; ISO 8601 if absent. */
  dateFormat?: string;
  /** Round ratings such as 4.5. */
  roundRatings?: boolean;
  /** Create all lines now, in the order of their times. */
  asNew?: boolean;
}

export interface ImportOptions extends Interpretation {
  /** The file name, for messages. */
  file: string;
  format: FileFormat;
  /** Leave out lines that are duplicates. */
  onlyNew?: boolean;
}

/** An opened file and its interpretation. */
export interface FileSource extends ImportOptions {
  text: string;
  /** Absent for NDJSON in the format of exports. */
  sheet?: Spreadsheet;
  /** The names of all sheets, if there are several. */
  sheetNames?: readonly string[];
  /** SHA-256 of the bytes, hexadecimal. */
  hash: string;
  /** When the file was written, an ISO 8601 date. */
  day: string;
  /** Present if the interpretation contains guesses. */
  proposal?: Proposal;
}

export interface Proposal {
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
  /** How ratings are read that are not written as stars from 1 to 5, each with an example. */
  ratings: { text: string; stars: number }[];
  interpretation: Interpretation;
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

/** Returns the identity of an import: the bytes of a file and its interpretation, without its name. */
export function fingerprintOf(source: FileSource): string {
  const { hash, format, map, defaults, dateFormat, sheetName, withHeadings, ratingScale } = source;
  const sorted = (record: object) => Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const flags = [source.roundRatings, source.keepHtml, source.asNew].map(Boolean);
  // Only if they are used, so that imports without them keep their identity.
  const others = Object.entries({ sheetName, withHeadings, ratingScale }).filter(([, value]) => value);
  const parts = [format, sorted(map), sorted(defaults), dateFormat, ...flags, ...others];
  return createHash('sha256').update(JSON.stringify(parts)).update(hash).digest('hex');
}

/** @throws when a file is empty or does not match its format, or a chosen sheet or column is missing */
export async function openSource(options: ImportOptions, whole: WholeFile): Promise<FileSource> {
  return sourceOf(options, whole, await contentOf(whole.bytes, options));
}

/**
 * Chooses the sheet of an opened file, and guesses its interpretation.
 * @throws when the file is empty, or a chosen sheet or column is missing
 */
export function sourceOf(
  options: ImportOptions,
  { hash, written }: Pick<WholeFile, 'hash' | 'written'>,
  { text, sheets }: FileContent,
): FileSource {
  const { file, format, sheetName } = options;
  const sheetNames = sheets.map(({ name }) => name);
  if (sheetName !== undefined && !sheetNames.includes(sheetName))
    throw new Error(`${file} has no sheet ${sheetName}. Its sheets: ${listed(sheetNames) || 'none'}.`);
  const unread = { ...options, text, hash, day: written.toISOString().slice(0, 10) };
  const sources = sheets
    .filter(({ name }) => sheetName === undefined || name === sheetName)
    .map((sheet) => ({ ...unread, sheet, ...(sheets.length > 1 && choiceOf(sheet, sheetNames)) }));
  const source = sources.length > 1 ? mostFitting(sources) : sources[0];
  // An empty NDJSON file is an export without testimonials.
  if (!source && format === 'ndjson') return unread;
  if (!source?.sheet.header.length) throw new Error(`${file} is empty. Nothing was imported.`);
  const proposal = proposeInterpretation(source);
  return proposal ? { ...source, ...proposal.interpretation, proposal } : source;
}

/** Names the sheet that is imported, and those that are not. */
function choiceOf(sheet: Spreadsheet, sheetNames: readonly string[]) {
  const { name: sheetName, notes } = sheet;
  const others = listed(sheetNames.filter((name) => name !== sheetName));
  const note = `Sheet ${sheetName} is imported. Ignored: ${others}.`;
  return { sheetNames, sheetName, sheet: { ...sheet, notes: [note, ...notes] } };
}

type SheetSource = FileSource & { sheet: Spreadsheet };

/** Returns the source whose sheet has the most rows with the fields that every line needs. */
function mostFitting(sources: readonly SheetSource[]): SheetSource | undefined {
  const fits = sources.map((source) => {
    const { header, rows } = source.sheet;
    // Chosen columns can be missing in other sheets.
    if (!new Set(Object.values(source.map).flat()).isSubsetOf(new Set(header))) return 0;
    const { map } = columnsOf(header, { ...source, ...proposeInterpretation(source)?.interpretation });
    const used = required.map((field) => map[field] ?? []).filter(({ length }) => length > 0);
    const isFilled = (row: readonly string[]) =>
      used.every((columns) => columns.some((name) => row[header.indexOf(name)]));
    return used.length * rowsSampled + rows.filter(isFilled).length;
  });
  return sources[fits.indexOf(Math.max(...fits))];
}

/** Guesses the interpretation from the first rows. Returns undefined if nothing needs a guess. */
function proposeInterpretation(source: SheetSource): Proposal | undefined {
  const columns = columnsOf(source.sheet.header, source);
  const { guessed, ...guesses } = guessedColumns(columns, source);
  const { choices } = guesses;
  const unmapped = columns.missing.filter((field) => !guessed[field]?.length);
  const placed = unmapped.filter((field) => placeholders[field] !== undefined && !choices[field]);
  const values = placed.map((field) => [field, placeholders[field]]);
  const map = { ...source.map, ...guessed };
  const defaults = { ...source.defaults, ...Object.fromEntries(values) };
  const { ratings, otherDateFormat, ...formats } = guessedFormats({ ...source, map, defaults });
  const areJoined = (guessed.content ?? []).filter((name) => !isTitle(name)).length > 1;
  if (areJoined) formats.withHeadings = true;
  const areComplete = columns.missing.length === 0;
  if (areComplete && Object.keys({ ...guessed, ...choices, ...formats }).length === 0) return undefined;
  const nameless = unmapped.filter((field) => !placed.includes(field));
  const interpretation = { map, defaults, ...formats };
  return {
    ...guesses,
    nameless,
    placed,
    ratings,
    interpretation,
    ...(otherDateFormat && { otherDateFormat }),
  };
}

const cellsIn = ({ header, rows }: Spreadsheet, column: string) =>
  rows.map((row) => row[header.indexOf(column)] ?? '');

type Guesses = Pick<Proposal, 'valued' | 'choices' | 'unlike'> & { guessed: ColumnMap };

/** Matches columns to unmapped fields: first by name and values, then those that no name explains by their values alone. */
function guessedColumns(columns: Columns, source: SheetSource): Guesses {
  const { sheet, map, day } = source;
  const { guessed, unlike } = namedColumns(columns, source);
  const named: ColumnMap = { ...columns.map, ...map, ...guessed };
  const isFree = ({ column }: { column: string }) => !Object.values(guessed).flat().includes(column);
  const samples = columns.unused
    .filter(isFree)
    .map(({ column }) => ({ name: column, cells: cellsIn(sheet, column) }));
  const isSought = (field: LineField) =>
    !columns.isExport && map[field] === undefined && !named[field]?.length;
  const addresses = named['author.email']?.flatMap((column) => cellsIn(sheet, column)) ?? [];
  const found = findByValues(isSought, samples, { addresses, day });
  const valued = lineFields.filter((field) => found[field]?.columns);
  for (const field of valued) guessed[field] = found[field]?.columns ?? [];
  const choices = Object.fromEntries(
    lineFields.flatMap((field) => (found[field]?.choices?.length ? [[field, found[field].choices]] : [])),
  );
  return { guessed, valued, choices, unlike: unlike.filter(isFree) };
}

/** Ignores the column named after an optional field if its values do not fit that field. */
function namedColumns(
  { map: mapped, unused, isExport }: Columns,
  { sheet, map, day }: SheetSource,
): Pick<Guesses, 'guessed' | 'unlike'> {
  const filledIn = (columns: readonly string[]) =>
    columns
      .filter((name) => columns.length === 1 || !isTitle(name))
      .flatMap((name) => cellsIn(sheet, name))
      .filter((cell) => cell !== '');
  const looksLike = (field: LineField, columns: readonly string[]) => {
    const cells = filledIn(columns);
    if (cells.length === 0) return sheet.rows.length === 0 && required.includes(field);
    if (field === 'createdAt') return dateFormatsOf(cells, day) !== undefined;
    return shareLike(field, cells, scaleOf(columns[0] ?? '', cells)) >= (minShares[field] ?? minimumShare);
  };
  const guessed: ColumnMap = {};
  const unlike: Proposal['unlike'] = [];
  for (const field of lineFields.filter((name) => map[name] === undefined)) {
    const own = mapped[field] ?? [];
    if (own.length > 0) {
      const mayDiffer = !required.includes(field) && !isExport && filledIn(own).length > 0;
      if (mayDiffer && !looksLike(field, own)) guessed[field] = [];
      continue;
    }
    const taken = Object.values(guessed).flat();
    const free = unused.map(({ column }) => column).filter((name) => !taken.includes(name));
    const candidates = columnsLike(field, free, { ...mapped, ...map, ...guessed });
    const match = candidates.find((columns) => looksLike(field, columns));
    const [column] = candidates.flat();
    if (match) guessed[field] = match;
    else if (column !== undefined && filledIn([column]).length > 0) unlike.push({ field, column });
  }
  return { guessed, unlike };
}

type Formats = Pick<Interpretation, 'dateFormat' | 'roundRatings' | 'ratingScale' | 'withHeadings'>;

const ratingsShown = 3;

/** Guesses the formats of ratings and dates that nobody chose, from the columns that are used. */
function guessedFormats(source: SheetSource): Formats & Pick<Proposal, 'otherDateFormat' | 'ratings'> {
  const { sheet, day } = source;
  const { map, isExport } = columnsOf(sheet.header, source);
  const [rating = '', ...others] = map.rating ?? [];
  const cells = cellsIn(sheet, rating);
  const isGuessed = source.ratingScale === undefined && !isExport && others.length === 0;
  const ratingScale = isGuessed ? scaleOf(rating, cells) : undefined;
  const scale = ratingScale !== undefined && { ratingScale };
  const lines = sheet.rows.map(columnsOf(sheet.header, { ...source, ...scale }).toTestimonial);
  const halves = lines.some((line) => isFractional(line.rating));
  const times = lines.map(({ createdAt }) => createdAt).filter((time) => typeof time === 'string');
  const { format, other } = (source.dateFormat === undefined && dateFormatsOf(times, day)) || {};
  const starsOf = new Map(cells.map((text, i) => [text, Math.round(Number(lines[i]?.rating))]));
  const ratings = Array.from(starsOf, ([text, stars]) => ({ text, stars }))
    .filter(({ text, stars }) => stars > 0 && !new RegExp(`^${stars}(?![.,]?[1-9])|^[★⭐🌟]`, 'u').test(text))
    .slice(0, ratingsShown);
  return {
    ratings,
    ...scale,
    ...(format !== undefined && { dateFormat: format }),
    ...(other !== undefined && { otherDateFormat: other }),
    ...(halves && !source.roundRatings && { roundRatings: true }),
  };
}
