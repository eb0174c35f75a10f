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
import type { IndexStore } from '../index-store.ts';
import { facetPosting, type Summarised, summaryTerm } from '../index-terms.ts';
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
  await forEachAtOnce(chunks, (chunk) => renew('chunk', chunk, countChunk));
  await forEachAtOnce(chunksOfChunks(chunks), (chunk) => renew('chunks', chunk, sumChunks));

  /** Reads the version of a summary, then what it is made of; when another index update has written it since, again. */
  async function renew(of: Summarised, { axis, chunk }: AxisChunk, count: typeof countChunk): Promise<void> {
    const ref = { posting: summaryTerm(axis, of), chunk };
    for (;;) {
      const [before] = await index.readPostings(organization, generation, [ref]);
      // Also when it stands as it should: whoever read the version before must not write what was read before.
      const { summary, step } = await count(index, organization, generation, { axis, chunk });
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

/** Counts the postings of a chunk. */
export async function countChunk(
  index: IndexStore,
  organization: string,
  generation: number,
  { axis, chunk }: AxisChunk,
): Promise<CountedSummary> {
  const refs = summaryTerms.map((term) => ({ posting: facetPosting(axis, term), chunk }));
  const postings = await index.readPostings(organization, generation, refs);
  const bits = postings.map((posting) => (posting ? decodePosting(posting.bytes) : emptyChunk()));
  return {
    summary: summaryOf((term) => bits[summaryTerms.indexOf(term)] ?? emptyChunk()),
    step: Math.max(0, ...postings.map((each) => each?.epoch ?? 0)),
  };
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
    step: Math.max(0, ...found.map(({ step }) => step)),
  };
}
