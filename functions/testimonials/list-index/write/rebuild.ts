/**
 * Rebuilds the list index: writes a new generation of postings while lists read the old one, then switches
 * the head to it. A rebuild runs in steps and stores its progress in the head, so that any process can
 * continue it.
 *
 * An operator or a load runs one to its end (`rebuildIndex`). After a deployment, the renewal of indexes
 * begins one for each organization (`beginRebuild`). Each index update continues an unfinished one for the
 * rest of its turn (`continueRebuild`).
 */

import type { StoredTestimonial } from '../../../domain/stored-testimonial.ts';
import { everyTestimonial } from '../../../domain/terms.ts';
import { type Axis, axes, firstPosition, type Ordinal } from '../../../domain/testimonial-order.ts';
import { without } from '../../../domain/without.ts';
import { rebuildGivenUpMs } from '../../../timing.ts';
import { chunkSize } from '../bits/bitmap.ts';
import { type IndexDependencies, type IndexHead, noIndex, type Rebuild, sumOfRows } from '../index-store.ts';
import { facetPosting } from '../index-terms.ts';
import { isNewer, termsVersion } from '../terms-version.ts';
import { unusedGeneration } from './generations.ts';
import { storeTextsAgain, withBegun, withEnded } from './late-writes.ts';
import { type AxisChunk, FencedOff, PostingEdits, writeEdits } from './posting-edits.ts';
import { renewSummaries } from './renew-summaries.ts';
import { type IndexUpdateOptions, type StepLimits, stepLimits } from './update-step.ts';

/**
 * How a rebuild ended. `switched`: lists read its generation. `nothing`: nothing was ever indexed, or none was
 * requested. `superseded`: another process holds it, or took it over because this one did not renew its lease
 * in time. `stopped`: its time was over, or its signal was aborted; any process can continue it.
 */
export type RebuildOutcome =
  | { kind: 'switched'; head: IndexHead }
  | { kind: 'nothing' }
  | { kind: 'superseded' }
  | { kind: 'stopped' };

