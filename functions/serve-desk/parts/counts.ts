/** Numbers by status, type and rating, for the desk and the command `stats`. */
import { ratingTerm, statusTerm, typeTerm } from '../../domain/terms.ts';
import { limits, statuses, testimonialTypes } from '../../domain/testimonial.ts';
import { cells, type Summary } from '../../list-index/bits/summary.ts';

const rows = [
  ...testimonialTypes.map((type) => ({ name: type as string, terms: [typeTerm(type)] })),
  ...Array.from({ length: limits.rating.max }, (_, i) => limits.rating.max - i).map((rating) => ({
    name: ratingName(rating),
    terms: [ratingTerm(rating)],
  })),
  { name: 'unrated', terms: [ratingTerm(0)] },
  { name: 'all', terms: [] },
];

export function ratingName(rating: number): string {
  return rating === 1 ? '1 star' : `${rating} stars`;
}

export type CountRow = ReturnType<typeof countRow>;

/** Returns a row for each type and rating, and a last one for all testimonials. */
export function countRows(counts: Summary): CountRow[] {
  return rows.map(({ name, terms }) => countRow(name, counts, [], terms));
}

/**
 * Returns the row of the testimonials with all of the given terms. `byStatus` lists their counts in the order of `statuses`.
 * @param before counts to subtract
 */
export function countRow(name: string, counts: Summary, before: Summary = [], terms: string[] = []) {
  const count = (...wanted: string[]) =>
    cells.reduce((sum, cell, i) => {
      const has = wanted.every((term) => cell.some((each) => each === term));
      return has ? sum + (counts[i] ?? 0) - (before[i] ?? 0) : sum;
    }, 0);
  const byStatus = statuses.map((status) => count(...terms, statusTerm(status)));
  return { name, byStatus, total: count(...terms) };
}
