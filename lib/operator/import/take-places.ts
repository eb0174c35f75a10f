/** Taking the places of an import's lines, before any of them is stored. */
import { beginLoad, type LoadDependencies, markLoad } from '../load/load-testimonials.ts';
import type { ImportJobStore, LineRules, PlacedJob } from './import-job.ts';
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
} from './places.ts';

/** Lines that take places together. */
export interface PlacedLines {
  times: LineTimes;
  orders: LineOrders;
}

/** @param asNew creates all of them now, in the order of their times */
export function placedLines(times: LineTimes, asNew: boolean): PlacedLines {
  const orders = ordersOf(times);
  const none = (value: number) => times.createdAt.map(() => value);
  const now = none(Number.POSITIVE_INFINITY);
  return {
    orders,
    times: asNew ? { ...times, createdAt: now, updatedAt: now, idOrdinal: none(0) } : times,
  };
}

export interface PlaceDependencies extends Pick<LoadDependencies, 'testimonials' | 'index'> {
  jobs: ImportJobStore;
}

/** What is asked of places. */
export interface PlaceRequest extends PlacedLines {
  /** Nothing was ever stored in the organization. */
  isEmpty: boolean;
  rules: LineRules;
  /** When the import began, ISO 8601: the createdAt of lines that have none. */
  time: string;
}

/** The places that the lines get if they take them now. */
export async function placesFor(
  { jobs }: { jobs: Pick<ImportJobStore, 'placements'> },
  organization: string,
  { isEmpty, times: lines, orders, rules: { latest }, time }: PlaceRequest,
): Promise<{ placements: Placement[]; found: Places | Lacking }> {
  const placements = await jobs.placements(organization);
  const given = { lines, orders, taken: takenBy(placements), now: Date.parse(time) };
  const end = latest === undefined ? undefined : Date.parse(latest);
  return { placements, found: isEmpty ? placesOfFirst(given) : placesOfPast(given, end) };
}

/** Why an import has not got its places; nothing of it is stored. */
export type NotPlaced =
  /** Somebody created a testimonial that some of the lines are later than. */
  'created meanwhile' | 'other load' | Lacking;

/**
 * Takes the places of lines; an import that did so before gets the same again. From then on nothing is created with an earlier
 * time than theirs, and nobody else fills the room.
 */
export async function takePlaces(
  deps: LoadDependencies & PlaceDependencies,
  organization: string,
  { name }: { name: string },
  request: PlaceRequest,
): Promise<Placement | NotPlaced> {
  const isFirst = request.isEmpty && (await beginFirst(deps, organization, name, request));
  if (isFirst === 'other load') return isFirst;
  let { rules } = request;
  if (!isFirst) {
    const { firstTime } = await deps.testimonials.raiseTime(organization, request.time);
    if (isLater(request, firstTime)) return 'created meanwhile';
    if (firstTime !== undefined) rules = { ...rules, latest: firstTime };
    if (!(await markLoad(deps, organization, name))) return 'other load';
  }
  for (;;) {
    const { placements, found } = await placesFor(deps, organization, {
      ...request,
      isEmpty: isFirst,
      rules,
    });
    const own = placements.find((each) => each.name === name);
    if (own) return own;
    if ('lacking' in found) return found;
    const number = (placements.at(-1)?.number ?? 0) + 1;
    const placement = { number, name, places: found.places, times: timesOf(request) };
    if (await deps.jobs.addPlacement(organization, placement)) return placement;
  }
}

/** Begins a load into an organization that looked empty; false when it is not. */
async function beginFirst(
  deps: LoadDependencies & PlaceDependencies,
  organization: string,
  load: string,
  request: PlaceRequest,
): Promise<boolean | 'other load'> {
  const { found } = await placesFor(deps, organization, request);
  if ('lacking' in found) return false;
  const { last, firstTime } = found;
  const first = {
    ...{ load, last, time: request.time },
    ...(firstTime !== undefined && { firstTime: new Date(firstTime).toISOString() }),
  };
  if (await beginLoad(deps, organization, first)) return true;
  return (await deps.index.readHead(organization))?.load === undefined ? false : 'other load';
}

function timesOf({ times, orders, time }: PlaceRequest): Placement['times'] {
  const now = Date.parse(time);
  return {
    createdAt: timesIn(orders.createdAt, times.createdAt, now),
    updatedAt: timesIn(orders.updatedAt, times.updatedAt, now),
  };
}

/** Whether a line is later than what was first created or changed in the organization. */
function isLater(request: PlaceRequest, firstTime: string | undefined): boolean {
  const latest = timesOf(request).updatedAt.at(-1) ?? 0;
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
