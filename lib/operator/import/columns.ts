/** From the columns of a CSV file to the fields of a testimonial. */
import { fuse } from '../files/formulas.ts';
import { counted } from '../terminal/formatting.ts';
import { toldColumns } from './field-cells.ts';
import { fieldValue, tagSeparatorOf, textOfHtml } from './field-values.ts';
import { type LineField, lineFields } from './imported-line.ts';

/** For each field the columns that it is made of; of several, those that are not blank, one after another. */
export type ColumnMap = Partial<Record<LineField, readonly string[]>>;

export interface ColumnOptions {
  /** Columns by field, as they were named. Of none, a field stays out. */
  map: ColumnMap;
  /** Values of fields that a line does not have. */
  defaults: Partial<Record<LineField, string>>;
  /** Tags and entities of HTML stay as they stand. */
  keepHtml?: boolean;
}

export type Columns = ReturnType<typeof columnsOf>;

type Rows = readonly (readonly string[])[];

/** Fields that every line needs. */
export const required: readonly LineField[] = ['content', 'author.name', 'author.email'];

// More is no header of testimonials; what looks for names in it stays quick.
const mostColumns = 1000;
const longestName = 500;
const valuesTold = 3;

/** What stands between the cells of several columns, where one space is not it. */
const joints: Partial<Record<LineField, string>> = { content: '\n\n', tags: ',' };

/** Texts that people wrote, which tools export as they show them. */
const texts: readonly LineField[] = ['content', 'author.name', 'author.company', 'tags'];

/**
 * Decides by its header what the columns of a file are.
 * @param rows below it: what they have that nothing is made of is told
 * @throws when a column was named that the file does not have, or has more than once, or when that is no header
 */
export function columnsOf(
  cells: readonly string[],
  { map, defaults, keepHtml = false }: ColumnOptions,
  rows: Rows = [],
) {
  const header = cells.map((name) => name.trim());
  refuseHuge(header);
  const own = Object.fromEntries(lineFields.map((field) => [field, [field]]));
  const wanted: ColumnMap = { ...own, ...map };
  const used = new Set(Object.values(wanted).flat());
  refuseUnclear(header, map, used);
  const places = lineFields.map((field): [LineField, number[]] => [
    field,
    (wanted[field] ?? []).map((column) => header.indexOf(column)).filter((place) => place >= 0),
  ]);
  // An export calls columns as fields are, and defuses formulas; a spreadsheet may have taken some of its columns away.
  const isOwn = (field: LineField, place: number) => header[place] === field;
  const isGuessed = !isExport(header);
  const isHtml = !keepHtml && isGuessed;
  const [tagPlace, ...otherTags] = places.find(([field]) => field === 'tags')?.[1] ?? [];
  const isOneTagColumn = tagPlace !== undefined && otherTags.length === 0;
  const tagSeparator =
    isOneTagColumn && isGuessed ? tagSeparatorOf(rows.map((row) => row[tagPlace] ?? '')) : ',';
  let htmlLines = 0;
  return {
    header,
    /** The columns of each field that has some. */
    map: Object.fromEntries(
      places.map(([field, columns]) => [field, columns.map((place) => header[place] ?? '')]),
    ),
    unused: unusedIn(header, used, rows),
    /** Lines so far whose HTML was turned into text. */
    htmlLines: () => htmlLines,
    /** Fields that every line needs, and none has. */
    missing: places
      .filter(([field, columns]) => columns.length === 0 && defaults[field] === undefined)
      .map(([field]) => field)
      .filter((field) => required.includes(field)),
    /** @param line its cells, in the order of the header */
    toTestimonial(line: readonly string[]): Record<string, unknown> {
      const values = new Map<LineField, string>();
      for (const [field, columns] of places) {
        const found = columns
          .map((place) => (isOwn(field, place) ? fuse(line[place] ?? '') : (line[place] ?? '')).trim())
          .filter((cell) => cell !== '');
        const value = found.length > 0 ? found.join(joints[field] ?? ' ') : defaults[field];
        if (value !== undefined) values.set(field, value);
      }
      if (isHtml && makePlain(values)) htmlLines += 1;
      return testimonialOf(values, tagSeparator);
    },
  };
}

/** @throws when a column was named that the header does not have, or one is used that it has more than once */
function refuseUnclear(header: readonly string[], map: ColumnMap, used: ReadonlySet<string>): void {
  const absent = Object.values(map)
    .flat()
    .filter((column) => !header.includes(column));
  if (absent.length > 0)
    throw new Error(`The file has no column ${quoted(absent)}. It has ${quoted(header)}.`);
  const twice = header.find((column, i) => used.has(column) && header.indexOf(column) !== i);
  if (twice !== undefined)
    throw new Error(`The file has more than one column ${quoted([twice])}: give each a name of its own.`);
}

/** Columns that nothing is made of, with the first values that they have. */
function unusedIn(header: readonly string[], used: ReadonlySet<string>, rows: Rows) {
  return header.flatMap((name, place) => {
    if (used.has(name) || toldColumns.includes(name)) return [];
    const values = new Set(rows.map((row) => row[place] ?? '').filter((cell) => cell !== ''));
    const column = name || `column ${place + 1}`;
    return name === '' && values.size === 0 ? [] : [{ column, values: [...values].slice(0, valuesTold) }];
  });
}

/** Turns HTML into text; returns whether there was any. */
function makePlain(values: Map<LineField, string>): boolean {
  let hasHtml = false;
  for (const field of texts) {
    const value = values.get(field) ?? '';
    const text = textOfHtml(value);
    if (text === value) continue;
    hasHtml = true;
    values.set(field, text);
  }
  return hasHtml;
}

/** Whether a header is that of an export of this service, whose texts are as people wrote them. */
export function isExport(header: readonly string[]): boolean {
  return header.includes('author.name');
}

function refuseHuge(header: readonly string[]): void {
  if (header.length > mostColumns)
    throw new Error(
      `The header of the file has ${counted(header.length, 'column')}, and ${mostColumns.toLocaleString('en')} are the most.`,
    );
  const long = header.findIndex((name) => name.length > longestName);
  if (long >= 0)
    throw new Error(`The name of column ${long + 1} in the header is longer than ${longestName} characters.`);
}

/** Names between quotes, in which nothing of them does something to a terminal. */
function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}

function testimonialOf(
  values: ReadonlyMap<LineField, string>,
  tagSeparator: string,
): Record<string, unknown> {
  const author: Record<string, string> = {};
  const testimonial: Record<string, unknown> = { type: 'text', author };
  for (const [field, value] of values) {
    if (field.startsWith('author.')) author[field.slice('author.'.length)] = value;
    else testimonial[field] = fieldValue(field, value, tagSeparator);
  }
  return testimonial;
}
