/** Finds the rows of a page among walked rows. */
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { Bitmap } from './bitmap.ts';

export interface Merge {
  matching: Bitmap;
  /** What matches beside the index, in the order of the walk. */
  beside: StoredTestimonial[];
  compare: (a: StoredTestimonial, b: StoredTestimonial) => number;
  skip: number;
  take: number;
}

/** Merges walked rows that are in the bitmap with those beside the index, and stops when the page is full. */
export async function pageOfWalk(
  walked: AsyncIterable<StoredTestimonial[]>,
  { matching, beside, compare, skip, take }: Merge,
): Promise<StoredTestimonial[]> {
  const page: StoredTestimonial[] = [];
  let place = 0;
  const put = (stored: StoredTestimonial) => {
    if (place >= skip && page.length < take) page.push(stored);
    place += 1;
  };
  let nextBeside = 0;
  // A row that is changed during the walk can come twice.
  const seen = new Set<number>();
  for await (const rows of walked) {
    for (const row of rows) {
      // What is beside comes before any later row also where this one is left out, as a row of the tail is.
      for (let next = beside[nextBeside]; next && compare(next, row) <= 0; next = beside[nextBeside]) {
        put(next);
        nextBeside += 1;
      }
      if (!matching.has(row.ordinal) || seen.has(row.ordinal)) continue;
      seen.add(row.ordinal);
      put(row);
    }
    if (page.length === take) return page;
  }
  for (const rest of beside.slice(nextBeside)) put(rest);
  return page;
}
