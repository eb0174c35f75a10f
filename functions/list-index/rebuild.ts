/** Rebuilding: a new generation of postings beside the one that lists read, then one switch of the head. */
import { forEachAtOnce } from '../concurrency.ts';
import { forgetAfterMs, rebuildGivenUpMs } from '../timing.ts';
import type { FoldDependencies } from './fold.ts';
import type { IndexHead, IndexStore } from './index-store.ts';
import { partitions, termsVersion } from './index-terms.ts';
import { type AxisChunk, FencedOff, PostingEdits, writeEdits } from './posting-edits.ts';
import { renewSummaries } from './renew-summaries.ts';

/** Another rebuild is under way, or took over because this one was away for too long. */
export class RebuildSuperseded extends Error {
  override name = 'RebuildSuperseded';
}

// Testimonials read at once.
const pageSize = 1000;

// Bits that are written together. A posting is then written once for all of them, which costs the less the more they
// are. These are the terms of some 100,000 short texts, and take some 400 MB, which an operator's machine has.
const mostBitsAStep = 10_000_000;

/**
 * Builds a new generation of all that the index has passed, and switches to it. What is above, and what changes
 * meanwhile, keeps its markers and is left to the next fold.
 * @param progress told after each step how many testimonials are indexed
 * @returns the head as it is then, or undefined when nothing was ever indexed
 * @throws {RebuildSuperseded} the index is as it was; the next rebuild removes what this one wrote
 */
export async function rebuildIndex(
  { testimonials, index, now }: FoldDependencies,
  organization: string,
  progress: (testimonials: number) => void,
  bitsAStep = mostBitsAStep,
): Promise<IndexHead | undefined> {
  const superseded = () =>
    new RebuildSuperseded(
      `Another rebuild of ${organization} is under way, or this one was paused: try again`,
    );
  const building = (before: IndexHead, generation: number): IndexHead => ({
    ...before,
    lastGeneration: generation,
    building: { generation, until: now().getTime() + rebuildGivenUpMs },
  });

  let head: IndexHead | undefined;
  // Never used before: a rebuild that was given up may still be writing its own.
  let generation = 0;
  while (!head) {
    const before = await index.readHead(organization);
    if (!before) return undefined;
    if (before.building && before.building.until > now().getTime()) throw superseded();
    generation = Math.max(before.generation, before.lastGeneration ?? 0) + 1;
    // Fails when a fold replaced the head in between.
    head = await index.replaceHead(organization, building(before, generation));
  }
  const readGeneration = head.generation;

  /** Replaces the head by a change of it as it is now, as long as this rebuild is the one that it names. */
  const update = async (known: IndexHead, change: (head: IndexHead) => IndexHead): Promise<IndexHead> => {
    for (let current = known; ; ) {
      const replaced = await index.replaceHead(organization, change(current));
      if (replaced) return replaced;
      const found = await index.readHead(organization);
      if (found?.building?.generation !== generation) throw superseded();
      current = found;
    }
  };
  let renewed = head;
  const showLife = async () => {
    const until = renewed.building?.until ?? 0;
    // Seldom: a fold begins again when the head is replaced.
    if (until - now().getTime() > rebuildGivenUpMs / 2) return;
    renewed = await update(renewed, (current) => building(current, generation));
  };
  // What rebuilds that were given up left behind, which no list ever read.
  const givenUp = Array.from({ length: generation - readGeneration - 1 }, (_, i) => readGeneration + 1 + i);
  await removeGenerations(index, organization, givenUp);

  let count = 0;
  let indexed = 1;
  let updated = 1;
  let edits = new PostingEdits();
  // Each step has one of its own, as a fold's has.
  let epoch = 0;
  const chunks = new Map<string, AxisChunk>();
  const write = async () => {
    epoch += 1;
    await writeEdits(index, organization, { generation, epoch }, edits, showLife).catch((error: unknown) => {
      // Given up, it was removed under our hands.
      throw error instanceof FencedOff ? superseded() : error;
    });
    for (const each of edits.chunks) chunks.set(`${each.axis} ${each.chunk}`, each);
    updated = Math.max(updated, edits.highestUpdate + 1);
    edits = new PostingEdits();
    progress(count);
  };
  // Folds go on meanwhile, and no create arrives any more where they have passed.
  while (indexed < renewed.indexed) {
    const end = renewed.indexed;
    for await (const page of testimonials.from(organization, indexed, { limit: pageSize })) {
      const passed = page.filter(({ ordinal }) => ordinal < end);
      for (const stored of passed) {
        edits.put(stored);
        count += 1;
        if (edits.bits >= bitsAStep) await write();
      }
      await showLife();
      if (passed.length < page.length) break;
    }
    indexed = end;
  }
  await write();
  await renewSummaries(index, organization, generation, [...chunks.values()]);

  return update(renewed, ({ building: _, isLoading: __, hasErased: ___, ...rest }) => ({
    ...rest,
    generation,
    indexed,
    updated,
    terms: termsVersion,
    // Folds come after all of this.
    epoch: Math.max(rest.epoch, epoch),
    // The new generation has none of the changes of which markers are left.
    covered: [],
  }));
}

/**
 * Removes the postings of all generations but the one that a head has, once no running list reads them: of those before,
 * and of those that rebuilds began and gave up. Also where that was done before: what was sent then may have arrived since.
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
  if (old.length === 0) return 0;
  await sleep(forgetAfterMs);
  return removeGenerations(index, organization, old);
}

/** The generations of which there are postings that no list reads from now on. */
export async function oldGenerations(
  index: IndexStore,
  organization: string,
  { generation: current, lastGeneration = current, building }: IndexHead,
): Promise<number[]> {
  const others = Array.from({ length: lastGeneration }, (_, i) => i + 1).filter(
    (generation) => generation !== current && generation !== building?.generation,
  );
  const found = new Set<number>();
  await forEachAtOnce(placesIn(others), async ({ generation, partition }) => {
    if (found.has(generation)) return;
    if (await index.hasPostings(organization, generation, partition)) found.add(generation);
  });
  return [...found];
}

async function removeGenerations(
  index: IndexStore,
  organization: string,
  generations: readonly number[],
): Promise<number> {
  let removed = 0;
  await forEachAtOnce(placesIn(generations), async ({ generation, partition }) => {
    removed += await index.deletePartition(organization, generation, partition);
  });
  return removed;
}

function* placesIn(generations: readonly number[]) {
  for (const generation of generations) for (const partition of partitions) yield { generation, partition };
}
