/** Opens a file, and detects which columns hold which fields and the formats of their values. */
import { createHash } from 'node:crypto';
import type { FileFormat, WholeFile } from '../files/whole-file.ts';
import { columnsLike } from './column-names.ts';
import { shareLike } from './field-values.ts';
import { isFractional, type LineField, lineFields } from './imported-line.ts';
import { type ColumnMap, type ColumnOptions, type Columns, columnsOf, required } from './map-columns.ts';
import { contentOf, type FileContent, type Spreadsheet } from './spreadsheet.ts';
import { dateFormatsOf, minimumShare } from './times.ts';

/** How to read the lines of a file. */
export interface Interpretation extends ColumnOptions {
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
export interface FileSource extends ImportOptions, FileContent {
  /** SHA-256 of the bytes, hexadecimal. */
  hash: string;
  /** When the file was written, an ISO 8601 date. */
  day: string;
  /** Present if the interpretation contains guesses. */
  proposal?: Proposal;
}

export interface Proposal {
  /** The column names of the file. */
  header: readonly string[];
  /** Required fields without a column: someone has to choose one. */
  nameless: LineField[];
  /** Required fields that get a placeholder. */
  placed: LineField[];
  /** Columns named after a field, although most of their values do not fit it. */
  unlike: { field: LineField; column: string }[];
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
  const { hash, format, map, defaults, dateFormat } = source;
  const sorted = (record: object) => Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const flags = [source.roundRatings, source.keepHtml, source.asNew].map(Boolean);
  const parts = [format, sorted(map), sorted(defaults), dateFormat, ...flags];
  return createHash('sha256').update(JSON.stringify(parts)).update(hash).digest('hex');
}

/** @throws when a file is empty or does not match its format, or a chosen column is missing or appears twice */
export async function openSource(
  options: ImportOptions,
  { bytes, hash, written }: WholeFile,
): Promise<FileSource> {
  const content = await contentOf(bytes, options.format, options.file);
  // An empty NDJSON file is an export without testimonials.
  if (content.sheet?.header.length === 0) throw new Error(`${options.file} is empty. Nothing was imported.`);
  const source = { ...options, hash, day: written.toISOString().slice(0, 10), ...content };
  const proposal = proposeInterpretation(source);
  return proposal ? { ...source, ...proposal.interpretation, proposal } : source;
}

/** Guesses the interpretation from the first rows. Returns undefined if nothing needs a guess. */
export function proposeInterpretation(source: FileSource): Proposal | undefined {
  const { sheet, keepHtml = false, roundRatings: areRounded = false } = source;
  if (!sheet) return undefined;
  const { header, rows } = sheet;
  const columns = columnsOf(header, source);
  const { guessed, unlike } = guessedColumns(columns, sheet, source);
  const unmapped = columns.missing.filter((field) => !guessed[field]);
  const nameless = unmapped.filter((field) => placeholders[field] === undefined);
  const placed = unmapped.filter((field) => placeholders[field] !== undefined);
  const map = { ...source.map, ...guessed };
  const values = placed.map((field) => [field, placeholders[field]]);
  const defaults = { ...source.defaults, ...Object.fromEntries(values) };
  const lines = rows.map(columnsOf(header, { map, defaults }).toTestimonial);
  const times = lines.map(({ createdAt }) => createdAt).filter((time) => typeof time === 'string');
  const formats = source.dateFormat === undefined ? dateFormatsOf(times, source.day) : undefined;
  const { format: dateFormat = source.dateFormat, other: otherDateFormat } = formats ?? {};
  const roundRatings = areRounded || lines.some(({ rating }) => isFractional(rating));
  const isComplete = columns.missing.length === 0 && Object.keys(guessed).length === 0;
  if (isComplete && dateFormat === source.dateFormat && roundRatings === areRounded) return undefined;
  const format = dateFormat !== undefined && { dateFormat };
  const other = otherDateFormat !== undefined && { otherDateFormat };
  const interpretation = { map, defaults, roundRatings, keepHtml, ...format };
  return { header, nameless, placed, unlike, interpretation, ...other };
}

/** Matches columns to unmapped fields by name and values. Ignores the column named after an optional field if its values do not fit that field. */
function guessedColumns(
  { map: mapped, unused, isExport }: Columns,
  { header, rows }: Spreadsheet,
  { map, day }: FileSource,
): { guessed: ColumnMap; unlike: Proposal['unlike'] } {
  const cellsIn = (column: string) =>
    rows.map((row) => row[header.indexOf(column)] ?? '').filter((cell) => cell !== '');
  const looksLike = (field: LineField, columns: readonly string[]) => {
    const cells = cellsIn(columns.at(-1) ?? '');
    if (cells.length === 0) return required.includes(field);
    return field === 'createdAt'
      ? dateFormatsOf(cells, day) !== undefined
      : shareLike(field, cells) >= (minShares[field] ?? minimumShare);
  };
  const unique = unused
    .map(({ column }) => column)
    .filter((name) => header.indexOf(name) === header.lastIndexOf(name));
  const guessed: ColumnMap = {};
  const unlike: Proposal['unlike'] = [];
  for (const field of lineFields.filter((name) => map[name] === undefined)) {
    const [ownColumn] = mapped[field] ?? [];
    if (ownColumn !== undefined) {
      const mayDiffer = !required.includes(field) && !isExport && cellsIn(ownColumn).length > 0;
      if (mayDiffer && !looksLike(field, [ownColumn])) guessed[field] = [];
      continue;
    }
    const taken = Object.values(guessed).flat();
    const free = unique.filter((name) => !taken.includes(name));
    const candidates = columnsLike(field, free, { ...mapped, ...map, ...guessed });
    const match = candidates.find((columns) => looksLike(field, columns));
    const [column] = candidates.flat();
    if (match) guessed[field] = match;
    else if (column !== undefined && cellsIn(column).length > 0) unlike.push({ field, column });
  }
  const taken = Object.values(guessed).flat();
  return { guessed, unlike: unlike.filter(({ column }) => !taken.includes(column)) };
}
