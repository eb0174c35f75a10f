/** Rebuilding: a new generation of postings beside the one that lists read, then one switch of the head. */
import { forEachAtOnce } from '../../concurrency.ts';
import { forgetAfterMs, rebuildGivenUpMs } from '../../timing.ts';
import type { IndexHead, IndexStore } from '../index-store.ts';
import { partitions, termsVersion } from '../index-terms.ts';
import type { FoldDependencies } from './fold.ts';
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
 * @throws {RebuildSuperseded} the index is as it was
 */
export async function rebuildIndex(
  deps: FoldDependencies,
  organization: string,
  progress: (testimonials: number) => void,
  bitsAStep = mostBitsAStep,
): Promise<IndexHead | undefined> {
  const { index, now } = deps;
  const begun = await begin(deps, organization);
  if (!begun) return undefined;
  const mark = new Mark(index, organization, now, begun);
  // What rebuilds that were given up left behind, which no list ever read.
  const { generation } = mark;
  const between = Array.from(
    { length: generation - begun.generation - 1 },
    (_, i) => begun.generation + 1 + i,
  );
  await removeGenerations(index, organization, between);
  try {
    return await build(deps, organization, mark, { progress, bitsAStep });
  } catch (error) {
    if (!(error instanceof RebuildSuperseded)) throw error;
    const head = await index.readHead(organization);
    // The switch had arrived, and its answer was lost.
    if (head?.generation === generation) return head;
    // Who took over has removed what was there then, and what came later is for nobody.
    await removeGenerations(index, organization, [generation]);
    throw error;
  }
}

/** The mark by which a head names its rebuild. */
function marked(head: IndexHead, generation: number, now: Date): IndexHead {
  const building = { generation, until: now.getTime() + rebuildGivenUpMs };
  return { ...head, lastGeneration: generation, building };
}

/** Begins a generation that was never used before: a rebuild that was given up may still be writing its own. */
async function begin({ index, now }: FoldDependencies, organization: string): Promise<IndexHead | undefined> {
  for (;;) {
    const before = await index.readHead(organization);
    if (!before) return undefined;
    if (before.building && before.building.until > now().getTime()) throw superseded(organization);
    const generation = Math.max(before.generation, before.lastGeneration ?? 0) + 1;
    // Fails when a fold replaced the head in between.
    const begun = await index.replaceHead(organization, marked(before, generation, now()));
    if (begun) return begun;
  }
}

function superseded(organization: string): RebuildSuperseded {
  return new RebuildSuperseded(
    `Another rebuild of ${organization} is under way, or this one was paused: try again`,
  );
}

/** The head while a rebuild runs, as it was replaced last. */
class Mark {
  readonly generation: number;
  readonly #index: IndexStore;
  readonly #organization: string;
  readonly #now: () => Date;
  #head: IndexHead;

  constructor(index: IndexStore, organization: string, now: () => Date, begun: IndexHead) {
    this.#index = index;
    this.#organization = organization;
    this.#now = now;
    this.#head = begun;
    this.generation = begun.building?.generation ?? 0;
  }

  /** Up to where the index has passed, as far as it is known. */
  get indexed(): number {
    return this.#head.indexed;
  }

  /** Puts off being given up. Seldom: a fold begins again when the head is replaced. */
  async renew(): Promise<void> {
    const until = this.#head.building?.until ?? 0;
    if (until - this.#now().getTime() > rebuildGivenUpMs / 2) return;
    await this.replace((head) => marked(head, this.generation, this.#now()));
  }

  /**
   * Replaces the head by a change of it as it is now.
   * @throws {RebuildSuperseded} when it names another rebuild, or none
   */
  async replace(change: (head: IndexHead) => IndexHead): Promise<IndexHead> {
    for (;;) {
      const replaced = await this.#index.replaceHead(this.#organization, change(this.#head));
      if (replaced) {
        this.#head = replaced;
        return replaced;
      }
      const found = await this.#index.readHead(this.#organization);
      if (found?.building?.generation !== this.generation) throw superseded(this.#organization);
      this.#head = found;
    }
  }
}

async function build(
  { testimonials, index }: FoldDependencies,
  organization: string,
  mark: Mark,
  { progress, bitsAStep }: { progress: (testimonials: number) => void; bitsAStep: number },
): Promise<IndexHead> {
  const { generation } = mark;
  let count = 0;
  let indexed = 1;
  let updated = 1;
  let edits = new PostingEdits();
  // Each step has one of its own, as a fold's has.
  let epoch = 0;
  const chunks = new Map<string, AxisChunk>();
  const write = async () => {
    epoch += 1;
    await writeEdits(index, organization, { generation, epoch }, edits, () => mark.renew()).catch(
      (error: unknown) => {
        // Given up, it was removed under our hands.
        throw error instanceof FencedOff ? superseded(organization) : error;
      },
    );
    for (const each of edits.chunks) chunks.set(`${each.axis} ${each.chunk}`, each);
    updated = Math.max(updated, edits.highestUpdate + 1);
    edits = new PostingEdits();
    progress(count);
  };
  // Folds go on meanwhile, and no create arrives any more where they have passed.
  while (indexed < mark.indexed) {
    const end = mark.indexed;
    for await (const page of testimonials.from(organization, indexed, { limit: pageSize })) {
      const passed = page.filter(({ ordinal }) => ordinal < end);
      for (const stored of passed) {
        edits.put(stored);
        count += 1;
        if (edits.bits >= bitsAStep) await write();
      }
      await mark.renew();
      if (passed.length < page.length) break;
    }
    indexed = end;
  }
  await write();
  await renewSummaries(index, organization, generation, [...chunks.values()]);

  return mark.replace(({ building: _, isLoading: __, hasErased: ___, ...rest }) => ({
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
