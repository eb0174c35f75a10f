/** Sets of postings that no list reads: those before a rebuild's switch, and late writes into them. */
import { forEachAtOnce } from '../../concurrency.ts';
import { everyTestimonial } from '../../domain/terms.ts';
import { forgetAfterMs } from '../../timing.ts';
import type { IndexHead, IndexStore } from '../index-store.ts';
import { facetPosting, partitionOf, partitions } from '../index-terms.ts';

/**
 * Removes the postings of old generations, once no running list reads them.
 * @param from the oldest generation to look at; by default the oldest that was not removed before
 * @param sleep awaited before, if there are any
 * @returns how many postings were removed
 */
export async function removeOldGenerations(
  index: IndexStore,
  organization: string,
  head: IndexHead,
  sleep: (milliseconds: number) => Promise<unknown>,
  from?: number,
): Promise<number> {
  const old = await oldGenerations(index, organization, head, from);
  if (old.length > 0) await sleep(forgetAfterMs);
  let removed = 0;
  await forEachAtOnce(partitionsOf(old), async ({ generation, partition }) => {
    removed += await index.deletePartition(organization, generation, partition);
  });
  return removed;
}

/**
 * The generations, apart from the current one and one that is being built, of which there are postings.
 * @param from the oldest generation to look at: each costs a call for each partition
 */
export async function oldGenerations(
  index: IndexStore,
  organization: string,
  { generation: current, building, oldest = 1 }: IndexHead,
  from = oldest,
): Promise<number[]> {
  const last = Math.max(current, building?.generation ?? 0);
  const others = Array.from({ length: Math.max(0, last + 1 - from) }, (_, i) => from + i).filter(
    (generation) => generation !== current && generation !== building?.generation,
  );
  const found = new Set<number>();
  await forEachAtOnce(partitionsOf(others), async ({ generation, partition }) => {
    if (found.has(generation)) return;
    if (await index.hasPostings(organization, generation, partition)) found.add(generation);
  });
  return [...found];
}

/**
 * The first generation from one on of which there is no testimonial's posting: another than that if the head was lost, and its
 * postings were not.
 */
export async function unusedGeneration(index: IndexStore, organization: string, from = 1): Promise<number> {
  const all = partitionOf(facetPosting('createdAt', everyTestimonial));
  for (let generation = from; ; generation += 1) {
    if (!(await index.hasPostings(organization, generation, all))) return generation;
  }
}

function* partitionsOf(generations: readonly number[]) {
  for (const generation of generations) for (const partition of partitions) yield { generation, partition };
}
