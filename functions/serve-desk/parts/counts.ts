/** Numbers by status, type and rating, for the desk and the command `stats`. */
import { ratingTerm, statusTerm, typeTerm } from '../../domain/terms.ts';
import { limits, statuses, testimonialTypes } from '../../domain/testimonial.ts';
import { cells, type Summary } from '../../list-index/bits/summary.ts';

export type CountRow = ReturnType<typeof countRows>[number];

const rows = [
  ...testimonialTypes.map((type) => ({ name: type as string, terms: [typeTerm(type)] })),
  ...Array.from({ length: limits.rating.max }, (_, i) => limits.rating.max - i).map((rating) => ({
    name: rating === 1 ? '1 star' : `${rating} stars`,
    terms: [ratingTerm(rating)],
  })),
  { name: 'unrated', terms: [ratingTerm(0)] },
  { name: 'all', terms: [] },
];

/**
 * Returns a row for each type and rating, and a last one for all testimonials.
 * `byStatus` lists the counts in the order of `statuses`.
 */
export function countRows(counts: Summary) {
  const count = (...terms: string[]) =>
    cells.reduce((sum, cell, i) => {
      const cellTerms: string[] = [...cell];
      return terms.every((term) => cellTerms.includes(term)) ? sum + (counts[i] ?? 0) : sum;
    }, 0);
  return rows.map(({ name, terms }) => ({
    name,
    byStatus: statuses.map((status) => count(...terms, statusTerm(status))),
    total: count(...terms),
  }));
}
