/**
 * Rebuilding: a new generation of postings beside the one that lists read, then one switch of the head. It goes in steps;
 * where it stands is in the head, so that any process goes on with one that was left.
 */
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import { everyTestimonial } from '../../domain/terms.ts';
import { type Axis, axes, firstPlace, type Ordinal } from '../../domain/testimonial-order.ts';
import { rebuildGivenUpMs } from '../../timing.ts';
import { chunkSize } from '../bits/bitmap.ts';
import {
  type IndexDependencies,
  type IndexHead,
  type IndexStore,
  noIndex,
  type Rebuild,
  sumOfRows,
} from '../index-store.ts';
import { facetPosting } from '../index-terms.ts';
import { isNewer, termsVersion } from '../terms-version.ts';
import { unusedGeneration } from './generations.ts';
import { type AxisChunk, FencedOff, PostingEdits, writeEdits } from './posting-edits.ts';
import { renewSummaries } from './renew-summaries.ts';
import { type IndexUpdateOptions, type StepLimits, stepLimits } from './update-step.ts';

/** Another process is at the rebuild, or took over because this one was away for too long. */
export class RebuildSuperseded extends Error {
  override name = 'RebuildSuperseded';

  constructor(organization: string) {
    super(
      `Another process rebuilds the list index of ${organization}, or was killed less than two minutes ago: the index function goes on with it then, as does this command.`,
    );
  }
}

// Testimonials read at once.
const pageSize = 1000;

type RebuildLimits = Pick<StepLimits, 'postings' | 'bits'>;

/**
 * A posting is written once for all of a step, which costs the less the longer that is. These are the terms of some 100,000
 * short texts, and take some 400 MB, which an operator's machine has.
 */
export const longSteps: RebuildLimits = { postings: 1_000_000, bits: 10_000_000 };

/** A step has as much as so many of an index update: every step writes again what common terms have, so that long ones write less. */
const stepsTogether = 4;

/** The steps of whoever has other things to do, by what its index updates may take in one. */
function turnSteps({ postings = stepLimits.postings, bits = stepLimits.bits }: Partial<RebuildLimits> = {}) {
  return { postings: stepsTogether * postings, bits: stepsTogether * bits };
}

/** What whoever comes to an organization does about its rebuild. */
export type NextOfRebuild =
  /** Nothing was ever indexed, or nobody asked for a rebuild. */
  | { do: 'nothing' }
  /** Somebody shows life at it, or a newer version may go on with what it left. */
  | { do: 'wait' }
  /** A generation that was never used before: late writes may still arrive in any other. Also of other rules. */
  | { do: 'begin'; building: Rebuild }
  /** It was left: by another epoch it goes on where it stopped. */
  | { do: 'go on'; building: Rebuild };

/** @param begins whether to begin one where there is none */
export function nextOfRebuild(
  head: IndexHead | undefined,
  { begins, now }: { begins: boolean; now: number },
): NextOfRebuild {
  const there = head?.building;
  if (!head || (!there && !begins)) return { do: 'nothing' };
  const until = now + rebuildGivenUpMs;
  if (there) {
    const patienceMs = isNewer(there.terms) && !begins ? rebuildGivenUpMs : 0;
    if (there.until + patienceMs > now) return { do: 'wait' };
    if (there.terms === termsVersion) {
      return { do: 'go on', building: { ...there, epoch: there.epoch + 1, until } };
    }
  }
  return { do: 'begin', building: { ...firstStepAfter(head), until } };
}

/** A rebuild that has not begun: its generation was never used. */
function firstStepAfter({ generation, building }: IndexHead): Omit<Rebuild, 'until'> {
  const unused = Math.max(generation, building?.generation ?? 0) + 1;
  return { generation: unused, terms: termsVersion, indexed: 1, updated: 1, epoch: 1 };
}

interface RebuildOptions {
  limits?: RebuildLimits;
  /** Told after each step how many testimonials were indexed. */
  progress?: (testimonials: number) => void;
  /** Ends it: once nothing that it writes is under way, the rebuild is left to whoever comes next. */
  signal?: AbortSignal | undefined;
}

/**
 * Builds a new generation of all that the index has passed, and switches to it; goes on with a rebuild that was left. What is
 * above, and what changes meanwhile, keeps its markers and is left to the next update of the index.
 * @returns the head as it is then, or undefined when nothing was ever indexed
 * @throws {RebuildSuperseded} another process goes on with it
 * @throws the signal's reason
 */
export async function rebuildIndex(
  deps: IndexDependencies,
  organization: string,
  options: RebuildOptions = {},
): Promise<IndexHead | undefined> {
  const worker = await takeRebuild(deps, organization, true, options);
  // Whoever finds it left goes on with it.
  if (worker?.hasBegun) await deps.index.requestIndexUpdate(organization, deps.now());
  await worker?.work().catch(async (error: unknown) => {
    if (options.signal?.aborted && error === options.signal.reason) await worker.leave();
    // Somebody else switched to its generation, or the answer to its own switch was lost.
    if (!(error instanceof RebuildSuperseded && worker.hasSwitched)) throw error;
  });
  return worker?.head;
}

