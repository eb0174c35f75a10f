/** Writing summaries. */
import { forEachAtOnce } from '../../concurrency.ts';
import { emptyChunk } from '../bits/bitmap.ts';
import { decodePosting } from '../bits/posting-codec.ts';
import {
  chunksTogether,
  decodeSummary,
  encodeSummary,
  type Summary,
  summaryOf,
  summaryTerms,
  sumOf,
} from '../bits/summary.ts';
import type { IndexStore, Posting, PostingRef } from '../index-store.ts';
import { facetPosting, summaryTerm } from '../index-terms.ts';
import type { AxisChunk } from './posting-edits.ts';

/**
 * Counts chunks afresh, once their postings are written and before the head says so. Nothing is added to a count that
 * stood before: so index updates may repeat and overlap.
 */
export async function renewSummaries(
  index: IndexStore,
  organization: string,
  generation: number,
  chunks: readonly AxisChunk[],
): Promise<void> {
  await forEachAtOnce(chunks, ({ axis, chunk }) =>
    renew({ posting: summaryTerm(axis, 'chunk'), chunk }, async () => {
      const postings = await index.readPostings(organization, generation, countedPostings({ axis, chunk }));
      return { summary: countPostings(postings), step: highest(postings.map((each) => each?.epoch ?? 0)) };
    }),
  );
  await forEachAtOnce(chunksOfChunks(chunks), ({ axis, chunk: number }) =>
    renew({ posting: summaryTerm(axis, 'chunks'), chunk: number }, () =>
      sumChunks(index, organization, generation, { axis, chunk: number }),
    ),
  );

  /** Reads the version of a summary, then what it is made of; when another index update has written it since, again. */
  async function renew(ref: PostingRef, count: () => Promise<CountedSummary>): Promise<void> {
    for (;;) {
      const [before] = await index.readPostings(organization, generation, [ref]);
      // Also when it stands as it should: whoever read the version before must not write what was read before.
      const { summary, step } = await count();
      const next = { bytes: encodeSummary(summary), epoch: (before?.epoch ?? 0) + 1, step };
      if (await index.replacePosting(organization, generation, ref, next)) return;
    }
  }
}

/** A summary, and the highest epoch of what it counts. */
interface CountedSummary {
  summary: Summary;
  step: number;
}

function highest(epochs: readonly number[]): number {
  return Math.max(0, ...epochs);
}

/** The postings that a chunk's summary counts. */
export function countedPostings({ axis, chunk }: AxisChunk): PostingRef[] {
  return summaryTerms.map((term) => ({ posting: facetPosting(axis, term), chunk }));
}

/** Counts these postings. */
export function countPostings(postings: readonly (Posting | undefined)[]): Summary {
  const bits = postings.map((posting) => (posting ? decodePosting(posting.bytes) : emptyChunk()));
  return summaryOf((term) => bits[summaryTerms.indexOf(term)] ?? emptyChunk());
}

/** The numbers under which chunks are summed up together. */
export function chunksOfChunks(chunks: readonly AxisChunk[]): AxisChunk[] {
  return distinct(chunks.map(({ axis, chunk }) => ({ axis, chunk: Math.floor(chunk / chunksTogether) })));
}

/** Some chunks, each once. */
export function distinct(chunks: readonly AxisChunk[]): AxisChunk[] {
  return [...new Map(chunks.map((each) => [`${each.axis} ${each.chunk}`, each])).values()];
}

/** Sums up the summaries of the chunks that have a number together. */
export async function sumChunks(
  index: IndexStore,
  organization: string,
  generation: number,
  { axis, chunk: number }: AxisChunk,
): Promise<CountedSummary> {
  const from = number * chunksTogether;
  const range = { from, to: from + chunksTogether - 1 };
  const found = await index.readTerm(organization, generation, summaryTerm(axis, 'chunk'), range);
  return {
    summary: sumOf(found.map(({ bytes }) => decodeSummary(bytes))),
    step: highest(found.map(({ step }) => step)),
  };
}
