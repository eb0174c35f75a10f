/** Which places the lines of a file take in the two orders of an organization. */
import { type Axis, firstPlace } from '../../../functions/domain/testimonial-order.ts';
import { type ImportedLine, ordinalOfLine } from './imported-line.ts';
import { type Spread, shareLeft, spread, type TakenPlace } from './spread.ts';

/** What places follow from, by the numbers of the lines. */
export interface LineTimes {
  /** Milliseconds since the epoch; Infinity for now. */
  createdAt: number[];
  updatedAt: number[];
  /** What orders equal times of update, where the file says it; 0 otherwise. */
  updateOrdinal: number[];
  /** The ordinal in the line's id; 0 where it has none of this service. */
  idOrdinal: number[];
}

/** What places follow from, of some lines. */
export function timesOf(lines: readonly ImportedLine[]): LineTimes {
  const createdAt = lines.map((line) => line.createdAt ?? Number.POSITIVE_INFINITY);
  return {
    createdAt,
    updatedAt: lines.map((line, i) => line.updatedAt ?? createdAt[i] ?? Number.POSITIVE_INFINITY),
    updateOrdinal: lines.map((line) => line.updateOrdinal ?? 0),
    idOrdinal: lines.map(ordinalOfLine),
  };
}

/** The lines, by their numbers, in the two orders. */
export type LineOrders = Record<Axis, Uint32Array>;

/** The places of the lines in the two orders, ascending: those of the lines in these orders. */
export type AxisPlaces = Record<Axis, Float64Array>;

export interface Places {
  places: AxisPlaces;
  /** The last of the counter's places that is taken, in either order; the one before the first where all are of the past. */
  last: number;
  /** When the first was created whose place is the counter's, in milliseconds since the epoch; absent where none is. */
  firstTime?: number;
}

/** Lines find no place between those that are there. */
export interface Lacking {
  lacking: number;
}

/** Orders lines by their times, and what these do not tell apart as the file says. */
export function ordersOf({ createdAt, updatedAt, updateOrdinal, idOrdinal }: LineTimes): LineOrders {
  const count = createdAt.length;
  const difference = (numbers: ArrayLike<number>, a: number, b: number) => {
    const [x = 0, y = 0] = [numbers[a], numbers[b]];
    return x === y ? 0 : x - y;
  };
  const created = orderBy(
    count,
    (a, b) => difference(createdAt, a, b) || difference(idOrdinal, a, b) || a - b,
  );
  const ranks = byLine(
    created,
    Float64Array.from(created, (_, i) => i),
  );
  const updated = orderBy(
    count,
    (a, b) => difference(updatedAt, a, b) || difference(updateOrdinal, a, b) || difference(ranks, a, b),
  );
  return { createdAt: created, updatedAt: updated };
}

function orderBy(count: number, compare: (a: number, b: number) => number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => i).sort(compare);
}

/** What stands in an order, by the numbers of the lines. */
export function byLine(order: Uint32Array, inOrder: Float64Array): Float64Array {
  const found = new Float64Array(order.length);
  for (const [i, line] of order.entries()) found[line] = inOrder[i] ?? 0;
  return found;
}

/** The times of the lines in an order; of those that have none, `now`. */
export function timesIn(order: Uint32Array, times: readonly number[], now: number): Float64Array {
  return Float64Array.from(order, (line) => Math.min(times[line] ?? now, now));
}

interface Lines {
  lines: LineTimes;
  orders: LineOrders;
  /** The places that are some line's already, by order, ascending. */
  taken: Record<Axis, readonly TakenPlace[]>;
  /** The time of what has none, in milliseconds since the epoch. */
  now: number;
}

/**
 * The places of lines of the past, all before the first that an organization gives.
 * @param end no line is later, in milliseconds since the epoch; undefined where nothing has followed yet
 */
export function placesOfPast(
  { lines, orders, taken, now }: Lines,
  end: number | undefined,
): Places | Lacking {
  const on = (axis: Axis): Spread => spread(timesIn(orders[axis], lines[axis], now), taken[axis], end);
  const [created, updated] = [on('createdAt'), on('updatedAt')];
  if ('lacking' in created || 'lacking' in updated) {
    const lacking = (found: Spread) => ('lacking' in found ? found.lacking : 0);
    return { lacking: Math.max(lacking(created), lacking(updated)) };
  }
  const places = { createdAt: created.places, updatedAt: updated.places };
  return { places, last: firstPlace - 1 };
}

// Half of what is free follows from the times: where lines are refused, it is as many places as they are, once they are mended. In
// an empty organization more lines than have so many places lie as close as they can, behind the room.
const leastPlacesALine = 3;
const mostOfPast = Math.floor((firstPlace * (1 - shareLeft)) / leastPlacesALine);
// A free place is passed at some cost; a file in which most are free is not an export of a whole organization.
const mostPlacesALine = 10;
const placesAlways = 10_000;

/**
 * The places of the first lines of an organization. Ids of this service are kept as long as they are in the order of
 * creation, each once: an id ends with its testimonial's place.
 */
export function placesOfFirst(given: Lines): Places | Lacking {
  const { lines, orders, taken, now } = given;
  const count = lines.createdAt.length;
  const isFree = taken.createdAt.length === 0;
  const kept = isFree ? placesWithIds(orders.createdAt, lines.idOrdinal) : undefined;
  const beyond = (kept?.at(-1) ?? 0) - firstPlace;
  const keepsIds = kept !== undefined && beyond <= Math.max(placesAlways, count * mostPlacesALine);
  if (!keepsIds && count <= mostOfPast) return placesOfPast(given, undefined);

  const created = keepsIds ? kept : Float64Array.from({ length: count }, (_, i) => firstPlace + i);
  const times = timesIn(orders.createdAt, lines.createdAt, now);
  const firstTime = times[created.findIndex((place) => place >= firstPlace)];
  // The same is of the past in both orders, but for what was changed since.
  const updates = timesIn(orders.updatedAt, lines.updatedAt, now);
  const behind = firstTime === undefined ? -1 : updates.findIndex((time) => time >= firstTime);
  const ofPast = behind < 0 ? count : behind;
  const before = spread(updates.subarray(0, ofPast), taken.updatedAt, firstTime);
  if ('lacking' in before) return before;
  const updated = Float64Array.from(updates, (_, i) => before.places[i] ?? firstPlace + i - ofPast);
  return {
    places: { createdAt: created, updatedAt: updated },
    last: Math.max(firstPlace - 1, created.at(-1) ?? 0, updated.at(-1) ?? 0),
    ...(firstTime !== undefined && { firstTime }),
  };
}

/** The places of lines that keep their ids, and for others the first that is free; undefined when that cannot be. */
function placesWithIds(order: Uint32Array, idOrdinal: readonly number[]): Float64Array | undefined {
  const places = new Float64Array(order.length);
  let next = 1;
  let hasIds = false;
  for (const [i, line] of order.entries()) {
    const own = idOrdinal[line] ?? 0;
    if (own > 0 && own < next) return undefined;
    hasIds ||= own > 0;
    places[i] = Math.max(own, next);
    next = Math.max(own, next) + 1;
  }
  return hasIds ? places : undefined;
}
