/** Sets of postings that no list reads: those before a rebuild's switch, and what was written into them late. */
import { forEachAtOnce } from '../../concurrency.ts';
import { forgetAfterMs } from '../../timing.ts';
import type { IndexHead, IndexStore } from '../index-store.ts';
import { partitions } from '../index-terms.ts';

/**
 * Removes the postings of all generations but the one that a head has and one that is being built, once no running list
 * reads them. Also where that was done before: what was sent then may have arrived since.
 * @param sleep awaited before, if there are any
 * @returns how many postings were removed
 */
export async function removeOldGenerations(
  index: IndexStore,
  organization: string,
  head: IndexHead,
  sleep: (milliseconds: number) => Promise<unknown>,
): Promise<number> {
  const old = await oldGenerations(index, organization, head);
  if (old.length > 0) await sleep(forgetAfterMs);
  let removed = 0;
  await forEachAtOnce(placesIn(old), async ({ generation, partition }) => {
    removed += await index.deletePartition(organization, generation, partition);
  });
  return removed;
}

/** The generations of which there are postings that no list reads from now on. */
export async function oldGenerations(
  index: IndexStore,
  organization: string,
  { generation: current, building }: IndexHead,
): Promise<number[]> {
  const last = Math.max(current, building?.generation ?? 0);
  const others = Array.from({ length: last }, (_, i) => i + 1).filter(
    (generation) => generation !== current && generation !== building?.generation,
  );
  const found = new Set<number>();
  await forEachAtOnce(placesIn(others), async ({ generation, partition }) => {
    if (found.has(generation)) return;
    if (await index.hasPostings(organization, generation, partition)) found.add(generation);
  });
  return [...found];
}

function* placesIn(generations: readonly number[]) {
  for (const generation of generations) for (const partition of partitions) yield { generation, partition };
}
