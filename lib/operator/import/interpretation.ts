/** Opening a file, and proposing how a table is read that is not told enough of: what its columns are, and how its values are written. */
import type { WholeFile } from '../files/whole-file.ts';
import type { FileSource, ImportOptions, Interpretation } from './check-file.ts';
import { columnsLike } from './column-names.ts';
import { type ColumnMap, type Columns, columnsOf, isExport, required } from './columns.ts';
import { shareLike } from './field-values.ts';
import { isRounded, type LineField, lineFields } from './imported-line.ts';
import { contentOf, type Spreadsheet } from './spreadsheet.ts';
import { dateFormatsOf, share } from './times.ts';

export interface Proposal {
  /** The columns of the file. */
  header: readonly string[];
  /** Fields that every line needs, and nothing is: somebody has to name their columns. */
  nameless: LineField[];
  /** Fields that no column is, and a value stands for. */
  placed: LineField[];
  /** Columns that are called as a field is, and have too much else to be guessed. */
  unlike: { field: LineField; column: string }[];
  /** The whole reading. */
  reading: Interpretation;
  /** What times can be read by as well, where day and month cannot be told apart. */
  otherDateFormat?: string;
}

// What lines get that need one, and have none.
const placeholders: Partial<Record<LineField, string>> = {
  'author.name': 'Anonymous',
  'author.email': 'unknown@example.com',
};

// What every line needs is asked for where it is wrong: it is taken for less.
const leastShare: Partial<Record<LineField, number>> = {
  content: 1 / 2,
  'author.name': 1 / 2,
  'author.email': Number.MIN_VALUE,
};

/** A file that is read as it was told, and otherwise as it is proposed. */
export type ProposedSource = FileSource & { proposal?: Proposal };

/** @throws when a file is empty or not what its format says, or a column was named that it does not have, or has more than once */
export async function sourceOf(
  options: ImportOptions,
  { bytes, hash, written }: WholeFile,
): Promise<ProposedSource> {
  const content = await contentOf(bytes, options.format, options.file);
  // An export of nothing is NDJSON without a line.
  if (content.table?.header.length === 0) throw new Error(`${options.file} is empty: nothing is imported.`);
  const source = { ...options, hash, day: written.toISOString().slice(0, 10), ...content };
  const proposal = proposeReading(source);
  return proposal ? { ...source, ...proposal.reading, proposal } : source;
}

/**
 * Looks at the first rows of a table.
 * @returns undefined where the file is none, or is read well as it is told
 */
export function proposeReading(source: FileSource): Proposal | undefined {
  const { table } = source;
  if (!table) return undefined;
  const { header, rows } = table;
  const columns = columnsOf(header, source);
  const { guessed, unlike } = guessedColumns(columns, table, source);
  const unknown = columns.missing.filter((field) => !guessed[field]);
  const nameless = unknown.filter((field) => placeholders[field] === undefined);
  const placed = unknown.filter((field) => placeholders[field] !== undefined);
  const map = { ...source.map, ...guessed };
  const values = placed.map((field) => [field, placeholders[field]]);
  const defaults = { ...source.defaults, ...Object.fromEntries(values) };
  const { toTestimonial } = columnsOf(header, { map, defaults });
  const lines = rows.map(toTestimonial);
  const times = lines.map(({ createdAt }) => createdAt).filter((time) => typeof time === 'string');
  const { format: dateFormat = source.dateFormat, other: otherDateFormat } =
    (source.dateFormat === undefined ? dateFormatsOf(times, source.day) : undefined) ?? {};
  const { keepHtml = false, roundRatings: areRounded = false } = source;
  const roundRatings = areRounded || lines.some(({ rating }) => isRounded(rating));
  const isTold = columns.missing.length === 0 && Object.keys(guessed).length === 0;
  if (isTold && dateFormat === source.dateFormat && roundRatings === areRounded) return undefined;
  const reading = { map, defaults, roundRatings, keepHtml, ...(dateFormat !== undefined && { dateFormat }) };
  const other = otherDateFormat !== undefined && { otherDateFormat };
  return { header, nameless, placed, unlike, reading, ...other };
}

/**
 * Columns that look like fields which were not named, by their name and by what they have; none for a field whose own column has
 * something else.
 */
function guessedColumns(
  { map: told, unused }: Columns,
  { header, rows }: Spreadsheet,
  { map, day }: FileSource,
): { guessed: ColumnMap; unlike: Proposal['unlike'] } {
  const cellsOf = (column: string) =>
    rows.map((row) => row[header.indexOf(column)] ?? '').filter((cell) => cell !== '');
  const looksLike = (field: LineField, columns: readonly string[]) => {
    const cells = cellsOf(columns.at(-1) ?? '');
    if (cells.length === 0) return required.includes(field);
    return field === 'createdAt'
      ? dateFormatsOf(cells, day) !== undefined
      : shareLike(field, cells) >= (leastShare[field] ?? share);
  };
  const once = unused
    .map(({ column }) => column)
    .filter((name) => header.indexOf(name) === header.lastIndexOf(name));
  const guessed: ColumnMap = {};
  const unlike: Proposal['unlike'] = [];
  for (const field of lineFields.filter((each) => map[each] === undefined)) {
    const known = told[field] ?? [];
    if (known.length > 0) {
      const isOther = !required.includes(field) && !isExport(header) && cellsOf(known[0] ?? '').length > 0;
      if (isOther && !looksLike(field, known)) guessed[field] = [];
      continue;
    }
    const taken = Object.values(guessed).flat();
    const free = once.filter((name) => !taken.includes(name));
    const called = columnsLike(field, free, { ...told, ...map, ...guessed });
    const found = called.find((columns) => looksLike(field, columns));
    const [column] = called.flat();
    if (found) guessed[field] = found;
    else if (column !== undefined && cellsOf(column).length > 0) unlike.push({ field, column });
  }
  return { guessed, unlike: unlike.filter(({ column }) => !Object.values(guessed).flat().includes(column)) };
}
