/**
 * Recounts summaries from the postings, after the postings are written and before the head commits them (rule
 * 11).
 */
import { forEachAtOnce } from '../../../concurrency.ts';
import { emptyChunk } from '../bits/bitmap.ts';
import { decodePosting } from '../bits/posting-codec.ts';
import {
  chunksTogether,
  decodeSummary,
  encodeSummary,
  summaryOf,
  summaryTerms,
  sumOf,
} from '../bits/summary.ts';
import type { IndexStore } from '../index-store.ts';
import { facetPosting, type SummarySpan, summaryTerm } from '../index-terms.ts';
import { type AxisChunk, distinct } from './posting-edits.ts';

/**
 * Recounts and writes the summaries of chunks. Never adds to an earlier count, so that index updates can
 * repeat and overlap.
 */
export async function renewSummaries(
  index: IndexStore,
  organization: string,
  generation: number,
  chunks: readonly AxisChunk[],
): Promise<void> {
  await forEachSummary(chunks, async (span, { axis, chunk }, count) => {
    const ref = { posting: summaryTerm(axis, span), chunk };
    for (;;) {
      const [before] = await index.readPostings(organization, generation, [ref]);
      const { summary, epoch } = await count(index, organization, generation, { axis, chunk });
      // Written even if the count is right, so that the write of an earlier count is refused.
      const next = { bytes: encodeSummary(summary), fence: (before?.fence ?? 0) + 1, epoch };
      if (await index.replaceSummary(organization, generation, ref, next)) return;
    }
  });
}

/**
 * Visits the summary of each chunk, then the summaries of 64 chunks together, with the function that counts
 * it.
 */
export async function forEachSummary(
  chunks: readonly AxisChunk[],
  visit: (span: SummarySpan, chunk: AxisChunk, count: typeof countChunk) => Promise<void>,
): Promise<void> {
  await forEachAtOnce(chunks, (chunk) => visit('chunk', chunk, countChunk));
  const together = chunks.map(({ axis, chunk }) => ({ axis, chunk: Math.floor(chunk / chunksTogether) }));
  await forEachAtOnce(distinct(together), (chunk) => visit('chunks', chunk, sumChunks));
}

/** Returns the summary of a chunk, and the highest epoch of the postings that it counts. */
async function countChunk(
  index: IndexStore,
  organization: string,
  generation: number,
  { axis, chunk }: AxisChunk,
) {
  const refs = summaryTerms.map((term) => ({ posting: facetPosting(axis, term), chunk }));
  const postings = await index.readPostings(organization, generation, refs);
  const bits = postings.map((posting) => (posting ? decodePosting(posting.bytes) : emptyChunk()));
  return {
    summary: summaryOf((term) => bits[summaryTerms.indexOf(term)] ?? emptyChunk()),
    epoch: Math.max(0, ...postings.map((posting) => posting?.fence ?? 0)),
  };
}

/** Adds up the summaries of 64 chunks. `chunk` numbers the group of 64. */
async function sumChunks(
  index: IndexStore,
  organization: string,
  generation: number,
  { axis, chunk: number }: AxisChunk,
) {
  const from = number * chunksTogether;
  const range = { from, to: from + chunksTogether - 1 };
  const summaries = await index.readTerm(organization, generation, summaryTerm(axis, 'chunk'), range);
  return {
    summary: sumOf(summaries.map(({ bytes }) => decodeSummary(bytes))),
    epoch: Math.max(0, ...summaries.map(({ epoch }) => epoch)),
  };
}
