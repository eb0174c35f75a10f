/**
 * Undoes a load: erases the testimonials that it stored and no one has changed, so that its lines can be
 * loaded again.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { UndoResult, WorkCallbacks } from '../../domain/loads.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import { ordinalOf } from '../../domain/testimonial-id.ts';
import { firstPosition } from '../../domain/testimonial-order.ts';
import { paceOf } from '../list-index/write/await-index.ts';
import { eraseEach } from '../operations/erase-testimonial.ts';
import { recordEnd, runToEnd, showLoad } from './all-at-once.ts';
import { Claim, refuseIfClaimed } from './claim.ts';
import type { Block, LoadStores, NamedLoad, StartedRecord } from './load-record.ts';
import { reservedBy } from './store-load.ts';

export interface UndoDependencies extends LoadStores, WorkCallbacks {
  /** The number of testimonials in memory at once. */
  pageLength?: number | undefined;
}

/**
 * Counts the testimonials that an undo would erase or keep.
 * @throws {LoadRefused} when another process works on the load
 */
export async function previewUndo(
  deps: UndoDependencies,
  organization: string,
  load: NamedLoad<StartedRecord>,
): Promise<UndoResult> {
  refuseIfClaimed(organization, load, deps.now());
  const facts = await undoFactsOf(deps, organization, load);
  return throughPositions(deps, organization, facts, 'previewed', async ({ stored }) => {
    const erased = stored.filter(isUnchanged).length;
    return { erased, changed: stored.length - erased };
  });
}

/**
 * Undoes a load, or continues an undo that was stopped. Testimonials that someone changes in the meantime
 * stay. Once the undo has begun, the load cannot continue, because lines that a process still sends find
 * their positions sealed.
 * @throws {LoadRefused} when another process works on the load
 */
export async function undoLoad(
  deps: UndoDependencies,
  organization: string,
  { name, record: last }: NamedLoad<StartedRecord>,
): Promise<UndoResult> {
  const { index, loads, progress, runStoppable = runToEnd } = deps;
  const claim = new Claim(deps, organization, { name, record: last });
  const done = last.state === 'undoing' ? (last.done ?? 0) : 0;
  const record = await claim.save<StartedRecord>({ ...last, state: 'undoing', done });
  const facts = await undoFactsOf(deps, organization, { name, record });
  const { loadNumber, positions } = facts;
  const kept = new Set<number>();
  return claim.releaseOnFailure(async () => {
    // Releases the claim before a second signal can end the process.
    const undone = await runStoppable((signal) =>
      claim.releaseOnFailure(() => {
        const erase = eraser(deps, claim, kept, signal);
        return throughPositions(deps, organization, facts, 'erased', erase);
      }),
    );
    if (loadNumber !== undefined) {
      const keptRanks = positions.flatMap((position, rank) => (kept.has(position) ? rank : []));
      await loads.storeKeptRanks(organization, loadNumber, keptRanks);
    }
    // An unfinished load is still hidden.
    if ((await index.readHead(organization))?.load === name) {
      const showDependencies = {
        ...deps,
        progress: (count: number) => progress(count, positions.length, 'indexed'),
      };
      await showLoad(showDependencies, organization);
    }
    await claim.save({ ...record, state: 'undone' });
    await recordEnd(deps, organization, name);
    return undone;
  });
}

type PageWork = (page: {
  stored: StoredTestimonial[];
  /** The positions without a line. */
  unused: number[];
}) => Promise<Pick<UndoResult, 'erased' | 'changed'>>;

/**
 * Returns a function that erases the unchanged testimonials of a page, and adds the ordinals of the others to
 * `kept`.
 */
function eraser(deps: UndoDependencies, claim: Claim, kept: Set<number>, signal: AbortSignal): PageWork {
  const { testimonials, sleep = wait } = deps;
  const { organization } = claim;
  const pacing = {
    ...deps,
    async sleep(milliseconds: number) {
      await claim.renew();
      await sleep(milliseconds);
    },
  };
  const pace = paceOf(pacing, organization);
  return async ({ stored, unused }) => {
    signal.throwIfAborted();
    await claim.renew();
    // Lines of a stopped process can arrive until their positions are sealed.
    const late = await Promise.all(
      unused.map((position) => testimonials.sealPosition(organization, position)),
    );
    const all = [...stored, ...late.filter((arrived) => arrived !== undefined)];
    const unchanged = all.filter(isUnchanged).map(({ testimonial }) => testimonial);
    const { done, already } = await eraseEach(deps, organization, unchanged, { pace });
    const erased = new Set([...done, ...already]);
    const changed = all.filter(({ testimonial }) => !erased.has(testimonial.id));
    for (const { ordinal } of changed) kept.add(ordinal);
    claim.done += all.length;
    return { erased: done.length, changed: changed.length };
  };
}

/** The facts about a load that an undo knows beforehand. */
interface UndoFacts extends Pick<UndoResult, 'at' | 'isFirst'> {
  /** The positions that may have lines, in the order of creation. */
  positions: number[];
  /** The number of the load, if it has reserved positions in the history. */
  loadNumber?: number;
}

async function undoFactsOf(
  { loads }: UndoDependencies,
  organization: string,
  { name, record }: NamedLoad<StartedRecord>,
): Promise<UndoFacts> {
  const at = record.time;
  if (record.isPlaced) {
    const { positions, number } = await reservedBy(loads, organization, name);
    const isFirst = positions.createdAt.some((position) => position >= firstPosition);
    return { loadNumber: number, isFirst, at, positions: positions.createdAt.slice(0, record.highWater) };
  }
  const ordinalsIn = ({ ordinal, count }: Block) => Array.from({ length: count }, (_, i) => ordinal + i);
  return { isFirst: false, at, positions: record.blocks.flatMap(ordinalsIn) };
}

// A few dozen megabytes, even if all texts have the maximum length.
const defaultPageLength = 500;

/**
 * Reads the positions of a load page by page, and sums the results of `work` on the stored testimonials
 * and unused positions.
 */
async function throughPositions(
  { testimonials, progress, pageLength = defaultPageLength }: UndoDependencies,
  organization: string,
  { positions, at, isFirst }: UndoFacts,
  phase: 'previewed' | 'erased',
  work: PageWork,
): Promise<UndoResult> {
  const sum: UndoResult = { at, isFirst, erased: 0, changed: 0, gone: 0 };
  for (let i = 0; i < positions.length; i += pageLength) {
    const page = positions.slice(i, i + pageLength);
    const stored = await testimonials.findMany(organization, page);
    const taken = new Set(stored.map(({ ordinal }) => ordinal));
    const others = page.filter((position) => !taken.has(position));
    const gone = new Set((await testimonials.findErased(organization, others)).map(ordinalOf));
    const unused = others.filter((position) => !gone.has(position));
    const { erased, changed } = await work({ stored, unused });
    sum.erased += erased;
    sum.changed += changed;
    sum.gone += gone.size;
    progress(Math.min(i + pageLength, positions.length), positions.length, phase);
  }
  return sum;
}

/**
 * True if no one has changed the testimonial. Its version also rises when an index update stops a pending
 * change.
 */
function isUnchanged({ previousUpdateOrdinal }: StoredTestimonial): boolean {
  return previousUpdateOrdinal === undefined;
}
