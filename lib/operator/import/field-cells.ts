/** Testimonials as lines of a CSV file, as exports and files of refused lines have them, and imports find them again. */
import { stringify } from 'csv-stringify/sync';
import { defuse } from '../files/formulas.ts';
import type { LineField } from './imported-line.ts';

/** Columns in a file of refused lines that say why. */
export const toldColumns: readonly string[] = ['rejected row', 'rejected because', 'rejected text'];

/** Lines of CSV; what a spreadsheet would run as a formula is defused. */
export function csvText(lines: readonly (readonly string[])[], separator = ','): string {
  // Quoted, all of them: some readers guess by what cells are separated, and not all take the same line ends.
  return stringify(
    lines.map((cells) => cells.map(defuse)),
    { record_delimiter: 'windows', quoted: true, delimiter: separator },
  );
}

/** The cells of some fields; blank where the members of a testimonial, whatever they are, have none. */
export function cellsOf(members: Record<string, unknown>, fields: readonly LineField[]): string[] {
  return fields.map((field) => {
    const [first = '', second] = field.split('.');
    const outer = members[first];
    const value =
      second === undefined ? outer : Object.entries(outer ?? {}).find(([name]) => name === second)?.[1];
    return Array.isArray(value) ? value.join(',') : String(value ?? '');
  });
}
