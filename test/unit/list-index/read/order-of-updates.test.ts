import { beforeAll, expect, test } from '@jest/globals';
import type { StoredTestimonial } from '../../../../functions/domain/stored-testimonial.ts';
import { Bitmap, chunkOf } from '../../../../functions/testimonials/list-index/bits/bitmap.ts';
import {
  blockSize,
  emptyBlock,
  encodeBlock,
  encodePosting,
} from '../../../../functions/testimonials/list-index/bits/posting-codec.ts';
import { type IndexStore, noIndex } from '../../../../functions/testimonials/list-index/index-store.ts';
import { facetPosting, ordinalsTerm } from '../../../../functions/testimonials/list-index/index-terms.ts';
import { ListReader } from '../../../../functions/testimonials/list-index/read/list-reader.ts';
import { OrganizationMemory } from '../../../../functions/testimonials/list-index/read/memory.ts';
import { inOrderOfUpdates, ordinalsAt } from '../../../../functions/testimonials/list-index/read/page.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';

const count = 300_000;
/**
 * The testimonial at a position: neighbours swapped positions, and every seventh has moved to a later one.
 */
const ordinalAt = (position: number) => (position % 2 === 0 ? position - 1 : position + 1);
const isGone = (position: number) => position % 7 === 0;

async function fill(index: IndexStore): Promise<void> {
  const blocks = Array.from({ length: Math.floor(count / blockSize) + 1 }, () => emptyBlock());
  const current = new Bitmap();
  for (let position = 1; position <= count; position += 1) {
    const block = blocks[Math.floor(position / blockSize)];
    if (block) block[position % blockSize] = ordinalAt(position);
    if (!isGone(position)) current.add(position);
  }
  for (const [chunk, block] of blocks.entries()) {
    const posting = { bytes: encodeBlock(block, chunk), fence: 1 };
    await index.writePosting('acme', 1, { posting: ordinalsTerm, chunk }, posting);
  }
  for (const chunk of current.chunkNumbers()) {
    const posting = { bytes: encodePosting(current.chunk(chunk)), fence: 1 };
    const all = facetPosting('updatedAt', 'all');
    await index.writePosting('acme', 1, { posting: all, chunk }, posting);
  }
}

const head = {
  ...noIndex,
  indexed: count + 1,
  updated: count + 1,
  history: { createdAt: 0, updatedAt: 0 },
};

const backend = inMemoryBackend();
beforeAll(() => fill(backend.index));

test('a page of a large search equals that page of the sorted matches', async () => {
  const matching = Bitmap.of(Array.from({ length: count / 3 }, (_, i) => 3 * i));
  // At former positions of others, and above all.
  const unindexed = [30, 150_000, 3].map(
    (ordinal, i) => ({ ordinal, updateOrdinal: [7, count + 5000, 199_997][i] }) as StoredTestimonial,
  );
  const isUnindexed = new Set(unindexed.map(({ ordinal }) => ordinal));
  const positions = Array.from({ length: count }, (_, i) => i + 1)
    .filter(
      (position) =>
        !isGone(position) && matching.has(ordinalAt(position)) && !isUnindexed.has(ordinalAt(position)),
    )
    .map((updateOrdinal) => ({ updateOrdinal, ordinal: ordinalAt(updateOrdinal) }));
  const inOrder = [...positions, ...unindexed]
    .sort((a, b) => a.updateOrdinal - b.updateOrdinal)
    .map(({ ordinal }) => ordinal);
  const total = inOrder.length;
  const reader = new ListReader(backend, 'acme', head, new OrganizationMemory());
  for (const skip of [0, 1, 20, Math.floor(total / 2), total - 10, total]) {
    for (const order of ['asc', 'desc'] as const) {
      const shown = (order === 'asc' ? inOrder : inOrder.toReversed()).slice(skip, skip + 25);
      // Too few, so that it has to read on, and all at once.
      for (const expected of [1, count]) {
        const page = { skip, take: 25, order, expected };
        expect(await inOrderOfUpdates(reader, matching, unindexed, page)).toEqual(shown);
      }
    }
  }
});

test('ordinals are found at known positions only', async () => {
  const reader = new ListReader(backend, 'acme', head, new OrganizationMemory());
  expect(await ordinalsAt(reader, [2, 70_001, 10_000_000])).toEqual(
    new Map([
      [2, 1],
      [70_001, 70_002],
    ]),
  );
  expect(chunkOf(70_001)).toBe(1);
});

test('an unindexed testimonial is found if the index has no update, as after a rebuild of erased testimonials only', async () => {
  const reader = new ListReader(backend, 'other', { ...noIndex, updated: 1 }, new OrganizationMemory());
  const unindexed = [{ ordinal: 7, updateOrdinal: noIndex.updated + 3 } as StoredTestimonial];
  for (const order of ['asc', 'desc'] as const) {
    const page = { skip: 0, take: 25, order, expected: 0 };
    const found = inOrderOfUpdates(reader, Bitmap.of([7]), unindexed, page);
    expect(await found).toEqual([7]);
  }
});