/** Begins a rebuild and leaves it to whoever comes to the organization next, who is asked for. */
export async function beginRebuild(deps: IndexDependencies, organization: string): Promise<void> {
  await takeRebuild(deps, organization, true)
    .then((worker) => worker?.leave())
    .catch(unlessSuperseded);
  await deps.index.requestIndexUpdate(organization, deps.now());
}

/**
 * Goes on with a rebuild that was left, if there is one, until it is done or the time is over; then it is left to whoever comes
 * next.
 * @param begins whether to begin one where there is none
 */
export async function continueRebuild(
  deps: IndexDependencies,
  organization: string,
  { until, limits, begins = false }: IndexUpdateOptions & { begins?: boolean },
): Promise<void> {
  await takeRebuild(deps, organization, begins, { limits: turnSteps(limits) })
    .then((worker) => worker?.work(until))
    .catch(unlessSuperseded);
}

/** Passes over the error that another process is at a rebuild. */
function unlessSuperseded(error: unknown): void {
  if (!(error instanceof RebuildSuperseded)) throw error;
}

/**
 * Writes into the head that this process is at the rebuild.
 * @returns undefined when there is none
 * @throws {RebuildSuperseded} another process is
 */
async function takeRebuild(
  deps: IndexDependencies,
  organization: string,
  begins: boolean,
  options: RebuildOptions = {},
): Promise<RebuildWorker | undefined> {
  for (;;) {
    options.signal?.throwIfAborted();
    const head = await deps.index.readHead(organization);
    const next = nextOfRebuild(head, { begins, now: deps.now().getTime() });
    if (!head || next.do === 'nothing') return undefined;
    if (next.do === 'wait') throw new RebuildSuperseded(organization);
    const building =
      next.do === 'begin' ? await inUnusedGeneration(deps.index, organization, next.building) : next.building;
    const taken = await deps.index.replaceHead(organization, { ...head, building });
    if (taken) return new RebuildWorker({ ...deps, ...options, organization }, taken, building);
  }
}

/** Moves a rebuild that has not begun to an unused generation: a lost head leaves postings above the current one. */
async function inUnusedGeneration(
  index: IndexStore,
  organization: string,
  building: Rebuild,
): Promise<Rebuild> {
  return { ...building, generation: await unusedGeneration(index, organization, building.generation) };
}

interface RebuildDependencies extends IndexDependencies, RebuildOptions {
  organization: string;
}

/** A process at a rebuild, with the head and the rebuild as it has left them. */
class RebuildWorker {
  readonly #deps: RebuildDependencies;
  head: IndexHead;
  #mine: Rebuild;
  /** Whether it is a rebuild that nobody was at. */
  readonly hasBegun: boolean;
  #count = 0;

  constructor(deps: RebuildDependencies, head: IndexHead, mine: Rebuild) {
    this.#deps = deps;
    this.head = head;
    this.#mine = mine;
    this.hasBegun = mine.epoch === 1;
  }

  /** Whether lists read the generation that it was at. */
  get hasSwitched(): boolean {
    return this.head.generation === this.#mine.generation;
  }

  /**
   * Goes on until lists read the generation, or the time is over: then it leaves the rebuild.
   * @throws {RebuildSuperseded}
   * @throws the signal's reason, wherever no write is under way
   */
  async work(until = Number.POSITIVE_INFINITY): Promise<void> {
    do {
      this.#deps.signal?.throwIfAborted();
      await (this.#mine.indexed < this.head.indexed ? this.#index(this.head.indexed) : this.#switch());
    } while (!this.hasSwitched && this.#deps.now().getTime() < until);
    if (!this.hasSwitched) await this.leave();
  }

  /** Takes the next testimonials before an ordinal into the new generation, as many as a step may. */
  async #index(to: Ordinal): Promise<void> {
    const { testimonials, index, organization } = this.#deps;
    const { generation, epoch, ...before } = this.#mine;
    const edits = new PostingEdits();
    let indexed = to;
    for await (const page of testimonials.from(organization, before.indexed, { limit: pageSize })) {
      const rest = page.filter(({ ordinal }) => ordinal < to);
      const left = this.#put(rest, edits);
      if (left) indexed = left.ordinal;
      await this.#goesOn();
      if (left || rest.length < page.length) break;
    }
    try {
      await writeEdits(index, organization, { generation, epoch }, edits, () => this.#goesOn());
    } catch (error) {
      if (!(error instanceof FencedOff)) throw error;
      return this.#beginAgain();
    }
    await this.#go({
      ...this.#mine,
      indexed,
      updated: Math.max(before.updated, edits.highestUpdate + 1),
      // Each step has an epoch of its own.
      epoch: epoch + 1,
      ...(edits.hides && { hasHidden: true }),
      rows: sumOfRows(before.rows, edits.rows),
    });
    this.#deps.progress?.(this.#count);
  }

