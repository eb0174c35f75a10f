/** Maps the columns of a spreadsheet to the fields of a testimonial. */
import { fuse } from './csv.ts';
import { fieldValue, tagSeparatorOf, textOfHtml } from './field-values.ts';
import { type LineField, lineFields, reasonColumns } from './imported-line.ts';

/** Column names by field. Several columns are joined in their order; an empty list leaves the field out. */
export type ColumnMap = Partial<Record<LineField, readonly string[]>>;

export interface ColumnOptions {
  /** Columns that someone chose; other fields use the column with the name of the field. */
  map: ColumnMap;
  /** Values for lines without one. */
  defaults: Partial<Record<LineField, string>>;
  /** Keep HTML tags and entities in texts. */
  keepHtml?: boolean;
}

export type Columns = ReturnType<typeof columnsOf>;

type Rows = readonly (readonly string[])[];

/** Fields that every line needs. */
export const required: readonly LineField[] = ['content', 'author.name', 'author.email'];

// Longer headers belong to other data. The limits keep the search for names fast.
const maxColumns = 1000;
const maxNameLength = 500;
const unusedValuesShown = 3;

/** Separators of joined columns; one space for all other fields. */
const joints: Partial<Record<LineField, string>> = { content: '\n\n', tags: ',' };

/** Fields that tools may export as HTML. */
const texts: readonly LineField[] = ['content', 'author.name', 'author.company', 'tags'];

/**
 * Assigns the columns of a header to fields.
 * @param rows below the header, to show the values of unused columns
 * @throws when a chosen column is missing or appears twice, or the header is too large
 */
export function columnsOf(
  cells: readonly string[],
  { map, defaults, keepHtml = false }: ColumnOptions,
  rows: Rows = [],
) {
  const header = cells.map((name) => name.trim());
  const columnMap: ColumnMap = { ...Object.fromEntries(lineFields.map((field) => [field, [field]])), ...map };
  const used = new Set(Object.values(columnMap).flat());
  checkHeader(header, map, used);
  const indexesOf = (columns: readonly string[] = []) =>
    columns.map((column) => header.indexOf(column)).filter((index) => index >= 0);
  const indexes = new Map(lineFields.map((field) => [field, indexesOf(columnMap[field])]));
  // A column named after a field comes from an export of this service, whose formulas are defused.
  const isExported = (field: LineField, index: number) => header[index] === field;
  const isExport = header.includes('author.name');
  const [tags, ...otherTags] = indexes.get('tags') ?? [];
  const hasOneList = tags !== undefined && otherTags.length === 0 && !isExport;
  const tagSeparator = hasOneList ? tagSeparatorOf(rows.map((row) => row[tags] ?? '')) : ',';
  const mayBeHtml = (field: LineField) => !keepHtml && !isExport && texts.includes(field);
  let htmlLines = 0;
  return {
    header,
    /** True if this service exported the file. */
    isExport,
    /** Column names by field. */
    map: Object.fromEntries(
      Array.from(indexes, ([field, columns]) => [field, columns.map((i) => header[i] ?? '')]),
    ),
    unused: unusedIn(header, used, rows),
    /** Returns the number of lines converted from HTML so far. */
    htmlLines: () => htmlLines,
    /** Required fields with neither a column nor a default. */
    missing: required.filter((field) => !indexes.get(field)?.length && defaults[field] === undefined),
    /** @param line cells in the order of the header */
    toTestimonial(line: readonly string[]): Record<string, unknown> {
      const values = new Map<LineField, string>();
      let hasHtml = false;
      for (const [field, columns] of indexes) {
        const filled = columns
          .map((index) => (isExported(field, index) ? fuse(line[index] ?? '') : (line[index] ?? '')).trim())
          .filter((cell) => cell !== '');
        const value = filled.length > 0 ? filled.join(joints[field] ?? ' ') : defaults[field];
        if (value === undefined) continue;
        const text = mayBeHtml(field) ? textOfHtml(value) : value;
        hasHtml ||= text !== value;
        values.set(field, text);
      }
      if (hasHtml) htmlLines += 1;
      return testimonialOf(values, tagSeparator);
    },
  };
}

function checkHeader(header: readonly string[], map: ColumnMap, used: ReadonlySet<string>): void {
  if (header.length > maxColumns || header.some((name) => name.length > maxNameLength))
    throw new Error(
      `The header of the file has more than ${maxColumns} columns, or a name with more than ${maxNameLength} characters.`,
    );
  const absent = Object.values(map)
    .flat()
    .filter((column) => !header.includes(column));
  if (absent.length > 0)
    throw new Error(`The file has no column ${quoted(absent)}. Its columns: ${quoted(header)}.`);
  const twice = header.find((column, i) => used.has(column) && header.indexOf(column) !== i);
  if (twice !== undefined)
    throw new Error(`The file has more than one column ${quoted([twice])}. Rename all but one.`);
}

/** Returns the columns that no field uses, with their first values. */
function unusedIn(header: readonly string[], used: ReadonlySet<string>, rows: Rows) {
  return header.flatMap((name, index) => {
    if (used.has(name) || reasonColumns.includes(name)) return [];
    const values = new Set(rows.map((row) => row[index] ?? '').filter((cell) => cell !== ''));
    if (name === '' && values.size === 0) return [];
    return [{ column: name || `column ${index + 1}`, values: [...values].slice(0, unusedValuesShown) }];
  });
}

/** Quotes names so that no control character reaches the terminal. */
function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}

function testimonialOf(
  values: ReadonlyMap<LineField, string>,
  tagSeparator: string,
): Record<string, unknown> {
  const testimonial: Record<string, unknown> = { type: 'text', author: {} };
  for (const [field, value] of values) {
    const [outer = '', inner] = field.split('.');
    testimonial[outer] =
      inner === undefined
        ? fieldValue(field, value, tagSeparator)
        : { ...Object(testimonial[outer]), [inner]: value };
  }
  return testimonial;
}