/** Ends the work of a process whose rebuild another one has taken. `RebuildWorker.work` turns it into an outcome. */
class Superseded extends Error {
  override name = 'Superseded';
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
 * One rebuild step of the index function handles four times as much as an update step, because every step
 * rewrites the common postings.
 */
const updateStepsTogether = 4;

/** A process's next action on the rebuild of an organization. */
export type NextOfRebuild =
  /** Nothing was ever indexed, or no rebuild was requested. */
  | { do: 'nothing' }
  /** Another process is working on the rebuild, or a newer version may still resume its own. */
  | { do: 'leave' }
  /** Begin in an unused generation: late writes can still arrive in any other. */
  | { do: 'begin'; building: Rebuild }
  /** Continue from the stored progress, with a new epoch. */
  | { do: 'continue'; building: Rebuild };

/** @param begins true to begin a rebuild if there is none */
export function nextOfRebuild(
  head: IndexHead | undefined,
  { begins, now }: { begins: boolean; now: number },
): NextOfRebuild {
  const building = head?.building;
  if (!head || (!building && !begins)) return { do: 'nothing' };
  const until = now + rebuildGivenUpMs;
  if (building) {
    // Its lease has not ended, or the newer version that began it may still resume it.
    const patienceMs = isNewer(building.terms) && !begins ? rebuildGivenUpMs : 0;
    if (building.until + patienceMs > now) return { do: 'leave' };
    // Postings of other rules cannot be continued.
    if (building.terms === termsVersion) {
      const { isReleased: _, ...rest } = building;
      return { do: 'continue', building: { ...rest, epoch: building.epoch + 1, until } };
    }
  }
  return { do: 'begin', building: { ...rebuildAfter(head), until } };
}

/** Returns a new rebuild, in the generation after those that the head names. */
function rebuildAfter({ generation, building }: IndexHead): Omit<Rebuild, 'until'> {
  const unused = Math.max(generation, building?.generation ?? 0) + 1;
  return { generation: unused, terms: termsVersion, indexed: 1, updated: 1, epoch: 1 };
}

interface RebuildOptions {
  limits?: RebuildLimits;
  /** Called after each step with the number of testimonials indexed. */
  progress?: (testimonials: number) => void;
  /** Stops the rebuild between two writes, so that another process can continue it. */
  signal?: AbortSignal | undefined;
}

/**
 * Builds a new generation of everything below `indexed`, and switches to it. Continues an unfinished rebuild.
 * The next index update adds the tail and all changes made during the rebuild.
 */
export async function rebuildIndex(
  deps: IndexDependencies,
  organization: string,
  options: RebuildOptions = {},
): Promise<RebuildOutcome> {
  const taken = await takeRebuild(deps, organization, { ...options, begins: true });
  if (taken.kind !== 'worker') return taken;
  const { worker } = taken;
  // The index function continues it if this process is killed.
  if (worker.hasBegun) await deps.index.requestIndexUpdate(organization, deps.now());
  return worker.work();
}

/** Begins a rebuild that the index function continues, and requests an index update. */
export async function beginRebuild(deps: IndexDependencies, organization: string): Promise<void> {
  const taken = await takeRebuild(deps, organization, { begins: true });
  if (taken.kind === 'worker') await taken.worker.stop();
  await deps.index.requestIndexUpdate(organization, deps.now());
}

/**
 * Continues an unfinished rebuild, if there is one, until it is done or the time is over.
 * @param options.begins true to begin a rebuild if there is none
 */
export async function continueRebuild(
  deps: IndexDependencies,
  organization: string,
  { until, limits, begins = false }: IndexUpdateOptions & { begins?: boolean },
): Promise<RebuildOutcome> {
  const { postings, bits } = { ...stepLimits, ...limits };
  const steps = { postings: updateStepsTogether * postings, bits: updateStepsTogether * bits };
  const taken = await takeRebuild(deps, organization, { limits: steps, begins });
  return taken.kind === 'worker' ? taken.worker.work(until) : taken;
}

/** Takes the lease of the rebuild, in the head, or says why there is none to take. */
async function takeRebuild(
  deps: IndexDependencies,
  organization: string,
  { begins, ...options }: RebuildOptions & { begins: boolean },
): Promise<{ kind: 'worker'; worker: RebuildWorker } | Exclude<RebuildOutcome, { kind: 'switched' }>> {
  const { index, now } = deps;
  for (;;) {
    if (options.signal?.aborted) return { kind: 'stopped' };
    const head = await index.readHead(organization);
    const next = nextOfRebuild(head, { begins, now: now().getTime() });
    if (!head || next.do === 'nothing') return { kind: 'nothing' };
    if (next.do === 'leave') return { kind: 'superseded' };
    let { building } = next;
    if (next.do === 'begin') {
      const generation = await unusedGeneration(index, organization, building.generation);
      building = { ...building, generation };
    }
    const taken = await index.replaceHead(organization, {
      ...head,
      ...(head.building && withLapsed(head, head.building, now().getTime())),
      building,
    });
    if (taken) {
      const worker = new RebuildWorker({ ...deps, ...options, organization }, taken, building);
      return { kind: 'worker', worker };
    }
  }
}

/** Names the process in the head whose rebuild another one takes over: it may still write. */
function withLapsed(head: IndexHead, { generation, epoch, isReleased }: Rebuild, now: number) {
  // When it began is unknown, so every erasure that has not settled waits for it.
  return isReleased ? {} : withBegun(head, { generation, epoch, since: 0 }, now);
}

interface RebuildDependencies extends IndexDependencies, RebuildOptions {
  organization: string;
}

/** A rebuild that this process holds, with the head and the rebuild as last stored. */
class RebuildWorker {
  readonly #deps: RebuildDependencies;
  #head: IndexHead;
  #rebuild: Rebuild;
  /** True if this process began the rebuild. */
  readonly hasBegun: boolean;
  #count = 0;

  constructor(deps: RebuildDependencies, head: IndexHead, rebuild: Rebuild) {
    this.#deps = deps;
    this.#head = head;
    this.#rebuild = rebuild;
    this.hasBegun = rebuild.epoch === 1;
  }

  /** True if lists read the generation of this rebuild. */
  get #hasSwitched(): boolean {
    return this.#head.generation === this.#rebuild.generation;
  }

