/** Finds the first position of times in the order of creation. */
import type { CorrectedList } from './correct.ts';

// As many testimonials as one call reads.
const readsPerRound = 100;

/**
 * Returns for each time the position of the first testimonial created at that time or later; Infinity if
 * there is none.
 *
 * Each round reads the times of testimonials between the known ones. For thirteen times, a million
 * testimonials take six rounds. A position once found stays right, because reads are strongly consistent,
 * `createdAt` never changes, and it never decreases along the positions: imports into the history place their
 * lines by it.
 * @param times up to a hundred, in milliseconds since 1970
 * @param all the matches of a list of all testimonials
 */
export async function createdSince(
  times: readonly number[],
  { matches, total, firstRound }: CorrectedList,
): Promise<number[]> {
  let known = [-Infinity, Infinity].map((time) => ({ rank: time < 0 ? -1 : total, position: time, time }));
  for (;;) {
    const borders = times.map((time) => known.findIndex((each) => each.time >= time));
    const gaps = [...new Set(borders)]
      .map((i) => ({ from: known[i - 1]?.rank ?? -1, to: known[i]?.rank ?? total }))
      .filter(({ from, to }) => to - from > 1);
    const ranks = gaps.flatMap(({ from, to }) => {
      const count = Math.min(to - from - 1, Math.floor(readsPerRound / gaps.length));
      return [...Array(count).keys()].map((i) => from + Math.floor(((i + 1) * (to - from)) / (count + 1)));
    });
    const places = (await Promise.all(ranks.map((rank) => matches.select(rank, 1, 'asc')))).flat();
    const rankAt = new Map(places.map(({ number }, i) => [number, ranks[i] ?? 0]));
    const found = (await firstRound.reader.testimonials([...rankAt.keys()])).map(
      ({ ordinal, testimonial }) => {
        return { rank: rankAt.get(ordinal) ?? 0, position: ordinal, time: Date.parse(testimonial.createdAt) };
      },
    );
    // All other testimonials were erased since, or cannot be read.
    if (found.length === 0) return borders.map((i) => known[i]?.position ?? Infinity);
    known = [...known, ...found].sort((a, b) => a.rank - b.rank);
  }
}
