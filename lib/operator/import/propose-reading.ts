/** Proposing how a CSV file is read that is not told enough of: what its columns are, and how its values are written. */
import { statuses, testimonialTypes } from '../../../functions/domain/testimonial.ts';
import type { Source } from './check-file.ts';
import { type Columns, columnsOf, required } from './columns.ts';
import { csvRecords } from './csv-records.ts';
import { columnsLike } from './familiar-columns.ts';
import { isRating, isRounded, type LineField, lineFields } from './imported-line.ts';
import type { ColumnMap } from './presets.ts';
import { type DateFormats, dateFormatsOf, timeReader } from './time-reader.ts';

/** How the lines of a file are read, as the options of `import` say. */
export type Reading = Pick<Source, 'map' | 'defaults' | 'dateFormat' | 'roundRatings'>;

export interface Proposal {
  /** The columns of the file. */
  header: readonly string[];
  /** Fields that every line needs, and no column is. */
  missing: LineField[];
  /** The missing ones that no column looks like. */
  unknown: LineField[];
  /** Columns that would be lost: they look like fields that no other column is. */
  lost: { field: LineField; columns: readonly string[] }[];
  /** All that is needed, and nothing would be lost. */
  reading: Reading;
  /** What times can be read by as well, where day and month cannot be told apart. */
  otherDateFormat?: string;
  /** The first line, as it would be read; its createdAt is a date. */
  sample: Record<string, unknown>;
}

// So many tell columns apart, and nearly always day and month.
const recordsLooked = 1000;

// What lines get that need one, and have none.
const placeholders: Partial<Record<LineField, string>> = {
  'author.name': 'Anonymous',
  'author.email': 'unknown@example.com',
};

/**
 * Looks at the beginning of a file.
 * @returns undefined where it is not CSV, or is read well as it is
 * @throws when a column was named that the file does not have, or has more than once
 */
export function proposeReading(source: Source): Proposal | undefined {
  if (source.format !== 'csv') return undefined;
  const [header, ...rows] = firstRecords(source);
  if (!header) return undefined;
  const columns = columnsOf(header, source);
  const { missing } = columns;
  const guessed = guessedColumns(columns, header, rows, source);
  const lost = lineFields.flatMap((field) => {
    const its = guessed[field];
    return its && !missing.includes(field) ? [{ field, columns: its }] : [];
  });
  const unknown = missing.filter((field) => !guessed[field]);
  const map = { ...source.map, ...guessed };
  const placed = unknown.flatMap((field) => (placeholders[field] ? [[field, placeholders[field]]] : []));
  const defaults = { ...source.defaults, ...Object.fromEntries(placed) };
  const { toTestimonial } = columnsOf(header, { map, defaults });
  const lines = rows.map(toTestimonial);
  const { format: dateFormat, other: otherDateFormat } = datesOf(lines, source);
  const roundRatings = source.roundRatings || lines.some(({ rating }) => isRounded(rating));
  const isReadWell =
    missing.length === 0 &&
    lost.length === 0 &&
    dateFormat === source.dateFormat &&
    roundRatings === source.roundRatings;
  if (isReadWell) return undefined;
  return {
    header,
    missing,
    unknown,
    lost,
    sample: sampleOf(lines[0], dateFormat),
    reading: { map, defaults, roundRatings, ...(dateFormat !== undefined && { dateFormat }) },
    ...(otherDateFormat !== undefined && { otherDateFormat }),
  };
}

function sampleOf({ createdAt, ...line }: Record<string, unknown> = {}, dateFormat: string | undefined) {
  const time = timeReader(dateFormat).millisecondsOf(String(createdAt));
  return time === undefined ? line : { ...line, createdAt: new Date(time).toISOString().slice(0, 10) };
}

/** Fields that have neither a column nor a value: somebody has to name their columns. */
export function namelessIn({ unknown, reading }: Proposal): LineField[] {
  return unknown.filter((field) => reading.defaults[field] === undefined);
}

/** Whether lines can be read that way. */
export function isWhole(proposal: Proposal): boolean {
  return namelessIn(proposal).length === 0;
}

function firstRecords({ text }: Source): string[][] {
  const records: string[][] = [];
  for (const record of csvRecords(text)) {
    if (!('cells' in record)) {
      // Whoever reads the whole file says what is wrong with its header.
      if (records.length === 0) return [];
      continue;
    }
    if (records.length > 0 && record.cells.length !== records[0]?.length) continue;
    records.push(record.cells.map((cell) => cell.trim()));
    if (records.length > recordsLooked) break;
  }
  return records;
}

/** Columns that look like fields which have none: by name and, where a field may be absent, by their values. */
function guessedColumns(
  { preset, filled, unused }: Columns,
  header: readonly string[],
  rows: readonly string[][],
  { map, defaults }: Source,
): ColumnMap {
  // What is known of a service's files is whole; a field that was said to have no column has what it needs.
  const isSettled = (field: LineField) =>
    filled.includes(field) ||
    map[field] !== undefined ||
    defaults[field] !== undefined ||
    (preset !== undefined && !required.includes(field));
  const once = unused.filter((name) => header.indexOf(name) === header.lastIndexOf(name));
  const guessed: ColumnMap = {};
  for (const field of lineFields.filter((each) => !isSettled(each))) {
    const taken = Object.values(guessed).flat();
    const columns = columnsLike(
      field,
      once.filter((name) => !taken.includes(name)),
    );
    if (columns.length === 0) continue;
    const { toTestimonial } = columnsOf(header, { map: { [field]: columns }, defaults: {} });
    const values = rows.map((cells) => toTestimonial(cells)[field]).filter((value) => value !== undefined);
    if (required.includes(field) || looksLike(field, values)) guessed[field] = columns;
  }
  return guessed;
}

/** Whether values are such as a field has. */
function looksLike(field: LineField, values: readonly unknown[]): boolean {
  const share = (isOne: (value: unknown) => boolean) => values.filter(isOne).length / values.length;
  const isText = (value: unknown) => typeof value === 'string';
  switch (field) {
    case 'rating':
      return share((value) => isRating(value) || isRounded(value)) > 1 / 2;
    case 'createdAt':
      return dateFormatsOf(values.filter(isText)) !== undefined;
    case 'status':
      return share((value) => statuses.some((status) => status === value)) === 1;
    case 'type':
      return share((value) => testimonialTypes.some((type) => type === value)) === 1;
    default:
      return true;
  }
}

/** How the times of lines are read, and by what else they could be. */
function datesOf(lines: readonly Record<string, unknown>[], { dateFormat }: Source): DateFormats {
  if (dateFormat !== undefined) return { format: dateFormat };
  return (
    dateFormatsOf(lines.map(({ createdAt }) => createdAt).filter((time) => typeof time === 'string')) ?? {}
  );
}
