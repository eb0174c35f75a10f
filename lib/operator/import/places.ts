/** Which places the lines of a file take in the two orders of an organization. */
import { type Axis, firstPlace } from '../../../functions/domain/testimonial-order.ts';
import { type ImportedLine, ordinalOfLine } from './imported-line.ts';
import { shareLeft, spread, type TakenPlace } from './spread.ts';

/** Lines in the two orders: which they are, by their numbers, and their times, in milliseconds since the epoch. */
export interface LineOrders {
  lines: readonly ImportedLine[];
  order: Record<Axis, Uint32Array>;
  times: AxisPlaces;
}

/** Numbers that ascend, of the lines in the two orders. */
export type AxisPlaces = Record<Axis, Float64Array>;

export interface Places {
  places: AxisPlaces;
  /** The last of the counter's places that is taken, in either order; the one before the first where all are of the past. */
  last: number;
  /** When the first was created whose place is the counter's, in milliseconds since the epoch; absent where none is. */
  firstTime?: number;
}

/**
 * Orders lines by their times, and what these do not tell apart as the file says.
 * @param now the time of what has none, which is the last
 */
export function ordersOf(lines: readonly ImportedLine[], now: number): LineOrders {
  const created = lines.map(({ createdAt = Number.POSITIVE_INFINITY }) => createdAt);
  const updated = lines.map(({ updatedAt }, i) => updatedAt ?? created[i] ?? 0);
  const ids = lines.map(ordinalOfLine);
  const createdAt = orderBy(lines, created, ids);
  const ranks = byLine(createdAt, Float64Array.from(lines.keys()));
  const updatedAt = orderBy(
    lines,
    updated,
    lines.map(({ updateOrdinal = 0 }) => updateOrdinal),
    ranks,
  );
  const timesIn = (order: Uint32Array, times: readonly number[]) =>
    Float64Array.from(order, (line) => Math.min(times[line] ?? now, now));
  return {
    lines,
    order: { createdAt, updatedAt },
    times: { createdAt: timesIn(createdAt, created), updatedAt: timesIn(updatedAt, updated) },
  };
}

/** The numbers of lines, by what orders them: where the first does not tell them apart the next does, in the end the file. */
function orderBy(lines: readonly unknown[], ...keys: ArrayLike<number>[]): Uint32Array {
  return Uint32Array.from(lines.keys()).sort((a, b) => {
    const key = keys.find((each) => each[a] !== each[b]);
    return key ? ((key[a] ?? 0) < (key[b] ?? 0) ? -1 : 1) : a - b;
  });
}

/** What stands in an order, by the numbers of the lines. */
export function byLine(order: Uint32Array, inOrder: Float64Array): Float64Array {
  const found = new Float64Array(order.length);
  for (const [i, line] of order.entries()) found[line] = inOrder[i] ?? 0;
  return found;
}

/** The places that are some line's already, by order, ascending. */
export type Taken = Record<Axis, readonly TakenPlace[]>;

/**
 * The places of lines of the past, all before the first that an organization gives.
 * @param end no line is later, in milliseconds since the epoch; undefined where nothing has followed yet
 * @throws {NoPlaces}
 */
export function placesOfPast({ times }: LineOrders, taken: Taken, end: number | undefined): Places {
  const on = (axis: Axis) => spread(times[axis], taken[axis], end);
  return { places: { createdAt: on('createdAt'), updatedAt: on('updatedAt') }, last: firstPlace - 1 };
}

// Half of what is free follows from the times: where lines are refused, it is as many places as they are, once they are mended. In
// an empty organization more lines than have so many places lie as close as they can, behind the room.
const leastPlacesALine = 3;
export const mostOfPast = Math.floor((firstPlace * (1 - shareLeft)) / leastPlacesALine);
// A free place is passed at some cost; a file in which most are free is not an export of a whole organization.
const mostPlacesALine = 10;
const placesAlways = 10_000;

/**
 * The places of the first lines of an organization. Ids of this service are kept as long as they are in the order of
 * creation, each once: an id ends with its testimonial's place.
 */
export function placesOfFirst(orders: LineOrders, taken: Taken): Places {
  const { lines, times } = orders;
  const count = lines.length;
  const kept = taken.createdAt.length === 0 ? placesWithIds(orders) : undefined;
  const beyond = (kept?.at(-1) ?? 0) - firstPlace;
  const keepsIds = kept !== undefined && beyond <= Math.max(placesAlways, count * mostPlacesALine);
  if (!keepsIds && count <= mostOfPast) return placesOfPast(orders, taken, undefined);

  const created = keepsIds ? kept : Float64Array.from(lines.keys(), (i) => firstPlace + i);
  const firstTime = times.createdAt[created.findIndex((place) => place >= firstPlace)];
  // The same is of the past in both orders, but for what was changed since.
  const updates = times.updatedAt;
  const behind = firstTime === undefined ? -1 : updates.findIndex((time) => time >= firstTime);
  const ofPast = behind < 0 ? count : behind;
  const before = spread(updates.subarray(0, ofPast), taken.updatedAt, firstTime);
  const updated = updates.map((_, i) => before[i] ?? firstPlace + i - ofPast);
  return {
    places: { createdAt: created, updatedAt: updated },
    last: Math.max(firstPlace - 1, created.at(-1) ?? 0, updated.at(-1) ?? 0),
    ...(firstTime !== undefined && { firstTime }),
  };
}

/** The places of lines that keep their ids, and for others the first that is free; undefined when that cannot be. */
function placesWithIds({ lines, order }: LineOrders): Float64Array | undefined {
  const places = new Float64Array(lines.length);
  let next = 1;
  let hasIds = false;
  for (const [i, line] of order.createdAt.entries()) {
    const own = ordinalAt(lines, line);
    if (own > 0 && own < next) return undefined;
    hasIds ||= own > 0;
    places[i] = Math.max(own, next);
    next = Math.max(own, next) + 1;
  }
  return hasIds ? places : undefined;
}

function ordinalAt(lines: readonly ImportedLine[], number: number): number {
  const line = lines[number];
  return line ? ordinalOfLine(line) : 0;
}

/** Whether lines that have ids of this service have the places that these end with. */
export function keepsIds({ lines, order }: LineOrders, { createdAt }: AxisPlaces): boolean {
  const own = Array.from(order.createdAt, (line) => ordinalAt(lines, line));
  return own.some((each) => each > 0) && own.every((each, i) => each === 0 || each === createdAt[i]);
}
