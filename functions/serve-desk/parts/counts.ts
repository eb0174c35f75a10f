/** Numbers by status, type and rating, for the desk and the command `stats`. */

import type { Count, Counts } from '../../domain/outcomes.ts';
import { limits, statuses, testimonialTypes } from '../../domain/testimonial.ts';

type Traits = Partial<Pick<Count, 'type' | 'rating'>>;

const rows: { name: string; traits: Traits }[] = [
  ...testimonialTypes.map((type) => ({ name: type, traits: { type } })),
  ...Array.from({ length: limits.rating.max }, (_, i) => limits.rating.max - i).map((rating) => ({
    name: ratingName(rating),
    traits: { rating },
  })),
  { name: 'unrated', traits: { rating: null } },
  { name: 'all', traits: {} },
];

export function ratingName(rating: number): string {
  return rating === 1 ? '1 star' : `${rating} stars`;
}

export type CountRow = ReturnType<typeof countRow>;

/** Returns a row for each type and rating, and a last row for all testimonials. */
export function countRows(counts: Counts): CountRow[] {
  return rows.map(({ name, traits }) => countRow(name, counts, [], traits));
}

/**
 * Returns the row of the testimonials with the given type and rating. `byStatus` lists their counts in the
 * order of `statuses`.
 * @param before the counts to subtract
 */
export function countRow(name: string, counts: Counts, before: Counts = [], traits: Traits = {}) {
  const has = (each: Count) =>
    (traits.type ?? each.type) === each.type &&
    (traits.rating === undefined || traits.rating === each.rating);
  const sumOf = (counted: Counts) => counted.filter(has).reduce((sum, { count }) => sum + count, 0);
  const ofStatus = (counted: Counts, status: string) => counted.filter((each) => each.status === status);
  const byStatus = statuses.map(
    (status) => sumOf(ofStatus(counts, status)) - sumOf(ofStatus(before, status)),
  );
  return { name, byStatus, total: sumOf(counts) - sumOf(before) };
}

/**
 * Returns the average number of stars with one decimal, or an empty text if no testimonial is rated.
 * @param counts by rating, beginning with unrated
 */
export function averageStars(counts: readonly number[]): string {
  const rated = counts.slice(1);
  const total = rated.reduce((sum, count) => sum + count, 0);
  if (total === 0) return '';
  const stars = rated.reduce((sum, count, i) => sum + (i + 1) * count, 0);
  return (stars / total).toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}
