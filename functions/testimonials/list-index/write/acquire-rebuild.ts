/** Takes the lease of a rebuild, in the index head, and begins rebuilds that the index function continues. */
import { rebuildLeaseMs } from '../../../timing.ts';
import type { IndexDependencies, IndexHead, Rebuild } from '../index-store.ts';
import { isNewer, termsVersion } from '../terms-version.ts';
import { unusedGeneration } from './generations.ts';
import { stepsAfterBegin } from './late-writes.ts';

/** A process's next action on the rebuild of an organization. */
export type RebuildAction =
  /** There is no rebuild, and none was requested. */
  | { kind: 'nothing' }
  /** Another process is working on the rebuild, or a newer version may still resume its own. */
  | { kind: 'held by another' }
  /** Begin in this generation, or in the next unused one. A used generation may still receive late writes. */
  | { kind: 'begin'; building: Rebuild }
  /** Continue from the stored progress, with a new epoch. */
  | { kind: 'continue'; building: Rebuild };

/**
 * Decides on the process's next action for the rebuild of an organization.
 * @param isRequested as in `TakeOptions`
 */
export function nextRebuildAction(
  head: IndexHead,
  { isRequested, now }: { isRequested: boolean; now: number },
): RebuildAction {
  const { building } = head;
  if (!building && !isRequested) return { kind: 'nothing' };
  const until = now + rebuildLeaseMs;
  if (building) {
    const patienceMs = isNewer(building.terms) && !isRequested ? rebuildLeaseMs : 0;
    // Its lease has not ended, or the newer version that began it may still resume it.
    if (building.until + patienceMs > now) return { kind: 'held by another' };
    // Postings of other rules cannot be continued.
    if (building.terms === termsVersion) {
      const { isReleased: _, ...rest } = building;
      return { kind: 'continue', building: { ...rest, epoch: building.epoch + 1, until } };
    }
  }
  return { kind: 'begin', building: { ...rebuildAfter(head), until } };
}

/** Returns a new rebuild, in the generation after those that the head names. */
export function rebuildAfter({ generation, building }: IndexHead): Omit<Rebuild, 'until'> {
  const next = Math.max(generation, building?.generation ?? 0) + 1;
  return { generation: next, terms: termsVersion, indexed: 1, updated: 1, epoch: 1 };
}

/** A rebuild that this process holds, and the head that names it. */
export interface AcquiredRebuild {
  head: IndexHead;
  building: Rebuild;
  /** True if this process began it. */
  isNew: boolean;
}

interface TakeOptions {
  /**
   * True to begin a rebuild if none is unfinished, and to take over a newer version's rebuild as soon as its
   * lease ends. If false, a newer version gets two more minutes. A rebuild with other rules always starts
   * over.
   */
  isRequested: boolean;
  /** Takes the rebuild with a lease that has already ended, so that any other process can continue it. */
  isReleased?: true;
  signal?: AbortSignal | undefined;
}

/** Takes the lease of the rebuild, in the head. Otherwise returns the reason that there is none to take. */
export async function acquireRebuild(
  { index, now }: IndexDependencies,
  organization: string,
  { isRequested, isReleased, signal }: TakeOptions,
): Promise<
  | (AcquiredRebuild & { kind: 'acquired' })
  | { kind: 'nothing' }
  | { kind: 'held by another' }
  | { kind: 'stopped' }
> {
  for (;;) {
    if (signal?.aborted) return { kind: 'stopped' };
    const before = await index.readHead(organization);
    if (!before) return { kind: 'nothing' };
    const next = nextRebuildAction(before, { isRequested, now: now().getTime() });
    if (next.kind === 'nothing' || next.kind === 'held by another') return next;
    let { building } = next;
    const isNew = next.kind === 'begin';
    if (isNew) {
      const generation = await unusedGeneration(index, organization, building.generation);
      building = { ...building, generation };
    }
    if (isReleased) building = { ...building, until: now().getTime(), isReleased };
    const head = await index.replaceHead(organization, {
      ...before,
      ...(before.building && !before.building.isReleased && withLapsed(before, before.building, now())),
      building,
    });
    if (head) return { kind: 'acquired', head, building, isNew };
  }
}

/** Begins a rebuild that the index function continues, and requests an index update. */
export async function beginRebuild(deps: IndexDependencies, organization: string): Promise<void> {
  await acquireRebuild(deps, organization, { isRequested: true, isReleased: true });
  await deps.index.requestIndexUpdate(organization, deps.now());
}

/**
 * Returns the head's `writing` entry for the process that loses its rebuild, because that process may still
 * be writing.
 */
function withLapsed(head: IndexHead, { generation, epoch }: Rebuild, now: Date): Pick<IndexHead, 'writing'> {
  // When it began is unknown, so every erasure that has not settled waits for it.
  return { writing: stepsAfterBegin(head, { generation, epoch, since: 0 }, now.getTime()) };
}
