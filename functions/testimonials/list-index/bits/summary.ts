/**
 * Counts the testimonials of a chunk for each combination of status, type and rating. These counts give the
 * total of any list that filters by them. Sums of 64 chunks are also stored, so that counting a hundred
 * million testimonials costs as little as counting a million.
 */
import { ratingTerm, statusTerm, typeTerm } from '../../../domain/terms.ts';
import { limits, statuses, type Testimonial, testimonialTypes } from '../../../domain/testimonial.ts';
import { type ChunkBits, countBits, emptyChunk } from './bitmap.ts';
import { appendVarint, forEachVarint } from './posting-codec.ts';

/** The number of chunks in a sum. */
export const chunksTogether = 64;

const byStatus = statuses.map(statusTerm);
const byType = testimonialTypes.map(typeTerm);
const byRating = Array.from({ length: limits.rating.max + 1 }, (_, rating) => ratingTerm(rating));

/** The terms by which a summary counts. */
export const summaryTerms = [...byStatus, ...byType, ...byRating];

/** The three terms of each count of a summary, in order. */
export const cells: readonly (readonly [string, string, string])[] = byStatus.flatMap((status) =>
  byType.flatMap((type) => byRating.map((rating) => [status, type, rating] as const)),
);

/** The status, type and rating of each count of a summary, in order. A rating of null means unrated. */
export const traitsOfCells = statuses.flatMap((status) =>
  testimonialTypes.flatMap((type) =>
    byRating.map((_, rating) => ({ status, type, rating: rating === 0 ? null : rating })),
  ),
);

/** Returns the cell that counts a testimonial. */
export function cellOf({ status, type, rating = 0 }: Testimonial): number {
  return (
    (statuses.indexOf(status) * byType.length + testimonialTypes.indexOf(type)) * byRating.length + rating
  );
}

/** One count for each cell. */
export type Summary = number[];

export function summaryOf(bitsOf: (term: string) => ChunkBits): Summary {
  const ofBoth = emptyChunk();
  const ofAll = emptyChunk();
  return byStatus.flatMap((status) =>
    byType.flatMap((type) => {
      intersect(bitsOf(status), bitsOf(type), ofBoth);
      if (countBits(ofBoth) === 0) return byRating.map(() => 0);
      return byRating.map((rating) => countBits(intersect(ofBoth, bitsOf(rating), ofAll)));
    }),
  );
}

function intersect(a: ChunkBits, b: ChunkBits, into: ChunkBits): ChunkBits {
  for (let i = 0; i < into.length; i += 1) into[i] = (a[i] ?? 0) & (b[i] ?? 0);
  return into;
}

export function sumOf(summaries: readonly Summary[]): Summary {
  return cells.map((_, i) => summaries.reduce((sum, summary) => sum + (summary[i] ?? 0), 0));
}

export function encodeSummary(summary: Summary): Uint8Array {
  const bytes: number[] = [];
  for (const count of summary) appendVarint(bytes, count);
  return Uint8Array.from(bytes);
}

export function decodeSummary(bytes: Uint8Array): Summary {
  const summary: Summary = [];
  forEachVarint(bytes, (count) => summary.push(count));
  return summary;
}