  /** Works until lists read the generation, the time is over or the signal is aborted. */
  async work(until = Number.POSITIVE_INFINITY): Promise<RebuildOutcome> {
    try {
      do {
        this.#deps.signal?.throwIfAborted();
        await (this.#rebuild.indexed < this.#head.indexed ? this.#index(this.#head.indexed) : this.#switch());
      } while (!this.#hasSwitched && this.#deps.now().getTime() < until);
    } catch (error) {
      const { signal } = this.#deps;
      const isAborted = signal?.aborted && error === signal.reason;
      if (!isAborted && !(error instanceof Superseded)) throw error;
      // Without a switch, another process has the rebuild. With one, that process has switched to this
      // generation, or this one did and the response was lost.
      if (!isAborted && !this.#hasSwitched) return { kind: 'superseded' };
    }
    return this.#hasSwitched ? { kind: 'switched', head: this.#head } : this.stop();
  }

  /** Ends the lease, so that any process can continue at once. */
  async stop(): Promise<RebuildOutcome> {
    const released = { ...this.#rebuild, until: this.#deps.now().getTime(), isReleased: true } as const;
    try {
      await this.#replaceBuilding(released);
      return { kind: 'stopped' };
    } catch (error) {
      if (!(error instanceof Superseded)) throw error;
      return this.#hasSwitched ? { kind: 'switched', head: this.#head } : { kind: 'superseded' };
    }
  }

  /** Indexes the next testimonials below an ordinal, as many as the limits allow. */
  async #index(to: Ordinal): Promise<void> {
    const { testimonials, index, organization } = this.#deps;
    const { generation, epoch, ...before } = this.#rebuild;
    const edits = new PostingEdits();
    const since = this.#deps.now().getTime();
    let indexed = to;
    for await (const page of testimonials.from(organization, before.indexed, { limit: pageSize })) {
      const rest = page.filter(({ ordinal }) => ordinal < to);
      const next = this.#put(rest, edits);
      if (next) indexed = next.ordinal;
      await this.#renewLease();
      if (next || rest.length < page.length) break;
    }
    try {
      await writeEdits(index, organization, { generation, epoch }, edits, () => this.#renewLease());
      await this.#store({
        ...this.#rebuild,
        indexed,
        updated: Math.max(before.updated, edits.highestUpdate + 1),
        // Each step has its own epoch (rule 10).
        epoch: epoch + 1,
        ...(edits.hides && { hasHidden: true }),
        rows: sumOfRows(before.rows, edits.rows),
      });
    } catch (error) {
      await storeTextsAgain(this.#deps, organization, { generation, since, edits });
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
   * Restarts in another generation. Postings can refuse a rebuild although no other process works on it:
   * those of a restored backup can be some seconds newer than its head (rule 21).
   * @throws {Superseded} if another process has taken the rebuild
   */
  async #restart(): Promise<void> {
    const { index, organization } = this.#deps;
    const start = rebuildAfter(this.#head);
    const generation = await unusedGeneration(index, organization, start.generation);
    await this.#store({ ...start, generation });
    this.#count = 0;
  }

  /**
   * Renews the lease when half of it has passed. Writes the head no more often, because each write makes an
   * index update restart.
   */
  async #renewLease(): Promise<void> {
    this.#deps.signal?.throwIfAborted();
    const now = this.#deps.now().getTime();
    if (this.#rebuild.until - now <= rebuildGivenUpMs / 2) await this.#store(this.#rebuild);
  }

  async #store(rebuild: Omit<Rebuild, 'until'>): Promise<void> {
    await this.#replaceBuilding({ ...rebuild, until: this.#deps.now().getTime() + rebuildGivenUpMs });
  }

  async #replaceBuilding(building: Rebuild): Promise<void> {
    await this.#replaceHead((head) => ({ ...head, building }));
    this.#rebuild = building;
  }

  async #switch(): Promise<void> {
    const { index, organization } = this.#deps;
    const { generation, indexed, updated, epoch, terms, hasHidden, rows } = this.#rebuild;
    const chunks = await this.#chunks();
    await renewSummaries(index, organization, generation, chunks);
    const history = historyOf(chunks);
    const now = this.#deps.now().getTime();
    await this.#replaceHead((head) => ({
      ...withoutGeneration(head),
      ...withEnded(head, { generation, epoch, since: 0 }, now),
      ...(history && { history }),
      ...(hasHidden && { hasHidden }),
      ...(rows && { rows }),
      generation,
      terms,
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

  /** Returns the chunks that contain testimonials. Only those have summaries. */
  async #chunks(): Promise<AxisChunk[]> {
    const { index, organization } = this.#deps;
    const range = { from: 0, to: Number.POSITIVE_INFINITY };
    const chunks = axes.map(async (axis) => {
      const all = facetPosting(axis, everyTestimonial);
      const bits = await index.readTerm(organization, this.#rebuild.generation, all, range);
      return bits.map(({ chunk }) => ({ axis, chunk }));
    });
    return (await Promise.all(chunks)).flat();
  }

  /** @throws {Superseded} if another process has taken the rebuild */
  async #replaceHead(change: (head: IndexHead) => IndexHead): Promise<void> {
    const { index, organization } = this.#deps;
    for (;;) {
      const replaced = await index.replaceHead(organization, change(this.#head));
      this.#head = replaced ?? (await index.readHead(organization)) ?? noIndex;
      if (replaced) return;
      const { building } = this.#head;
      const { generation, epoch } = this.#rebuild;
      if (building?.generation !== generation || building.epoch !== epoch) throw new Superseded();
    }
  }
}

/**
 * Removes the members of a head that describe one generation. Keeps members that only a newer version knows.
 */
function withoutGeneration(head: IndexHead) {
  return without(head, 'building', 'load', 'history', 'hasErased', 'hasHidden', 'rows');
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
