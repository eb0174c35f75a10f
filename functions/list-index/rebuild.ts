/** Rebuilding: a new generation of postings beside the one that lists read, then one switch of the head. */
import { ordinalOf } from '../domain/testimonial-order.ts';
import { type FoldDependencies, forgetAfterMs, settledMs } from './fold.ts';
import { stepSize } from './fold-organization.ts';
import { type IndexHead, type IndexStore, noIndex, type PostingRef } from './index-store.ts';
import { applyEdits, PostingEdits } from './posting-edits.ts';

/** Another rebuild took over, or this one was away for so long that it counted as given up. */
export class RebuildOvertaken extends Error {
  override name = 'RebuildOvertaken';
}

// Bits that are written together. A posting is then written once for all of them, which costs the less the more they
// are. These are the terms of some 50,000 short texts, and take some 100 MB, which an operator's machine has.
const bitsPerStep = 2_500_000;

// A rebuild that shows no sign of life for this long counts as given up.
const buildingMs = 120_000;

/**
 * Builds a new generation from the table and switches to it. Announced changes stay while it runs, and the next
 * fold takes them into the new generation.
 * @param progress told after each step how many testimonials are indexed
 * @throws {RebuildOvertaken} the index is as it was; the next rebuild removes what this one wrote
 */
export async function rebuildIndex(
  deps: FoldDependencies,
  organization: string,
  progress: (testimonials: number) => void,
): Promise<IndexHead> {
  const { testimonials, index, now } = deps;
  const time = () => now().getTime();
  const overtaken = () =>
    new RebuildOvertaken(
      `Another rebuild of ${organization} is under way, or this one was paused: try again`,
    );

  const stored = await index.readHead(organization);
  const before = stored ?? noIndex;
  if (before.building && before.building.until > time()) throw overtaken();
  // Never used before: a rebuild that was given up may still be writing its own.
  const generation = Math.max(before.generation, before.lastGeneration ?? 0) + 1;
  const building = () => ({ generation, until: time() + buildingMs });
  let head: IndexHead = { ...before, lastGeneration: generation, building: building() };
  if (!(await index.replaceHead(organization, stored, head))) throw overtaken();
  // What rebuilds that were given up left behind. Lists may still read generations before the current one.
  await removeGenerations(index, organization, (each) => each > before.generation && each < generation);

  let count = 0;
  let indexed = 0;
  // Before the first read: a create that is in flight while its place is read must not pass for a hole.
  const settledBefore = time() - settledMs;
  let edits = new PostingEdits();
  const showLife = async () => {
    head = await renew(index, organization, head, building(), overtaken);
  };
  const write = async () => {
    // No other writer knows this generation: there is nothing to come too late for.
    const never = Number.POSITIVE_INFINITY;
    await applyEdits(deps, organization, generation, edits, never, showLife);
    edits = new PostingEdits();
    progress(count);
  };
  for await (const page of testimonials.from(organization, 0, { limit: stepSize })) {
    const settled = page.filter(({ createdAt }) => Date.parse(createdAt) <= settledBefore);
    for (const testimonial of settled) edits.put(testimonial);
    const last = settled.at(-1);
    if (last) indexed = ordinalOf(last) + 1;
    count += settled.length;
    await showLife();
    if (edits.bits >= bitsPerStep) await write();
    if (settled.length < page.length) break;
  }
  await write();

  const next: IndexHead = { generation, indexed, lastGeneration: generation };
  while (!(await index.replaceHead(organization, head, next))) {
    // The SDK repeated a write that had arrived.
    if ((await index.readHead(organization))?.generation === generation) break;
    // A fold moved `indexed` of the old generation.
    head = await renew(index, organization, head, building(), overtaken);
  }
  return next;
}

/** Removes the postings of other generations than the current one, once no list in flight reads them. */
export async function removeOldGenerations(
  { index }: Pick<FoldDependencies, 'index'>,
  organization: string,
  current: number,
  sleep: (milliseconds: number) => Promise<unknown>,
): Promise<number> {
  await sleep(forgetAfterMs);
  return removeGenerations(index, organization, (generation) => generation < current);
}

async function removeGenerations(
  index: IndexStore,
  organization: string,
  isOld: (generation: number) => boolean,
): Promise<number> {
  let removed = 0;
  for await (const page of index.scanPostings(organization)) {
    const old = new Map<number, PostingRef[]>();
    for (const { generation, ref } of page) {
      if (isOld(generation)) old.set(generation, [...(old.get(generation) ?? []), ref]);
    }
    for (const [generation, refs] of old) {
      await index.deletePostings(organization, generation, refs);
      removed += refs.length;
    }
  }
  return removed;
}

async function renew(
  index: IndexStore,
  organization: string,
  known: IndexHead,
  building: NonNullable<IndexHead['building']>,
  overtaken: () => Error,
): Promise<IndexHead> {
  let head = known;
  for (;;) {
    const next = { ...head, building };
    if (await index.replaceHead(organization, head, next)) return next;
    const now = await index.readHead(organization);
    if (now?.building?.generation !== building.generation) throw overtaken();
    head = now;
  }
}
