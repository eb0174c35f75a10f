/**
 * Rebuilding: a new generation of postings beside the one that lists read, then one switch of the head. It goes in steps;
 * where it stands is in the head, so that any process goes on with one that was left.
 */
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import { everyTestimonial } from '../../domain/terms.ts';
import { type Axis, axes, firstPlace } from '../../domain/testimonial-order.ts';
import { rebuildGivenUpMs } from '../../timing.ts';
import { chunkSize } from '../bits/bitmap.ts';
import { type IndexHead, type Rebuild, sumOfRows } from '../index-store.ts';
import { facetPosting } from '../index-terms.ts';
import { isNewer, termsVersion } from '../terms-version.ts';
import { type AxisChunk, FencedOff, PostingEdits, writeEdits } from './posting-edits.ts';
import { renewSummaries } from './renew-summaries.ts';
import type { IndexDependencies, IndexUpdateOptions } from './update-index.ts';
import { type StepLimits, stepLimits } from './update-step.ts';

/** Another process is at the rebuild, or took over because this one was away for too long. */
export class RebuildSuperseded extends Error {
  override name = 'RebuildSuperseded';

  constructor(organization: string) {
    super(
      `Another process rebuilds the list index of ${organization}, or was killed less than two minutes ago: the index function goes on with it then, as does this command.`,
    );
  }
}

