/** From the columns of a CSV file to the fields of a testimonial. */
import { fuse } from '../export/formulas.ts';
import { type LineField, lineFields } from './imported-line.ts';
import { type ColumnMap, presetOf } from './presets.ts';

export interface ColumnOptions {
  /** Columns by field, as they were named; they come before those of a preset. */
  map: ColumnMap;
  /** Values of fields that a line does not have. */
  defaults: Partial<Record<LineField, string>>;
}

export interface Columns {
  /** The name of the preset that the header chose. */
  preset: string | undefined;
  /** Columns that nothing is made of. */
  unused: string[];
  toTestimonial: (cells: Record<string, string>) => Record<string, unknown>;
}

/**
 * Decides by its header what the columns of a file are.
 * @throws when a column was named that the file does not have
 */
export function columnsOf(header: readonly string[], { map, defaults }: ColumnOptions): Columns {
  const absent = Object.values(map)
    .flat()
    .filter((column) => !header.includes(column));
  if (absent.length > 0) {
    throw new Error(`The file has no column ${absent.join(', ')}: it has ${header.join(', ')}.`);
  }
  const preset = presetOf(header);
  const own = Object.fromEntries(
    lineFields.filter((field) => header.includes(field)).map((field) => [field, [field]]),
  );
  const all: ColumnMap = { ...own, ...preset?.map, ...map };
  const used = new Set(Object.values(all).flat());
  return {
    preset: preset?.name,
    unused: header.filter((column) => !used.has(column)),
    toTestimonial(raw) {
      const cells = preset?.isDefused
        ? Object.fromEntries(Object.entries(raw).map(([column, cell]) => [column, fuse(cell)]))
        : raw;
      const values = new Map<LineField, string>();
      for (const field of lineFields) {
        const found = (all[field] ?? [])
          .map((column) => cells[column]?.trim() ?? '')
          .filter((cell) => cell !== '');
        const value = found.length > 0 ? found.join('\n\n') : defaults[field];
        if (value !== undefined) values.set(field, preset?.values?.[field]?.[value.toLowerCase()] ?? value);
      }
      return testimonialOf(values);
    },
  };
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
  const isNumber = field === 'rating' || field === 'updateOrdinal';
  // What is no number stays text, and is refused as such.
  return isNumber && !Number.isNaN(Number(value)) ? Number(value) : value;
}
