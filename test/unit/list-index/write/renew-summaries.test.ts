/** Summaries while others write postings: the last count is of the last read. */
import { expect, test } from '@jest/globals';
import { Bitmap } from '../../../../functions/testimonials/list-index/bits/bitmap.ts';
import { encodePosting } from '../../../../functions/testimonials/list-index/bits/posting-codec.ts';
import { decodeSummary } from '../../../../functions/testimonials/list-index/bits/summary.ts';
import type { IndexStore } from '../../../../functions/testimonials/list-index/index-store.ts';
import { facetPosting, summaryTerm } from '../../../../functions/testimonials/list-index/index-terms.ts';
import { renewSummaries } from '../../../../functions/testimonials/list-index/write/renew-summaries.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { Process } from '../../../world/process.ts';

const axis = 'updatedAt';
const chunks = [{ axis, chunk: 130 }] as const;
const backend = inMemoryBackend();

/** Writes postings with so many approved, unrated texts in the chunk. */
async function write(count: number): Promise<void> {
  const bitmap = Bitmap.of(Array.from({ length: count }, (_, i) => 130 * 65_536 + i));
  for (const term of ['status=approved', 'type=text', 'rating=0']) {
    const posting = { bytes: encodePosting(bitmap.chunk(130)), fence: 1 };
    await backend.index.writePosting('acme', 1, { posting: facetPosting(axis, term), chunk: 130 }, posting);
  }
}

const renew = (index: IndexStore) => renewSummaries(index, 'acme', 1, chunks);
const renewing = () => new Process('renew', backend).begin(({ index }) => renew(index));

/** Returns the totals of the chunk's summary and of that of 64 chunks. */
async function counted(): Promise<(number | undefined)[]> {
  const postings = await backend.index.readPostings('acme', 1, [
    { posting: summaryTerm(axis, 'chunk'), chunk: 130 },
    { posting: summaryTerm(axis, 'chunks'), chunk: 2 },
  ]);
  return postings.map((each) => each && decodeSummary(each.bytes).reduce((sum, count) => sum + count));
}

test('a chunk is counted, alone and together with the 63 around it', async () => {
  await write(3);
  await renew(backend.index);
  expect(await counted()).toEqual([3, 3]);
});

test.each([1, 2])(
  'a writer that counted before a change and pauses at write %i counts again',
  async (nth) => {
    await write(5);
    const slow = await renewing().runUntil('replaceSummary');
    if (nth === 2) {
      await slow.run(1);
      await slow.runUntil('replaceSummary');
    }
    await write(4);
    await renew(backend.index);
    await slow.run();
    expect(await counted()).toEqual([4, 4]);
  },
);

test('a writer writes its count even if the stored one is right (rule 11)', async () => {
  await write(3);
  await renew(backend.index);
  await write(9);
  const slow = await renewing().runUntil('replaceSummary');
  await write(3);
  await renew(backend.index);
  await slow.run();
  expect(await counted()).toEqual([3, 3]);
});

test('a writer counts again if another has written since it counted (rule 11)', async () => {
  await write(3);
  const early = await renewing().runUntil('replaceSummary');
  await write(5);
  const late = await renewing().runUntil('replaceSummary');
  await early.run();
  await late.run();
  expect(await counted()).toEqual([5, 5]);
});
