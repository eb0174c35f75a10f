/**
 * Rebuilds the list index: writes a new generation of postings while lists read the old one, then switches
 * the head to it. A rebuild runs in steps and stores its progress in the head, so that any process can
 * continue it.
 *
 * An operator or a load runs a rebuild to its end (`rebuildIndex`). Each index update continues an unfinished
 * rebuild for the rest of its turn (`continueRebuild`), such as one that has only begun (acquire-rebuild.ts).
 */

import type { StoredTestimonial } from '../../../domain/stored-testimonial.ts';
import { everyTestimonial } from '../../../domain/terms.ts';
import { type Axis, axes, firstPosition, type Ordinal } from '../../../domain/testimonial-order.ts';
import { without } from '../../../domain/without.ts';
import { rebuildLeaseMs } from '../../../timing.ts';
import { chunkSize } from '../bits/bitmap.ts';
import { type IndexDependencies, type IndexHead, noIndex, type Rebuild, sumOfSizes } from '../index-store.ts';
import { facetPosting } from '../index-terms.ts';
import { type AcquiredRebuild, acquireRebuild, rebuildAfter } from './acquire-rebuild.ts';
import { unusedGeneration } from './generations.ts';
import { cleanUpAfterFailure, stepsAfterEnd } from './late-writes.ts';
import { type AxisChunk, FencedOff, PostingEdits, writeEdits } from './posting-edits.ts';
import { renewSummaries } from './renew-summaries.ts';
import { type IndexUpdateOptions, type StepLimits, stepLimits } from './update-step.ts';

/**
 * The outcome of a rebuild. `switched`: lists read its generation. `nothing`: nothing was ever indexed, or no
 * rebuild was requested. `held by another`: another process has its lease, perhaps because this one did not
 * renew it in time. `stopped`: its time was over, or its signal was aborted; any process can continue it.
 */
export type RebuildOutcome =
  | { kind: 'switched'; head: IndexHead }
  | { kind: 'nothing' }
  | { kind: 'held by another' }
  | { kind: 'stopped' };

/** Another process has taken the rebuild. `RebuildWorker.work` turns it into an outcome. */
class TakenOver extends Error {
  override name = 'TakenOver';
}

// Testimonials read at once.
const pageSize = 1000;

type RebuildLimits = Pick<StepLimits, 'postings' | 'bits'>;

/**
 * The step limits of an operator's command. Each step writes a posting once, so longer steps cost less. One
 * step handles some 100,000 short texts, and needs about 400 MB of memory.
 */
const longSteps: RebuildLimits = { postings: 1_000_000, bits: 10_000_000 };

/**
 * One rebuild step of the index function handles twice as much as an update step, because every step rewrites
 * the common postings. It begins within the function's turn, and so ends before the function's timeout.
 */
const updateStepsTogether = 2;

interface RebuildOptions {
  limits?: RebuildLimits;
  /** Called after each step with the number of testimonials that this process has indexed. */
  progress?: (testimonials: number) => void;
  /** Stops the rebuild between two writes. Another process can then continue it. */
  signal?: AbortSignal | undefined;
}

/**
 * Builds a new generation of everything below `indexed`, and switches to it. Continues an unfinished rebuild.
 * The next index update adds the tail and all changes that were made during the rebuild.
 */
export async function rebuildIndex(
  deps: IndexDependencies,
  organization: string,
  options: RebuildOptions = {},
): Promise<RebuildOutcome> {
  const taken = await acquireRebuild(deps, organization, { isRequested: true, signal: options.signal });
  if (taken.kind !== 'acquired') return taken;
  // The index function continues it if this process is killed.
  if (taken.isNew) await deps.index.requestIndexUpdate(organization, deps.now());
  return new RebuildWorker({ ...deps, ...options, organization }, taken).work();
}

/**
 * Continues an unfinished rebuild, if there is one, until it is done or the time is over. No step begins
 * after that.
 * @param options.isRequested as in `TakeOptions`
 */
export async function continueRebuild(
  deps: IndexDependencies,
  organization: string,
  { until, limits, isRequested = false }: IndexUpdateOptions & { isRequested?: boolean },
): Promise<RebuildOutcome> {
  const { postings, bits } = { ...stepLimits, ...limits };
  const limitsOfStep = { postings: updateStepsTogether * postings, bits: updateStepsTogether * bits };
  // At the deadline itself one step still begins, as in an index update.
  if (until !== undefined && deps.now().getTime() > until) return { kind: 'stopped' };
  const taken = await acquireRebuild(deps, organization, { isRequested });
  if (taken.kind !== 'acquired') return taken;
  return new RebuildWorker({ ...deps, limits: limitsOfStep, organization }, taken).work(until);
}

