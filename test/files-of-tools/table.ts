/** A table of people and their reviews, to which a test adds the columns that it needs. */
import { stringify } from 'csv-stringify/sync';

export const people = ['Ida Berg', 'Jon Roe', 'Kim Doe', 'Lea Foe'];
export const texts = [
  'Love this mug, it keeps tea hot.',
  'Handle broke after a week.',
  'Solid mug, a bit small.',
  'Well packed, and a good price.',
];

/**
 * Returns CSV with a row for each cell of the longest column. Columns with the headings name, email and text
 * replace those of the table, and without cells they are left out.
 */
export function tableWith(columns: Record<string, readonly string[]>): string {
  const count = Math.max(...Object.values(columns).map(({ length }) => length));
  const all = { name: people, email: people.map((_, i) => `p${i}@example.org`), text: texts, ...columns };
  const shown = Object.entries(all).filter(([, cells]) => cells.length > 0);
  const rows = Array.from({ length: count }, (_, i) => shown.map(([, cells]) => cells[i] ?? ''));
  return stringify([shown.map(([heading]) => heading), ...rows]);
}
