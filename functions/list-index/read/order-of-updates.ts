/** From the axis of creation to that of updates: the order by updatedAt of what a search found. */

import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import { everyTestimonial } from '../../domain/terms.ts';
import type { UpdateOrdinal } from '../../domain/testimonial-order.ts';
import { type Bitmap, chunkSize, type Direction } from '../bits/bitmap.ts';
import { blockSize } from '../bits/ordinal-block.ts';
import { beginOf } from '../index-store.ts';
import { facetPosting } from '../index-terms.ts';
import type { IndexReader } from './index-reader.ts';

type Numbers = Pick<StoredTestimonial, 'ordinal' | 'updateOrdinal'>;

/**
 * The ordinals at places `skip` to `skip + take` from an end of the order of updates.
 * @param matching by ordinal; what lies beside may be in it
 * @param beside what matches and lies beside
 * @param updated one more than the highest update ordinal in the postings
 * @param places how many places are expected to be enough
 */
export async function inOrderOfUpdates(
  reader: IndexReader,
  {
    matching,
    unindexed,
    updated,
  }: { matching: Bitmap; unindexed: readonly StoredTestimonial[]; updated: UpdateOrdinal },
  { skip, take, direction, places }: { skip: number; take: number; direction: Direction; places: number },
): Promise<number[]> {
  const isAscending = direction === 'asc';
  const indexed = matching.clone();
  for (const { ordinal } of unindexed) indexed.delete(ordinal);
  // The blocks from the first to before the end. Testimonials beside can have places below and above all that were indexed.
  const first = beginOf(reader.head, 'updatedAt') / blockSize;
  // A rebuild of what was all erased has no update at all.
  const end = Math.max(first, Math.floor(updated / blockSize)) + 1;
  const unindexedIn = Map.groupBy(unindexed, ({ updateOrdinal }) =>
    Math.min(Math.max(first, Math.floor(updateOrdinal / blockSize)), end - 1),
  );

  const found: number[] = [];
  let toSkip = skip;
  let next = Math.max(1, Math.ceil(places / blockSize));
  // Each read is of at least one block: also where no update has a place yet.
  for (let read = 0; read < end - first && found.length < take; next *= 2) {
    const last = Math.min(next, end - first);
    const [from, to] = isAscending ? [first + read, first + last] : [end - last, end - read];
    const placesIn = await readPlaces(reader, indexed, from, to);
    for (let i = 0; i < to - from && found.length < take; i += 1) {
      const number = isAscending ? from + i : to - 1 - i;
      const here = [...placesIn(number), ...(unindexedIn.get(number) ?? [])].sort(
        (a, b) => (isAscending ? 1 : -1) * (a.updateOrdinal - b.updateOrdinal),
      );
      found.push(...here.slice(toSkip, toSkip + take - found.length).map(({ ordinal }) => ordinal));
      toSkip = Math.max(0, toSkip - here.length);
    }
    read = last;
  }
  return found;
}

/**
 * Reads the blocks from one to before another.
 * @returns a function from a block's number to the places in it that one of these testimonials has today
 */
async function readPlaces(
  reader: IndexReader,
  ordinals: Bitmap,
  from: number,
  to: number,
): Promise<(block: number) => Numbers[]> {
  const [blocks, current] = await Promise.all([
    reader.blocksBetween(from, to - 1),
    // A place is a testimonial's for ever; these are where one is now.
    reader.chunksBetween(
      facetPosting('updatedAt', everyTestimonial),
      Math.floor((from * blockSize) / chunkSize),
      Math.floor((to * blockSize - 1) / chunkSize),
    ),
  ]);
  return (number) => {
    const numbers: Numbers[] = [];
    for (const [i, ordinal] of (blocks.get(number) ?? []).entries()) {
      const updateOrdinal = number * blockSize + i;
      if (ordinals.has(ordinal) && current.has(updateOrdinal)) numbers.push({ ordinal, updateOrdinal });
    }
    return numbers;
  };
}

/** The ordinals that some places in the order of updates have, as far as they are known. */
export async function ordinalsAt(
  reader: IndexReader,
  updateOrdinals: readonly UpdateOrdinal[],
): Promise<Map<number, number>> {
  const numbers = [...new Set(updateOrdinals.map((each) => Math.floor(each / blockSize)))];
  const found = await reader.blocks(numbers);
  const blocks = new Map(numbers.map((number, i) => [number, found[i]]));
  return new Map(
    updateOrdinals.flatMap((each) => {
      const ordinal = blocks.get(Math.floor(each / blockSize))?.[each % blockSize] ?? 0;
      return ordinal > 0 ? [[each, ordinal] as const] : [];
    }),
  );
}
