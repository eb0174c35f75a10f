/** Stores the lines of a load: reserves their positions, writes them, and waits until lists show them. */
import { LoadRefused, type LoadResult, type WorkCallbacks } from '../../domain/loads.ts';
import { awaitIndex } from '../list-index/write/await-index.ts';
import {
  generationAfter,
  hideFirstLoad,
  hideLoad,
  isFirstLoad,
  recordEnd,
  runToEnd,
  type ShowDependencies,
  showLoad,
  withTotal,
} from './all-at-once.ts';
import { type CheckedLines, checkRoomAndDescribe, mayBePlaced, withoutLines } from './check-lines.ts';
import { Claim } from './claim.ts';
import {
  type BegunRecord,
  hasStarted,
  type LoadStore,
  type LoadStores,
  type NamedLoad,
  type StartedRecord,
} from './load-record.ts';
import { positionsAmong, type ReservedPositions } from './positions.ts';
import { storeAppended, storePlaced } from './store-lines.ts';

export interface StoreDependencies extends LoadStores, WorkCallbacks {
  /** Minimum number of lines whose positions are reserved at once. */
  linesPerBlock?: number | undefined;
}

/**
 * Stores the lines of a load that no earlier process has stored. Never stores a line twice, however often the
 * load is stopped and continued.
 * @throws {LoadRefused} if another process works on the load
 */
export async function storeLoad(
  deps: StoreDependencies,
  checked: CheckedLines,
  which: 'all' | 'only new',
): Promise<LoadResult> {
  // A load with a record, in any state, keeps the lines that it left out.
  const hasRecord = checked.load.claim.record !== undefined;
  const lines = which === 'all' || hasRecord ? checked : withoutLines(checked, checked.duplicates);
  if (!checked.wasLoaded && lines.orders.lines.length > 0) await storeAndEnd(deps, lines);
  return checkRoomAndDescribe(deps, lines);
}

/** Its progress callback knows the total (`withTotal`). */
type CountedDependencies = ShowDependencies &
  Pick<StoreDependencies, 'loads' | 'organizations' | 'linesPerBlock'>;

async function storeAndEnd({ progress, ...deps }: StoreDependencies, lines: CheckedLines): Promise<void> {
  const { claim } = lines.load;
  const { organization } = claim;
  const { length: count } = lines.orders.lines;
  const storing: CountedDependencies = { ...deps, progress: withTotal(progress, count) };
  const record = await claim.releaseOnFailure(async () => {
    if (!claim.record) await deps.organizations.add(organization);
    const current = claim.record ?? (await claim.save(newRecord(lines)));
    const reserved = hasStarted(current) ? current : await startStoring(storing, lines, current);
    return reserved.state === 'storing' ? storeAtPositions(storing, lines, reserved) : reserved;
  });
  await endLoad(storing, claim, record);
}

/** Waits until lists show the stored lines of a load, then ends it. */
async function endLoad(deps: CountedDependencies, claim: Claim, record: StartedRecord): Promise<void> {
  const { organization, name } = claim;
  // A placed record has a generation once its lines are stored.
  if (record.isPlaced) await showLoad(deps, organization, record.generation ?? 0);
  else await awaitIndex(deps, organization, record.blocks);
  await claim.save({ ...record, state: 'ended' });
  // A slow process may have hidden the load again.
  await recordEnd(deps, organization, name);
}

/**
 * Ends a load whose lines are all stored, once lists show them. Does nothing for any other load.
 * @throws {LoadRefused} if another process works on it
 */
export async function endStoredLoad(
  { progress, ...deps }: StoreDependencies,
  organization: string,
  { name, record }: NamedLoad<StartedRecord>,
): Promise<void> {
  if (record.state !== 'stored') return;
  const ending: CountedDependencies = { ...deps, progress: withTotal(progress, record.count) };
  await endLoad(ending, new Claim(deps, organization, { name, record }), record);
}

function newRecord(lines: CheckedLines): BegunRecord {
  const { at, hash, title, mapping } = lines.load;
  const description = { ...(title !== undefined && { title }), ...(mapping !== undefined && { mapping }) };
  return {
    state: 'begun',
    time: at,
    revision: 0,
    hash,
    ...description,
    rules: lines.rules,
    ...numbersOf(lines),
  };
}

/** Returns the counts of lines for a record. */
function numbersOf({ orders, leftOut }: CheckedLines): Pick<BegunRecord, 'count' | 'leftOut'> {
  return { count: orders.lines.length, ...(leftOut.length > 0 && { leftOut: [...leftOut] }) };
}

/**
 * Reserves positions in the history or, in an empty organization, the first positions. Other lines get their
 * positions when they are stored.
 */
async function startStoring(
  deps: CountedDependencies,
  lines: CheckedLines,
  newest: BegunRecord,
): Promise<StartedRecord> {
  const { load, keepsTimes, rules } = lines;
  const { claim } = load;
  const { leftOut: _, ...begun } = newest;
  const record = { ...begun, ...numbersOf(lines), state: 'storing' } as const;
  try {
    // If the process stops between these two writes, the next process finds the positions and saves the
    // record.
    if (mayBePlaced(lines) && (await reservePositions(deps, lines)))
      return await claim.save({ ...record, isPlaced: true, rules, highWater: 0 });
  } catch (error) {
    // If this fails too, the load stays hidden until it is run again, or the index is rebuilt.
    await unhideBegun(deps, claim).catch(() => {});
    throw error;
  }
  if (!keepsTimes) return claim.save({ ...record, isPlaced: false, rules, blocks: [] });
  throw new LoadRefused({ why: 'created meanwhile', organization: claim.organization });
}

