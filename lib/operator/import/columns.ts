/** From the columns of a CSV file to the fields of a testimonial. */
import { fuse } from '../files/formulas.ts';
import { counted } from '../terminal/formatting.ts';
import { type LineField, lineFields } from './imported-line.ts';
import { type ColumnMap, presetOf } from './presets.ts';

export interface ColumnOptions {
  /** Columns by field, as they were named; they come before those of a preset. Of none, a field stays out. */
  map: ColumnMap;
  /** Values of fields that a line does not have. */
  defaults: Partial<Record<LineField, string>>;
}

export type Columns = ReturnType<typeof columnsOf>;

/** Fields that every line needs. */
export const required: readonly LineField[] = ['content', 'author.name', 'author.email'];

// More is no header of testimonials; what looks for names in it stays quick.
const mostColumns = 1000;
const longestName = 500;

/** What stands between the cells of several columns, where one space is not it. */
const joints: Partial<Record<LineField, string>> = { content: '\n\n', tags: ',' };

/**
 * Decides by its header what the columns of a file are.
 * @throws when a column was named that the file does not have, or has more than once, or when that is no header
 */
export function columnsOf(cells: readonly string[], { map, defaults }: ColumnOptions) {
  const header = cells.map((name) => name.trim());
  refuseHuge(header);
  const preset = presetOf(header);
  const known = preset?.map ?? Object.fromEntries(lineFields.map((field) => [field, [field]]));
  const wanted: ColumnMap = { ...known, ...map };
  const absent = Object.values(map)
    .flat()
    .filter((column) => !header.includes(column));
  if (absent.length > 0) {
    throw new Error(`The file has no column ${quoted(absent)}. It has ${quoted(header)}.`);
  }
  const used = new Set(Object.values(wanted).flat());
  const twice = header.find((column, i) => used.has(column) && header.indexOf(column) !== i);
  if (twice !== undefined) {
    throw new Error(`The file has more than one column ${quoted([twice])}: give each a name of its own.`);
  }
  const places = lineFields.map((field): [LineField, number[]] => [
    field,
    (wanted[field] ?? []).map((column) => header.indexOf(column)).filter((place) => place >= 0),
  ]);
  // An export calls columns as fields are, and defuses formulas; a spreadsheet may have taken some of its columns away.
  const isOwn = (field: LineField, place: number) => !preset && header[place] === field;
  return {
    /** The service whose export it is, by its header; undefined where columns are called as fields are. */
    preset: preset?.name,
    /** Columns that nothing is made of. */
    unused: header.filter((column) => column !== '' && !used.has(column)),
    /** Fields that some column is. */
    filled: places.filter(([, columns]) => columns.length > 0).map(([field]) => field),
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
        if (value !== undefined)
          values.set(field, preset?.values?.[field]?.get(value.toLowerCase()) ?? value);
      }
      return testimonialOf(values);
    },
  };
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

function testimonialOf(values: ReadonlyMap<LineField, string>): Record<string, unknown> {
  const author: Record<string, string> = {};
  const testimonial: Record<string, unknown> = { type: 'text', author };
  for (const [field, value] of values) {
    if (field.startsWith('author.')) author[field.slice('author.'.length)] = value;
    else testimonial[field] = valueOfField(field, value);
  }
  return testimonial;
}

function valueOfField(field: LineField, value: string): unknown {
  if (field === 'tags')
    return value
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
  if (field === 'type' || field === 'status') return value.toLowerCase();
  const isNumber = field === 'rating' || field === 'updateOrdinal';
  // What is no number stays text, and is refused as such.
  return isNumber && /^\d+([.,]\d+)?$/.test(value) ? Number(value.replace(',', '.')) : value;
}
