/** Removes generations of postings that no list reads, and finds unused generation numbers. */

import { forEachAtOnce } from '../../../concurrency.ts';
import { everyTestimonial } from '../../../domain/terms.ts';
import { forgetAfterMs } from '../../../timing.ts';
import type { IndexHead, IndexStore } from '../index-store.ts';
import { facetPosting, partitionOf, partitions } from '../index-terms.ts';

/**
 * Removes the postings of old generations, once no running list can read them.
 * @param options.sleep awaited before the removal, if there is anything to remove
 * @param options.from the oldest generation to check; by default the oldest that has not been removed
 */
export async function removeOldGenerations(
  index: IndexStore,
  organization: string,
  head: IndexHead,
  { sleep, from }: { sleep?: (milliseconds: number) => Promise<unknown>; from?: number | undefined } = {},
): Promise<void> {
  const old = await oldGenerations(index, organization, head, from);
  if (old.length > 0) await sleep?.(forgetAfterMs);
  await forEachAtOnce(partitionsOf(old), ({ generation, partition }) =>
    index.deletePartition(organization, generation, partition),
  );
}

/** Removes the postings of a generation that no list reads. */
export function removeGeneration(index: IndexStore, organization: string, generation: number): Promise<void> {
  return forEachAtOnce(partitions, (partition) => index.deletePartition(organization, generation, partition));
}

/**
 * Returns every generation that still has postings, except the live one and the one being built.
 * @param from the oldest generation to check; each costs one call per partition
 */
export async function oldGenerations(
  index: IndexStore,
  organization: string,
  { generation: current, building, oldest = 1 }: IndexHead,
  from = oldest,
): Promise<number[]> {
  const last = Math.max(current, building?.generation ?? 0);
  const candidates = Array.from({ length: Math.max(0, last + 1 - from) }, (_, i) => from + i).filter(
    (generation) => generation !== current && generation !== building?.generation,
  );
  const used = new Set<number>();
  await forEachAtOnce(partitionsOf(candidates), async ({ generation, partition }) => {
    if (used.has(generation)) return;
    if (await index.hasPostings(organization, generation, partition)) used.add(generation);
  });
  return [...used];
}

// If the head was lost and created again, postings of higher generations can exist.
const maxGenerationsAbove = 10;

/** Returns the other generations that still have postings, except those that index updates will remove. */
export async function strayGenerations(
  index: IndexStore,
  organization: string,
  head: IndexHead,
): Promise<number[]> {
  const { generation, building, oldest = 1, replaced } = head;
  const old = await oldGenerations(index, organization, head, 1);
  const above = await usedFrom(index, organization, Math.max(generation, building?.generation ?? 0) + 1);
  return [...old.filter((number) => !replaced || number < oldest), ...above];
}

/** Returns the first generation from `from` on that is above every used one (rule 21). */
export async function unusedGeneration(index: IndexStore, organization: string, from = 1): Promise<number> {
  for (let generation = from; ; ) {
    const last = (await usedFrom(index, organization, generation)).at(-1);
    if (last === undefined) return generation;
    generation = last + 1;
  }
}

/** Returns the generations among the next ten that have postings of testimonials. */
async function usedFrom(index: IndexStore, organization: string, from: number): Promise<number[]> {
  const generations = Array.from({ length: maxGenerationsAbove }, (_, i) => from + i);
  const all = partitionOf(facetPosting('createdAt', everyTestimonial));
  const used = await Promise.all(
    generations.map((generation) => index.hasPostings(organization, generation, all)),
  );
  return generations.filter((_, i) => used[i]);
}

function* partitionsOf(generations: readonly number[]) {
  for (const generation of generations) for (const partition of partitions) yield { generation, partition };
}