async function storeAtPositions(
  deps: CountedDependencies,
  { load: { claim }, orders }: CheckedLines,
  last: StartedRecord,
) {
  const { organization, name } = claim;
  // Takes the claim, unless `startStoring` has.
  const record: StartedRecord = claim.isHeld ? last : await claim.save(last);
  // A manual rebuild may have shown the stored lines.
  if (record.isPlaced) await hideOrRefuse(deps, claim);
  const { runStoppable = runToEnd } = deps;
  // Releases the claim before a second signal can end the process.
  return runStoppable((signal) =>
    claim.releaseOnFailure(async () => {
      const storage = { ...deps, signal, onStored: (done: number) => deps.progress(done, 'stored') };
      if (!record.isPlaced) {
        const stored = await storeAppended(storage, claim, record, orders.lines);
        return claim.save({ ...stored, state: 'stored' });
      }
      const { positions } = await reservedBy(deps.loads, organization, name);
      const stored = await storePlaced(storage, claim, record, orders, positions);
      return claim.save({
        ...stored,
        state: 'stored',
        generation: await generationAfter(deps, organization),
      });
    }),
  );
}

/**
 * Reserves positions for lines. Every process gets the same positions for a load. Later creates get later
 * times than the lines, and other loads get other positions.
 * @returns false if a testimonial was just created and some of the lines are later
 * @throws {LoadRefused} if there are too few positions, or another load is hidden; nothing is stored then
 */
async function reservePositions(deps: CountedDependencies, lines: CheckedLines): Promise<boolean> {
  const { load, orders, before, rules } = lines;
  const { testimonials, loads } = deps;
  const { organization, name } = load.claim;
  const isFirst = before.kind === 'new' && (await beginFirst(deps, lines));
  let { latest: historyEnd } = rules;
  const positionsIn = (all: readonly ReservedPositions[]) =>
    positionsAmong(all, orders, { isFirstLoad: isFirst, historyEnd });
  if (!isFirst) {
    if (before.kind === 'all erased') await testimonials.reopenHistory(organization, before.counter);
    const counter = await testimonials.raiseTime(organization, load.at);
    const last = orders.times.updatedAt.at(-1) ?? 0;
    if (counter.historyEnd !== undefined && last > Date.parse(counter.historyEnd)) return false;
    historyEnd = counter.historyEnd ?? historyEnd;
    const all = await loads.positions(organization);
    // A load without enough positions is refused before it is hidden, so that it does not block other loads.
    if (!all.some((each) => each.name === name)) positionsIn(all);
    await hideOrRefuse(deps, load.claim);
  }
  for (;;) {
    const all = await loads.positions(organization);
    if (all.some((each) => each.name === name)) return true;
    const { positions } = positionsIn(all);
    const loadNumber = (all.at(-1)?.number ?? 0) + 1;
    const { times, ranksByUpdate } = orders;
    if (await loads.addPositions(organization, { number: loadNumber, name, positions, times, ranksByUpdate }))
      return true;
  }
}

/**
 * Begins the first load of an organization that looked empty. Returns false if the organization is not empty.
 */
async function beginFirst(deps: CountedDependencies, { load, orders }: CheckedLines): Promise<boolean> {
  const { organization, name } = load.claim;
  const all = await deps.loads.positions(organization);
  const { last, historyEndMs } = positionsAmong(all, orders, { isFirstLoad: true });
  const end = historyEndMs !== undefined && { historyEnd: new Date(historyEndMs).toISOString() };
  if (await hideFirstLoad(deps, organization, { load: name, last, time: load.at, ...end })) return true;
  if ((await deps.index.readHead(organization))?.load !== undefined)
    throw new LoadRefused({ why: 'other load', organization });
  return false;
}

/** @throws {LoadRefused} when another load is hidden */
async function hideOrRefuse(deps: CountedDependencies, { organization, name }: Claim): Promise<void> {
  if (!(await hideLoad(deps, organization, name))) throw new LoadRefused({ why: 'other load', organization });
  const record = await deps.loads.find(organization, name);
  // If another process ended the load while this one was paused, no other process would remove it from the
  // head.
  if (record?.state === 'ended' || record?.state === 'undone') await recordEnd(deps, organization, name);
}

/**
 * Removes a load that has stored no line from the head, so that it does not block other loads. A first load
 * stays, because the head and the counter have moved past its positions.
 */
async function unhideBegun(deps: CountedDependencies, claim: Claim): Promise<void> {
  const { organization, name, record } = claim;
  if ((await deps.index.readHead(organization))?.load !== name) return;
  if (record?.state !== 'begun' || (await isFirstLoad(deps, organization, name))) return;
  // Fails if another process has continued the load.
  await claim.save(record);
  await recordEnd(deps, organization, name);
  // Another process may have continued the load while this one was paused.
  if (hasStarted(await deps.loads.find(organization, name))) await hideOrRefuse(deps, claim);
}

/** Returns the positions that a load has reserved. */
export async function reservedBy(loads: LoadStore, organization: string, name: string) {
  const reserved = (await loads.positions(organization)).find((each) => each.name === name);
  if (!reserved) throw new Error(`The table lacks the positions of the load ${name} of ${organization}.`);
  return reserved;
}
