/** Finds the positions at which times begin in the order of creation. */
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { Corrected } from './correct.ts';

// As many testimonials as one call reads.
const probesPerRound = 100;

/**
 * Returns for each time the position of the first testimonial created at that time or later; Infinity if there is none.
 *
 * Searches for all times at once: each round divides what is left by a hundred, or by eight for each of twelve times, so that a
 * million testimonials take six calls. The reads are strongly consistent, `createdAt` never changes, and it never falls along the
 * positions, because imports of the past place their lines by it.
 * @param times in milliseconds since the epoch
 * @param all everything that exists, by bits
 * @param known testimonials that were read before
 */
export async function createdSince(
  times: readonly number[],
  { matches, total, read }: Corrected,
  known: readonly StoredTestimonial[],
): Promise<number[]> {
  const timeAt = new Map<number, number>();
  const note = (rows: readonly StoredTestimonial[]) => {
    for (const { ordinal, testimonial } of rows) timeAt.set(ordinal, Date.parse(testimonial.createdAt));
  };
  const positionAt = async (rank: number) => (await matches.select(rank, 1, 'asc'))[0]?.number ?? Infinity;
  note(known);
  const last = { rank: total, time: Infinity };
  let timed = [{ rank: -1, time: -Infinity }, last];
  for (;;) {
    const borders = times.map((time) => timed.find((each) => each.time >= time) ?? last);
    const gaps = [...new Set(borders)]
      .map(({ rank }) => ({ before: timed.findLast((each) => each.rank < rank)?.rank ?? -1, after: rank }))
      .filter(({ before, after }) => after - before > 1);
    const ranks = gaps.flatMap(({ before, after }) => {
      const count = Math.min(after - before - 1, Math.max(1, Math.floor(probesPerRound / gaps.length)));
      const step = (after - before) / (count + 1);
      return Array.from({ length: count }, (_, i) => before + Math.floor((i + 1) * step));
    });
    const positions = await Promise.all(ranks.map(positionAt));
    note(await read.reader.testimonials(positions.filter((position) => !timeAt.has(position))));
    const found = ranks.flatMap((rank, i) => {
      const time = timeAt.get(positions[i] ?? 0);
      return time === undefined ? [] : { rank, time };
    });
    // All others were erased since, or cannot be read.
    if (found.length === 0) return Promise.all(borders.map(({ rank }) => positionAt(rank)));
    timed = [...timed, ...found].sort((a, b) => a.rank - b.rank);
  }
}
