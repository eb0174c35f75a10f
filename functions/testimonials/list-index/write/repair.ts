/** Rebuilds, verifies and repairs a list index for an operator. */
import { type Axis, firstPosition } from '../../../domain/testimonial-order.ts';
import type { IndexDependencies } from '../index-store.ts';
import { updateIndexAlongside } from './indexing.ts';
import { type RebuildOutcome, rebuildIndex } from './rebuild.ts';
import { wholeTail } from './update-index.ts';
import { type Difference, verifyIndex } from './verify.ts';

export interface RebuildWork {
  /** Called with the number of testimonials that this process has indexed. */
  progress: (testimonials: number) => void;
  /**
   * Runs work that must not stop in the middle of a write. A signal aborts the work's `AbortSignal`; once the
   * work has returned, rejects.
   */
  runStoppable: <Result>(work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;
}

/**
 * Rebuilds an index, then updates it with the testimonials that arrived in the meantime or were never
 * indexed.
 * @returns the kind of the outcome. After `held by another` and `stopped`, nothing was updated. `nothing`:
 * there is no index, even after the update
 */
export async function rebuildToTheEnd(
  deps: IndexDependencies,
  organization: string,
  { progress, runStoppable }: RebuildWork,
): Promise<RebuildOutcome['kind']> {
  const rebuild = () => runStoppable((signal) => rebuildIndex(deps, organization, { progress, signal }));
  const { kind } = await rebuild();
  if (kind === 'held by another' || kind === 'stopped') return kind;
  await updateIndexAlongside(deps, organization, wholeTail);
  // Without a head there was nothing to rebuild, and the first update leaves out imported history.
  return kind === 'nothing' ? (await rebuild()).kind : kind;
}

// Further differences are only counted.
const differencesKept = 20;

/** The comparison of an index with the testimonials. */
export interface Verification extends Awaited<ReturnType<typeof verifyIndex>> {
  /** The number of differences. */
  differenceCount: number;
  /** The first differences, as texts. */
  first: string[];
  /** For each axis, the highest used position if it is above the counter, otherwise 0. */
  highest: Record<Axis, number>;
  /** True if a rebuild would change something. */
  differs: boolean;
}

/** Compares an index with the testimonials. */
export async function verify(
  deps: IndexDependencies,
  organization: string,
  progress: (testimonials: number) => void,
): Promise<Verification> {
  const first: string[] = [];
  const highest = { createdAt: 0, updatedAt: 0 };
  let differenceCount = 0;
  const onDifference = (difference: Difference) => {
    differenceCount += 1;
    if (difference.kind === 'beyond the counter') highest[difference.axis] = difference.at;
    if (first.length < differencesKept) first.push(differenceText(difference));
  };
  const result = await verifyIndex(deps, organization, onDifference, progress);
  return {
    ...result,
    differenceCount,
    first,
    highest,
    differs: differenceCount > 0 || result.otherGenerations > 0,
  };
}

function differenceText(difference: Difference): string {
  const { kind, at } = difference;
  if ('posting' in difference) return `${kind}: ${JSON.stringify(difference.posting)} at ${at}`;
  const position = at.toLocaleString('en');
  if (!('field' in difference))
    return `${kind}: the testimonial at ${position} in the order of ${difference.axis}`;
  if (difference.field === 'missing') return 'the index head is missing: lists read all testimonials';
  return `${kind}: ${difference.field} of the index head leaves out ${position}, which the postings or testimonials contain`;
}

/**
 * Raises the counter past all testimonials, so that no position is used twice. In a backup, the times of
 * items can differ by moments
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/backuprestore_HowItWorks.html).
 */
export async function raiseCounter(
  { testimonials, now }: Pick<IndexDependencies, 'testimonials' | 'now'>,
  organization: string,
  { highest }: Verification,
): Promise<void> {
  const last = await testimonials.readCounter(organization);
  const { ordinal, updateOrdinal } = last ?? { ordinal: firstPosition - 1, updateOrdinal: firstPosition - 1 };
  const behind = Math.max(highest.createdAt - ordinal, highest.updatedAt - updateOrdinal);
  if (behind > 0) await testimonials.reserveOrdinals(organization, now(), behind);
}
