/** From the axis of creation to that of updates: the order by updatedAt of what a search found. */
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import { everyTestimonial } from '../domain/terms.ts';
import { type Bitmap, chunkSize, type Direction } from './bitmap.ts';
import { union } from './by-bits.ts';
import type { IndexHead, IndexStore } from './index-store.ts';
import { ordinalsTerm } from './index-terms.ts';
import { blockSize, decodeBlock } from './ordinal-block.ts';

export interface IndexOf {
  index: IndexStore;
  organization: string;
  head: IndexHead;
}

// Blocks that are read at once: at two bytes a place, half of what one read takes.
const blocksARead = 128;

/**
 * The ordinals at places `skip` to `skip + take` from an end of the order of updates.
 * @param matching by ordinal; what lies beside may be in it
 * @param beside what matches and lies beside
 * @param places how many places are expected to be enough
 */
export async function inOrderOfUpdates(
  source: IndexOf,
  { matching, beside }: { matching: Bitmap; beside: readonly StoredTestimonial[] },
  { skip, take, direction, places }: { skip: number; take: number; direction: Direction; places: number },
): Promise<number[]> {
  const sign = direction === 'asc' ? 1 : -1;
  const blocks = Math.floor(source.head.updated / blockSize) + 1;
  const indexed = matching.clone();
  for (const { ordinal } of beside) indexed.delete(ordinal);
  const found: Pick<StoredTestimonial, 'ordinal' | 'updateOrdinal'>[] = [];
  let read = 0;
  for (let next = Math.ceil(places / blockSize); ; next *= 2) {
    const last = Math.min(next, blocks);
    const [from, to] = direction === 'asc' ? [read, last] : [blocks - last, blocks - read];
    found.push(...(await readPlaces(source, indexed, from, to)));
    read = last;
    const isRead = ({ updateOrdinal }: StoredTestimonial) => {
      const block = Math.floor(updateOrdinal / blockSize);
      return read === blocks || (direction === 'asc' ? block < read : block >= blocks - read);
    };
    const known = [...found, ...beside.filter(isRead)];
    if (read === blocks || known.length >= skip + take) {
      return known
        .sort((a, b) => sign * (a.updateOrdinal - b.updateOrdinal))
        .slice(skip, skip + take)
        .map(({ ordinal }) => ordinal);
    }
  }
}

/** The places of some testimonials, as far as they are in the blocks from one to before another. */
async function readPlaces(
  { index, organization, head: { generation } }: IndexOf,
  ordinals: Bitmap,
  from: number,
  to: number,
): Promise<Pick<StoredTestimonial, 'ordinal' | 'updateOrdinal'>[]> {
  const begins = Array.from(
    { length: Math.ceil((to - from) / blocksARead) },
    (_, i) => from + i * blocksARead,
  );
  const [blocks, current] = await Promise.all([
    Promise.all(
      begins.map((begin) =>
        index.readTerm(organization, generation, ordinalsTerm, {
          from: begin,
          to: Math.min(to, begin + blocksARead) - 1,
        }),
      ),
    ),
    // A place is a testimonial's for ever; these are where one is now.
    index
      .readTerm(
        organization,
        generation,
        { axis: 'updatedAt', term: everyTestimonial },
        {
          from: Math.floor((from * blockSize) / chunkSize),
          to: Math.floor((to * blockSize - 1) / chunkSize),
        },
      )
      .then(union),
  ]);
  return blocks.flat().flatMap(({ chunk: number, bytes }) => {
    const first = number * blockSize;
    const found: Pick<StoredTestimonial, 'ordinal' | 'updateOrdinal'>[] = [];
    for (const [i, ordinal] of decodeBlock(bytes, number).entries()) {
      const updateOrdinal = first + i;
      if (ordinals.has(ordinal) && current.has(updateOrdinal)) found.push({ ordinal, updateOrdinal });
    }
    return found;
  });
}

/** The ordinals that some places in the order of updates have, as far as they are known. */
export async function ordinalsAt(
  { index, organization, head: { generation } }: IndexOf,
  updateOrdinals: readonly number[],
): Promise<Map<number, number>> {
  const numbers = [...new Set(updateOrdinals.map((each) => Math.floor(each / blockSize)))];
  const refs = numbers.map((chunk) => ({ posting: ordinalsTerm, chunk }));
  const postings = await index.readPostings(organization, generation, refs);
  const blocks = new Map(
    numbers.map((number, i) => {
      const posting = postings[i];
      return [number, posting && decodeBlock(posting.bytes, number)];
    }),
  );
  return new Map(
    updateOrdinals.flatMap((each) => {
      const ordinal = blocks.get(Math.floor(each / blockSize))?.[each % blockSize] ?? 0;
      return ordinal > 0 ? [[each, ordinal] as const] : [];
    }),
  );
}