  /**
   * Takes another generation where postings refuse this one although nobody else is at the rebuild: a restored backup can have postings
   * that are some seconds newer than the head.
   * @throws {RebuildSuperseded} when another process has taken the rebuild
   */
  async #beginAgain(): Promise<void> {
    const { index, organization, now } = this.#deps;
    const start = { ...firstStepAfter(this.head), until: now().getTime() + rebuildGivenUpMs };
    const building = await inUnusedGeneration(index, organization, start);
    await this.#replace((head) => ({ ...head, building }));
    this.#mine = building;
    this.#count = 0;
  }

  #isMine({ building }: IndexHead): boolean {
    return building?.generation === this.#mine.generation && building.epoch === this.#mine.epoch;
  }

  /** Puts testimonials into the edits, as many as a step takes; returns the first that it does not. */
  #put(page: readonly StoredTestimonial[], edits: PostingEdits): StoredTestimonial | undefined {
    const { limits = longSteps } = this.#deps;
    for (const stored of page) {
      if (edits.isFull(limits)) return stored;
      edits.put(stored);
      this.#count += 1;
    }
    return undefined;
  }

  /** Ends, or shows life, where nothing is being written. Seldom: an index update begins again when the head is replaced. */
  async #goesOn(): Promise<void> {
    this.#deps.signal?.throwIfAborted();
    const now = this.#deps.now().getTime();
    if (this.#mine.until - now <= rebuildGivenUpMs / 2) await this.#go(this.#mine);
  }

  async #go(building: Rebuild, forMs = rebuildGivenUpMs): Promise<void> {
    const next = { ...building, until: this.#deps.now().getTime() + forMs };
    await this.#replace((head) => ({ ...head, building: next }));
    this.#mine = next;
  }

  /** Whoever comes next goes on with it at once. */
  async leave(): Promise<void> {
    await this.#go(this.#mine, 0);
  }

  async #switch(): Promise<void> {
    const { index, organization } = this.#deps;
    const { generation, indexed, updated, epoch, terms, hasHidden, rows } = this.#mine;
    const chunks = await this.#chunks();
    await renewSummaries(index, organization, generation, chunks);
    const history = historyOf(chunks);
    await this.#replace((head) => ({
      ...withoutGeneration(head),
      ...(history && { history }),
      ...(hasHidden && { hasHidden }),
      ...(rows && { rows }),
      generation,
      terms,
      indexed,
      updated,
      reach: indexed,
      replaced: {},
      // Index updates come after all of this.
      epoch: Math.max(head.epoch, epoch),
      // The new generation has none of the changes of which markers are left.
      covered: [],
    }));
  }

  /** The chunks in which the generation has testimonials: others have no summary. */
  async #chunks(): Promise<AxisChunk[]> {
    const { index, organization } = this.#deps;
    const allChunks = { from: 0, to: Number.POSITIVE_INFINITY };
    const found = axes.map(async (axis) => {
      const all = facetPosting(axis, everyTestimonial);
      const bits = await index.readTerm(organization, this.#mine.generation, all, allChunks);
      return bits.map(({ chunk }) => ({ axis, chunk }));
    });
    return (await Promise.all(found)).flat();
  }

  /** @throws {RebuildSuperseded} when another process has taken the rebuild */
  async #replace(change: (head: IndexHead) => IndexHead): Promise<void> {
    const { index, organization } = this.#deps;
    for (;;) {
      const replaced = await index.replaceHead(organization, change(this.head));
      this.head = replaced ?? (await index.readHead(organization)) ?? noIndex;
      if (replaced) return;
      if (!this.#isMine(this.head)) throw new RebuildSuperseded(organization);
    }
  }
}

/** A head without what is about one generation; members that only a newer version knows stay. */
function withoutGeneration({ building: _, load: __, history: ___, ...head }: IndexHead) {
  const { hasErased: ____, hasHidden: _____, rows: ______, ...rest } = head;
  return rest;
}

/** Where chunks begin, if the history has testimonials. */
function historyOf(chunks: readonly AxisChunk[]): IndexHead['history'] {
  const begin = (axis: Axis) =>
    Math.min(
      firstPlace,
      ...chunks.filter((each) => each.axis === axis).map(({ chunk }) => chunk * chunkSize),
    );
  const history = { createdAt: begin('createdAt'), updatedAt: begin('updatedAt') };
  return Math.min(history.createdAt, history.updatedAt) < firstPlace ? history : undefined;
}
