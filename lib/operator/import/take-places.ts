/** Taking the places of an import's lines, before any of them is stored. */
import type { Counted } from '../../../functions/domain/stores.ts';
import { beginLoad, type LoadDependencies, markLoad, unmarkLoad } from '../load/load-testimonials.ts';
import type { ImportJobStore, LineRules, PlacedJob } from './import-job.ts';
import type { ImportRun } from './import-run.ts';
import type { ImportedLine } from './imported-line.ts';
import { type Placement, takenBy } from './placement.ts';
import {
  type Lacking,
  type LineOrders,
  type LineTimes,
  ordersOf,
  type Places,
  placesOfFirst,
  placesOfPast,
  timesIn,
  timesOf,
} from './places.ts';

/** Lines that take places together. */
export interface PlacedLines {
  times: LineTimes;
  orders: LineOrders;
}

export function placedLines(lines: readonly ImportedLine[]): PlacedLines {
  const times = timesOf(lines);
  return { times, orders: ordersOf(times) };
}

/** Lines in the order of their times of creation. */
export function inOrderOfTimes(lines: readonly ImportedLine[]): ImportedLine[] {
  return Array.from(placedLines(lines).orders.createdAt).flatMap((number) => lines[number] ?? []);
}

/** What is asked of places. */
export interface PlaceRequest extends PlacedLines {
  /** Nothing was ever stored in the organization. */
  isEmpty: boolean;
  /** What was counted there, where all that was stored is erased. */
  emptied?: Counted | undefined;
  rules: LineRules;
  /** When the import began, ISO 8601: the createdAt of lines that have none. */
  time: string;
}

/** The places that the lines get if they take them beside those of some imports. */
export function placesAmong(
  placements: readonly Placement[],
  { isEmpty, times: lines, orders, rules: { latest }, time }: PlaceRequest,
): Places | Lacking {
  const given = { lines, orders, taken: takenBy(placements), now: Date.parse(time) };
  if (isEmpty) return placesOfFirst(given);
  return placesOfPast(given, latest === undefined ? undefined : Date.parse(latest));
}

/** Why an import has not got its places; nothing of it is stored. */
export type NotPlaced =
  /** Somebody created a testimonial that some of the lines are later than. */
  'created meanwhile' | 'other load' | Lacking;

type PlaceDependencies = LoadDependencies & { jobs: ImportJobStore };

/**
 * Takes the places of lines; an import that did so before gets the same again. From then on nothing is created with an earlier
 * time than theirs, and nobody else fills the room.
 */
export async function takePlaces(
  deps: PlaceDependencies,
  run: ImportRun,
  request: PlaceRequest,
): Promise<Placement | NotPlaced> {
  const { testimonials, jobs } = deps;
  const { organization, name } = run;
  const isFirst = request.isEmpty && (await beginFirst(deps, organization, name, request));
  if (isFirst === 'other load') return isFirst;
  let { rules } = request;
  if (!isFirst) {
    // Where nothing is any more, there is nothing that lines could be later than.
    if (request.emptied) await testimonials.beginAgain(organization, request.emptied);
    const { firstTime } = await testimonials.raiseTime(organization, request.time);
    if (isLater(request, firstTime)) return 'created meanwhile';
    if (firstTime !== undefined) rules = { ...rules, latest: firstTime };
    if (!(await markAtWork(deps, run))) return 'other load';
  }
  for (;;) {
    const placements = await jobs.placements(organization);
    const own = placements.find((each) => each.name === name);
    if (own) return own;
    const found = placesAmong(placements, { ...request, isEmpty: isFirst, rules });
    if ('lacking' in found) return found;
    const number = (placements.at(-1)?.number ?? 0) + 1;
    const placement = { number, name, places: found.places, times: timesAt(request) };
    if (await jobs.addPlacement(organization, placement)) return placement;
  }
}

/**
 * Marks the organization whose lines are stored.
 * @returns false when another load has marked it
 */
export async function markAtWork(
  deps: PlaceDependencies,
  { organization, name }: ImportRun,
): Promise<boolean> {
  if (!(await markLoad(deps, organization, name))) return false;
  const job = await deps.jobs.find(organization, name);
  // Another run has done all of it while this one slept, and nobody else would take the mark away.
  if (job?.step === 'ended' || job?.step === 'undone') await unmarkLoad(deps, organization, name);
  return true;
}

/** Begins a load into an organization that looked empty; false when it is not. */
async function beginFirst(
  deps: PlaceDependencies,
  organization: string,
  load: string,
  request: PlaceRequest,
): Promise<boolean | 'other load'> {
  const found = placesAmong(await deps.jobs.placements(organization), request);
  if ('lacking' in found) return false;
  const { last, firstTime } = found;
  const first = {
    ...{ load, last, time: request.time },
    ...(firstTime !== undefined && { firstTime: new Date(firstTime).toISOString() }),
  };
  if (await beginLoad(deps, organization, first)) return true;
  return (await deps.index.readHead(organization))?.load === undefined ? false : 'other load';
}

function timesAt({ times, orders, time }: PlaceRequest): Placement['times'] {
  const now = Date.parse(time);
  return {
    createdAt: timesIn(orders.createdAt, times.createdAt, now),
    updatedAt: timesIn(orders.updatedAt, times.updatedAt, now),
  };
}

/** Whether a line is later than what was first created or changed in the organization. */
function isLater(request: PlaceRequest, firstTime: string | undefined): boolean {
  const latest = timesAt(request).updatedAt.at(-1) ?? 0;
  return firstTime !== undefined && latest > Date.parse(firstTime);
}

/** Whether lines that have ids of this service have the places that these end with. */
export function keepsIds(
  { places }: Pick<Placement, 'places'>,
  { times: { idOrdinal }, orders }: PlacedLines,
): boolean {
  let hasIds = false;
  for (const [i, line] of orders.createdAt.entries()) {
    const own = idOrdinal[line] ?? 0;
    if (own > 0 && own !== places.createdAt[i]) return false;
    hasIds ||= own > 0;
  }
  return hasIds;
}

/** The places that an import has taken. */
export async function placementOf(
  { jobs }: { jobs: Pick<ImportJobStore, 'placements'> },
  organization: string,
  { number }: PlacedJob,
): Promise<Placement> {
  const found = (await jobs.placements(organization)).find((each) => each.number === number);
  if (!found) throw new Error(`The places of import ${number} of ${organization} are not in the table.`);
  return found;
}