interface RebuildDependencies extends IndexDependencies, RebuildOptions {
  organization: string;
}

/** A rebuild that this process holds, with the newest head that it knows. */
class RebuildWorker {
  readonly #deps: RebuildDependencies;
  #head: IndexHead;
  #building: Rebuild;
  /**
   * The number of testimonials that this process has put into the generation, without those of earlier
   * processes.
   */
  #count = 0;

  constructor(deps: RebuildDependencies, { head, building }: AcquiredRebuild) {
    this.#deps = deps;
    this.#head = head;
    this.#building = building;
  }

  /** True if lists read the generation of this rebuild. */
  get #hasSwitched(): boolean {
    return this.#head.generation === this.#building.generation;
  }

  /** Works until lists read the generation, the time is over or the signal is aborted. */
  async work(until = Number.POSITIVE_INFINITY): Promise<RebuildOutcome> {
    try {
      await this.#workUntil(until);
      if (!this.#hasSwitched) {
        await this.#release();
        return { kind: 'stopped' };
      }
    } catch (error) {
      if (!(error instanceof TakenOver)) throw error;
      // If lists already read this generation, the other process switched to it, or our own switch succeeded
      // and its response was lost.
      if (!this.#hasSwitched) return { kind: 'held by another' };
    }
    return { kind: 'switched', head: this.#head };
  }

  async #workUntil(until: number): Promise<void> {
    const { signal, now } = this.#deps;
    try {
      do {
        signal?.throwIfAborted();
        await (this.#building.indexed < this.#head.indexed
          ? this.#index(this.#head.indexed)
          : this.#switch());
      } while (!this.#hasSwitched && now().getTime() < until);
    } catch (error) {
      if (!signal?.aborted || error !== signal.reason) throw error;
    }
  }

  /** Ends the lease, so that any process can continue at once. */
  async #release(): Promise<void> {
    await this.#replaceBuilding({ ...this.#building, until: this.#deps.now().getTime(), isReleased: true });
  }

  /**
   * Indexes the next testimonials below an ordinal, as many as the limits allow. Leaves out higher ones,
   * because a create may still arrive there (rule 22).
   */
  async #index(to: Ordinal): Promise<void> {
    const { testimonials, index, organization } = this.#deps;
    const before = this.#building;
    const { generation, epoch } = before;
    const edits = new PostingEdits();
    const since = this.#deps.now().getTime();
    let indexed = to;
    for await (const page of testimonials.from(organization, before.indexed, { limit: pageSize })) {
      const rest = page.filter(({ ordinal }) => ordinal < to);
      const next = this.#put(rest, edits);
      if (next) indexed = next.ordinal;
      await this.#renewLeaseOrStop();
      if (next || rest.length < page.length) break;
    }
    try {
      await writeEdits(index, organization, { generation, epoch }, edits, () => this.#renewLeaseOrStop());
      await this.#storeWithLease({
        ...before,
        indexed,
        updated: Math.max(before.updated, edits.highestUpdate + 1),
        // Each step has its own epoch (rule 10).
        epoch: epoch + 1,
        ...(edits.hides && { hasHidden: true }),
        rows: sumOfSizes(before.rows, edits.addedSizes),
      });
    } catch (error) {
      await cleanUpAfterFailure(this.#deps, organization, { generation, since, edits });
      if (error instanceof FencedOff) return this.#restart();
      throw error;
    }
    this.#deps.progress?.(this.#count);
  }

  /**
   * Puts testimonials into the edits, as many as the limits allow. Returns the first one that does not fit.
   */
  #put(page: readonly StoredTestimonial[], edits: PostingEdits): StoredTestimonial | undefined {
    const { limits = longSteps } = this.#deps;
    for (const stored of page) {
      if (edits.isFull(limits)) return stored;
      edits.put(stored);
      this.#count += 1;
    }
    return undefined;
  }

  /**
   * Restarts in another generation. Postings can refuse a rebuild although no other process works on it,
   * because the postings of a restored backup can be some seconds newer than its head (rule 21).
   * @throws {TakenOver} if another process has taken the rebuild
   */
  async #restart(): Promise<void> {
    const { index, organization } = this.#deps;
    const start = rebuildAfter(this.#head);
    const generation = await unusedGeneration(index, organization, start.generation);
    await this.#storeWithLease({ ...start, generation });
    this.#count = 0;
  }

  /**
   * Renews the lease when half of it has passed, and not more often, because each write of the head makes an
   * index update restart.
   * @throws the reason of the signal, which `#workUntil` expects
   */
  async #renewLeaseOrStop(): Promise<void> {
    this.#deps.signal?.throwIfAborted();
    const now = this.#deps.now().getTime();
    if (this.#building.until - now <= rebuildLeaseMs / 2) await this.#storeWithLease(this.#building);
  }

  async #storeWithLease(rebuild: Omit<Rebuild, 'until'>): Promise<void> {
    await this.#replaceBuilding({ ...rebuild, until: this.#deps.now().getTime() + rebuildLeaseMs });
  }

  async #replaceBuilding(building: Rebuild): Promise<void> {
    await this.#replaceHead((head) => ({ ...head, building }));
    this.#building = building;
  }

  /** Counts the summaries of the generation, then makes lists read it. */
  async #switch(): Promise<void> {
    const { index, organization } = this.#deps;
    const { generation, indexed, updated, epoch, terms, hasHidden, rows } = this.#building;
    const chunks = await this.#chunks();
    await renewSummaries(index, organization, generation, chunks);
    const history = historyOf(chunks);
    const now = this.#deps.now().getTime();
    await this.#replaceHead((head) => ({
      // Keeps members that only a newer version knows. A rebuild ends a load. No posting of the new
      // generation was deleted, and the markers of later erasures are still uncovered (`hasErased`).
      ...without(head, 'building', 'load', 'history', 'hasErased', 'hasHidden', 'rows'),
      // The time at which this rebuild began to read is not stored, so removals wait for its late calls (rule
      // 46). The epoch is higher than the epoch of each call that can still arrive.
      writing: stepsAfterEnd(head, { generation, epoch, since: 0 }, now),
      ...(history && { history }),
      ...(hasHidden && { hasHidden }),
      ...(rows && { rows }),
      generation,
      terms,
      // `indexed` can be lower than the head's, because index updates continued. Those testimonials return to
      // the tail.
      indexed,
      updated,
      reach: indexed,
      replaced: {},
      // Epochs continue after those of the rebuild (rule 25).
      epoch: Math.max(head.epoch, epoch),
      // The new generation may miss any change whose marker still exists (rule 23).
      covered: [],
    }));
  }

  /** Returns the chunks that contain testimonials. Only these chunks have summaries. */
  async #chunks(): Promise<AxisChunk[]> {
    const { index, organization } = this.#deps;
    const range = { from: 0, to: Number.POSITIVE_INFINITY };
    const chunks = axes.map(async (axis) => {
      const all = facetPosting(axis, everyTestimonial);
      const bits = await index.readTerm(organization, this.#building.generation, all, range);
      return bits.map(({ chunk }) => ({ axis, chunk }));
    });
    return (await Promise.all(chunks)).flat();
  }

  /** @throws {TakenOver} if another process has taken the rebuild */
  async #replaceHead(change: (head: IndexHead) => IndexHead): Promise<void> {
    const { index, organization } = this.#deps;
    for (;;) {
      const replaced = await index.replaceHead(organization, change(this.#head));
      this.#head = replaced ?? (await index.readHead(organization)) ?? noIndex;
      if (replaced) return;
      const { building } = this.#head;
      const { generation, epoch } = this.#building;
      // Another process holds it, or it has ended.
      if (building?.generation !== generation || building.epoch !== epoch) throw new TakenOver();
    }
  }
}

/** Returns the first position of the imported history on each axis, or undefined if there is none. */
function historyOf(chunks: readonly AxisChunk[]): IndexHead['history'] {
  const begin = (axis: Axis) =>
    Math.min(
      firstPosition,
      ...chunks.filter((one) => one.axis === axis).map(({ chunk }) => chunk * chunkSize),
    );
  const history = { createdAt: begin('createdAt'), updatedAt: begin('updatedAt') };
  return Math.min(history.createdAt, history.updatedAt) < firstPosition ? history : undefined;
}
