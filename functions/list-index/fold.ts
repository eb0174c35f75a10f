/**
 * Folding: taking what lies in the table into the postings, in bounded steps, each of which may stop anywhere,
 * be repeated, or run beside another and lose nothing.
 */
import { type Change, functionTimeoutMs, type TestimonialStore } from '../domain/stores.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { ordinalOf } from '../domain/testimonial-order.ts';
import { type IndexHead, type IndexStore, noIndex } from './index-store.ts';
import { applyEdits, PostingEdits } from './posting-edits.ts';

/**
 * Only what is older is folded, in milliseconds. By then no create of a lower ordinal is in flight, whose
 * function has ended, and the secondary indexes have caught up.
 */
export const settledMs = functionTimeoutMs + 5_000;

/** How long after its fold an announced change is forgotten: no list in flight began before the fold. */
export const forgetAfterMs = functionTimeoutMs;

// A change that a stalled fold did not see is folded by another when it is `settledMs` old. The stalled one must
// have written by then what it read before the change, the tries of the last write included.
const mutableWritesWithinMs = 5_000;

export interface FoldDependencies {
  testimonials: TestimonialStore;
  index: IndexStore;
  now: () => Date;
}

export interface FoldStep {
  /** How many testimonials were taken from the tail. */
  folded: number;
  /** The changes that the postings now have. They may be forgotten `forgetAfterMs` from now. */
  covered: Change[];
  /** Postings written. */
  written: number;
  head: IndexHead;
  /** True when more of the tail has settled. */
  more: boolean;
}

/**
 * Folds the oldest of an organization's tail and its announced changes.
 * @param limit testimonials of the tail, at most; changes write few postings, and are all taken
 * @throws {FoldStalled} before a write that would come too late; the step can be repeated
 */
export async function foldStep(
  deps: FoldDependencies,
  organization: string,
  limit: number,
): Promise<FoldStep> {
  const { testimonials, index, now } = deps;
  const settledBefore = now().getTime() - settledMs;
  const stored = await index.readHead(organization);
  const head = stored ?? noIndex;
  // The changes before the testimonials: what a settled change announced is written by now, and read then.
  const announced = (await testimonials.announcedChanges(organization)).filter(
    ({ time }) => time.getTime() <= settledBefore,
  );
  const deadline = now().getTime() + mutableWritesWithinMs;
  const { settled, more } = await settledTail(testimonials, organization, head.indexed, {
    settledBefore,
    limit,
  });
  const last = settled.at(-1);
  const indexed = last ? ordinalOf(last) + 1 : head.indexed;

  const outsideTail = announced.filter(({ ordinal }) => ordinal < head.indexed || ordinal >= indexed);
  const changed = await testimonials.findMany(
    organization,
    outsideTail.map(({ ordinal }) => ordinal),
  );
  const above = new Set(changed.map(ordinalOf).filter((ordinal) => ordinal >= indexed));
  // A change that was announced and never made has nothing to be folded.
  const covered = announced.filter(({ ordinal }) => !above.has(ordinal));

  const created = new Set(covered.filter(({ kind }) => kind === 'create').map(({ ordinal }) => ordinal));
  const edits = new PostingEdits();
  for (const testimonial of settled) edits.put(testimonial);
  for (const testimonial of changed) {
    const ordinal = ordinalOf(testimonial);
    if (!above.has(ordinal)) edits.put(testimonial, { onlyMutable: !created.has(ordinal) });
  }
  const written = await applyEdits(deps, organization, head.generation, edits, deadline);

  const next = { ...head, indexed };
  if (indexed !== head.indexed && !(await index.replaceHead(organization, stored, next))) {
    // Another fold or a rebuild moved it. What was written holds; whoever comes next goes on from there.
    return { folded: 0, covered: [], written, head, more: true };
  }
  return { folded: settled.length, covered, written, head: next, more };
}

/** Forgets changes that a step covered, `forgetAfterMs` later, unless a rebuild needs them. */
export async function forgetCovered(
  { testimonials, index, now }: FoldDependencies,
  organization: string,
  step: FoldStep,
): Promise<boolean> {
  const head = (await index.readHead(organization)) ?? noIndex;
  // The generation that a rebuild makes does not have them: they stay for a fold after the rebuild.
  if (head.generation !== step.head.generation) return false;
  if (head.building && head.building.until > now().getTime()) return false;
  if (head.building) {
    // Given up. Once its mark is gone, it can no longer switch generations.
    const { building: _, ...rest } = head;
    if (!(await index.replaceHead(organization, head, rest))) return false;
  }
  await testimonials.forgetChanges(organization, step.covered);
  return true;
}

async function settledTail(
  testimonials: TestimonialStore,
  organization: string,
  from: number,
  { settledBefore, limit }: { settledBefore: number; limit: number },
): Promise<{ settled: Testimonial[]; more: boolean }> {
  const settled: Testimonial[] = [];
  for await (const page of testimonials.from(organization, from, { limit: limit + 1 })) {
    for (const testimonial of page) {
      if (Date.parse(testimonial.createdAt) > settledBefore) return { settled, more: false };
      if (settled.length === limit) return { settled, more: true };
      settled.push(testimonial);
    }
  }
  return { settled, more: false };
}