/** Passes over the error that another process is at a rebuild. */
export function unlessSuperseded(error: unknown): void {
  if (!(error instanceof RebuildSuperseded)) throw error;
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

/** The next part of a rebuild. */
export type NextOfRebuild =
  /** Nothing was ever indexed, or nobody asked for a rebuild. */
  | { do: 'nothing' }
  /** Somebody is at it, and shows life until then. */
  | { do: 'wait'; until: number }
  /** A newer version has left it, which this one cannot end: it begins again if that comes back. */
  | { do: 'give up'; building: Rebuild }
  /** A generation that was never used before: late writes may still arrive in any other. Also of other rules. */
  | { do: 'begin'; building: Rebuild }
  /** Testimonials from one ordinal to before another go into the new generation. Each step has an epoch of its own. */
  | { do: 'index'; building: Rebuild; to: number }
  /** All are in: what is left are the summaries, and the switch. */
  | { do: 'switch'; building: Rebuild };

/**
 * @param mine the rebuild as this process has left it in the head; undefined when it has not begun
 * @param begins whether to begin one where there is none
 */
export function nextOfRebuild(
  head: IndexHead | undefined,
  { mine, begins, now }: { mine: Rebuild | undefined; begins: boolean; now: number },
): NextOfRebuild {
  const until = now + rebuildGivenUpMs;
  const there = head?.building;
  if (!head || (!there && !begins)) return { do: 'nothing' };
  const isMine = there !== undefined && there.generation === mine?.generation && there.epoch === mine.epoch;
  if (there && !isMine && there.until > now) return { do: 'wait', until: there.until };
  if (there?.terms !== termsVersion) {
    if (!begins && there && isNewer(there.terms)) {
      const givenUpAt = there.until + rebuildGivenUpMs;
      return givenUpAt > now ? { do: 'wait', until: givenUpAt } : { do: 'give up', building: there };
    }
    const generation = Math.max(head.generation, there?.generation ?? 0, head.lastGeneration ?? 0) + 1;
    const start = { terms: termsVersion, indexed: 1, updated: 1, epoch: 1 };
    return { do: 'begin', building: { generation, ...start, until } };
  }
  const building = { ...there, epoch: isMine ? there.epoch : there.epoch + 1, until };
  if (building.indexed < head.indexed) return { do: 'index', building, to: head.indexed };
  return { do: 'switch', building };
}

/**
 * Builds a new generation of all that the index has passed, and switches to it; goes on with a rebuild that was left. What is
 * above, and what changes meanwhile, keeps its markers and is left to the next update of the index.
 * @param progress told after each step how many testimonials it has indexed
 * @param signal ends it: once nothing that it writes is under way, the rebuild is left to whoever comes next
 * @returns the head as it is then, or undefined when nothing was ever indexed
 * @throws {RebuildSuperseded} another process goes on with it
 * @throws the signal's reason
 */
export async function rebuildIndex(
  deps: IndexDependencies,
  organization: string,
  progress: (testimonials: number) => void,
  { limits = longSteps, signal }: { limits?: RebuildLimits; signal?: AbortSignal | undefined } = {},
): Promise<IndexHead | undefined> {
  const worker = new RebuildWorker(deps, organization, limits, signal);
  for (;;) {
    const next = await worker.step({ begins: !worker.isAtIt }).catch(async (error: unknown) => {
      if (signal?.aborted && error === signal.reason) await worker.leave();
      // Somebody else switched to its generation, or the answer to its own switch was lost.
      if (error instanceof RebuildSuperseded && worker.hasSwitched) return 'switch';
      throw error;
    });
    if (next === 'nothing' || next === 'switch') return worker.head;
    if (next === 'wait') throw new RebuildSuperseded(organization);
    // Whoever finds it left goes on with it.
    if (next === 'begin') await deps.index.requestIndexUpdate(organization, deps.now());
    if (next === 'index') progress(worker.count);
  }
}

/**
 * Begins a rebuild and leaves it to whoever comes to the organization next, who is asked for.
 * @throws {RebuildSuperseded} another process is at one
 */
export async function beginRebuild(deps: IndexDependencies, organization: string): Promise<void> {
  const worker = new RebuildWorker(deps, organization, turnSteps());
  while ((await worker.step({ begins: true })) === 'again');
  await worker.leave();
  await deps.index.requestIndexUpdate(organization, deps.now());
}

/**
 * Goes on with a rebuild that was left, if there is one, until it is done or the time is over; then it is left to whoever comes
 * next.
 * @throws {RebuildSuperseded} another process goes on with it
 */
export async function continueRebuild(
  deps: IndexDependencies,
  organization: string,
  { until = Number.POSITIVE_INFINITY, limits = {} }: IndexUpdateOptions,
): Promise<void> {
  const worker = new RebuildWorker(deps, organization, turnSteps(limits));
  for (;;) {
    const next = await worker.step({ begins: false });
    if (next !== 'index' && next !== 'begin' && next !== 'again') return;
    if (deps.now().getTime() >= until) return worker.leave();
  }
}

/** A process at a rebuild, with the head as it knows it. */
class RebuildWorker {
  readonly #deps: IndexDependencies;
  readonly #organization: string;
  readonly #limits: RebuildLimits;
  readonly #signal: AbortSignal | undefined;
  #mine: Rebuild | undefined;
  head: IndexHead | undefined;
  /** Testimonials that were indexed. */
  count = 0;

  /** @param signal heeded between two steps, and within one wherever no write of it is under way */
  constructor(deps: IndexDependencies, organization: string, limits: RebuildLimits, signal?: AbortSignal) {
    this.#signal = signal;
    this.#deps = deps;
    this.#organization = organization;
    this.#limits = limits;
  }

  /** Whether lists read the generation that it was at. */
  get hasSwitched(): boolean {
    return this.#mine !== undefined && this.head?.generation === this.#mine.generation;
  }

  /** Whether it has begun a rebuild, or taken one that was left. */
  get isAtIt(): boolean {
    return this.#mine !== undefined;
  }

  /**
   * Does what comes next.
   * @param begins whether to begin a rebuild where there is none
   * @returns what it did; `again` when somebody replaced the head in between
   * @throws {RebuildSuperseded}
   */
  async step({ begins }: { begins: boolean }): Promise<NextOfRebuild['do'] | 'again'> {
    const { index, now } = this.#deps;
    this.#signal?.throwIfAborted();
    if (!this.#mine) this.head = await index.readHead(this.#organization);
    const next = nextOfRebuild(this.head, { mine: this.#mine, begins, now: now().getTime() });
    if (next.do === 'nothing' || next.do === 'wait') return next.do;
    if (next.do === 'give up') return (await this.#giveUp(next.building)) ? next.do : 'again';
    if (!this.#mine && !(await this.#take(next.building))) return 'again';
    if (next.do === 'index') await this.#index(next.building, next.to);
    if (next.do === 'switch') await this.#switch(next.building);
    return next.do;
  }

  /** Writes into the head that this process is at the rebuild; returns false when that was replaced in between. */
  async #take(building: Rebuild): Promise<boolean> {
    if (!this.head) return false;
    const taken = await this.#deps.index.replaceHead(this.#organization, { ...this.head, building });
    if (!taken) return false;
    this.head = taken;
    this.#mine = building;
    return true;
  }

  /** Takes a rebuild out of the head; its postings are removed with those of generations before. */
  async #giveUp({ generation: lastGeneration }: Rebuild): Promise<boolean> {
    if (!this.head) return false;
    const { building: _, ...rest } = this.head;
    const next = { ...rest, lastGeneration, replaced: {} };
    return (await this.#deps.index.replaceHead(this.#organization, next)) !== undefined;
  }

  async #index(building: Rebuild, to: number): Promise<void> {
    const { testimonials, index } = this.#deps;
    const edits = new PostingEdits();
    let indexed = to;
    for await (const page of testimonials.from(this.#organization, building.indexed, { limit: pageSize })) {
      const rest = page.filter(({ ordinal }) => ordinal < to);
      const left = this.#put(rest, edits);
      if (left) indexed = left.ordinal;
      await this.#goesOn();
      if (left || rest.length < page.length) break;
    }
    const { generation, epoch } = building;
    await writeEdits(index, this.#organization, { generation, epoch }, edits, () => this.#goesOn()).catch(
      (error: unknown) => {
        throw error instanceof FencedOff ? new RebuildSuperseded(this.#organization) : error;
      },
    );
    const updated = Math.max(building.updated, edits.highestUpdate + 1);
    const hidden = edits.hides && { hasHidden: true };
    const rows = sumOfRows(building.rows, edits.rows);
    await this.#go({ ...building, indexed, updated, epoch: epoch + 1, ...hidden, rows });
  }

  /** Puts testimonials into the edits, as many as a step takes; returns the first that it does not. */
  #put(page: readonly StoredTestimonial[], edits: PostingEdits): StoredTestimonial | undefined {
    for (const stored of page) {
      if (edits.isFull(this.#limits)) return stored;
      edits.put(stored);
      this.count += 1;
    }
    return undefined;
  }

  /** Where nothing is being written. */
  async #goesOn(): Promise<void> {
    this.#signal?.throwIfAborted();
    await this.#showLife();
  }

  /** Puts off being taken for gone. Seldom: an index update begins again when the head is replaced. */
  async #showLife(): Promise<void> {
    const mine = this.#mine;
    const now = this.#deps.now().getTime();
    if (mine && mine.until - now <= rebuildGivenUpMs / 2) await this.#go(mine);
  }

  async #go(building: Rebuild): Promise<void> {
    const until = this.#deps.now().getTime() + rebuildGivenUpMs;
    await this.#replace((head) => ({ ...head, building: { ...building, until } }));
    this.#mine = { ...building, until };
  }

  /** Whoever comes next goes on with it at once. */
  async leave(): Promise<void> {
    const mine = this.#mine;
    if (!mine) return;
    const until = this.#deps.now().getTime();
    await this.#replace((head) => ({ ...head, building: { ...mine, until } }));
    this.#mine = undefined;
  }

  async #switch(building: Rebuild): Promise<void> {
    const { generation, indexed, updated, epoch, terms, hasHidden, rows } = building;
    const chunks = await this.#chunks(generation);
    await renewSummaries(this.#deps.index, this.#organization, generation, chunks);
    const past = pastOf(chunks);
    await this.#replace((head) => ({
      ...withoutGeneration(head),
      ...(past && { past }),
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
    this.#mine = undefined;
  }

  /** The chunks in which a generation has testimonials: others have no summary. */
  async #chunks(generation: number): Promise<AxisChunk[]> {
    const allChunks = { from: 0, to: Number.POSITIVE_INFINITY };
    const found = axes.map(async (axis) => {
      const all = facetPosting(axis, everyTestimonial);
      const bits = await this.#deps.index.readTerm(this.#organization, generation, all, allChunks);
      return bits.map(({ chunk }) => ({ axis, chunk }));
    });
    return (await Promise.all(found)).flat();
  }

  /** @throws {RebuildSuperseded} when another process has taken the rebuild */
  async #replace(change: (head: IndexHead) => IndexHead): Promise<void> {
    const { index } = this.#deps;
    while (this.head) {
      const replaced = await index.replaceHead(this.#organization, change(this.head));
      this.head = replaced ?? (await index.readHead(this.#organization));
      if (replaced) return;
      const { generation, epoch } = this.head?.building ?? {};
      if (generation !== this.#mine?.generation || epoch !== this.#mine?.epoch)
        throw new RebuildSuperseded(this.#organization);
    }
  }
}

/** The members of a head that are not about one generation, or that each head has. */
function withoutGeneration(head: IndexHead): IndexHead {
  const { building: _, load: __, hasErased: ___, hasHidden: ____, ...rest } = head;
  const { past: _____, lastGeneration: ______, rows: _______, ...kept } = rest;
  return kept;
}

/** Where chunks begin, if there are testimonials of the past in them. */
function pastOf(chunks: readonly AxisChunk[]): IndexHead['past'] {
  const begin = (axis: Axis) =>
    Math.min(
      firstPlace,
      ...chunks.filter((each) => each.axis === axis).map(({ chunk }) => chunk * chunkSize),
    );
  const past = { createdAt: begin('createdAt'), updatedAt: begin('updatedAt') };
  return Math.min(past.createdAt, past.updatedAt) < firstPlace ? past : undefined;
}
