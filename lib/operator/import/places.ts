/** Which places the lines of a file take in the two orders of an organization. */
import { type Axis, firstPosition } from '../../../functions/domain/testimonial-order.ts';
import { counted } from '../terminal/formatting.ts';
import { type ImportedLine, ordinalOfLine } from './imported-line.ts';
import { roomOf, roomText, type TakenPlace } from './room.ts';

// So many places for each line, where the room has them; a few lines get more, up to an eighth of what is free.
const placesALine = 8;
const mostPlacesALine = 64;
const shareOfFree = 8;
/** As much of what is free stays so, for what is older or newer than all lines. */
const shareLeft = 1 / 8;
// Where later and earlier ones may come, more often earlier ones do.
const shareBefore = 3 / 4;

/**
 * Spreads lines over the room before the first place. Between two neighbours half of what is free follows from the lines'
 * times, so that a year of which there are no lines has room for them; the other half is shared evenly. Of equal times,
 * whatever is there comes first.
 * @param times of the lines, ascending, in milliseconds since the epoch
 * @param taken ascending
 * @param end of the past, in milliseconds since the epoch; undefined where nothing has followed it yet
 * @returns places in the order of the lines, ascending
 * @throws where lines find no place between those that are there
 */
export function spread(
  times: readonly number[],
  taken: readonly TakenPlace[],
  end: number | undefined,
): number[] {
  const places: number[][] = [];
  let lacking = 0;
  for (const gap of gapsOf(times, taken, end)) {
    const spare = gap.after - gap.before - 1 - gap.closed.length - gap.times.length;
    if (spare < 0) lacking -= spare;
    else places.push(placesWithin(narrowed(gap)));
  }
  if (lacking > 0)
    throw new Error(
      `${counted(lacking, 'line')} of the file find no place between those of earlier imports: nothing is stored. ${roomText(roomOf(taken))}. Leave some lines out that are of about the same time, or take --as-new to create all of them now.`,
    );
  return places.flat();
}

/** Lines that stand between two neighbours. */
interface Gap {
  /** The times of the lines. */
  times: readonly number[];
  /** The places of the neighbours, or those beside the ends of the room. */
  before: number;
  after: number;
  /** Their times; undefined at an end of the room that is open. */
  timeBefore: number | undefined;
  timeAfter: number | undefined;
  /** The places in between that are not free, ascending. */
  closed: number[];
}

function* gapsOf(
  times: readonly number[],
  taken: readonly TakenPlace[],
  end: number | undefined,
): Generator<Gap, void, undefined> {
  let from = 0;
  let before = 0;
  let timeBefore: number | undefined;
  let closed: number[] = [];
  for (const { place, time } of [...taken, { place: firstPosition, time: Number.POSITIVE_INFINITY }]) {
    if (time === undefined) {
      closed.push(place);
      continue;
    }
    let to = from;
    while (to < times.length && (times[to] ?? 0) < time) to += 1;
    const timeAfter = place === firstPosition ? end : time;
    const its = times.slice(from, to);
    if (its.length > 0) yield { times: its, before, after: place, timeBefore, timeAfter, closed };
    [from, before, timeBefore, closed] = [to, place, time, []];
  }
}

/** Takes of a gap with an open end as much as its lines need, beside the end that is not open. */
function narrowed(gap: Gap): Gap {
  const { before, after, timeBefore, timeAfter, closed } = gap;
  if (timeBefore !== undefined && timeAfter !== undefined) return gap;
  const { length: count } = gap.times;
  const all = after - before - 1;
  const share = Math.max(all / shareOfFree, placesALine * count);
  // The first of an organization has all that may ever come between its lines and what was created.
  const isFirst = before === 0 && after === firstPosition && timeAfter !== undefined;
  const wanted = isFirst ? share : Math.min(share, mostPlacesALine * count);
  const taken = Math.max(count, Math.min(wanted, all * (1 - shareLeft)));
  const left = all - Math.min(all, Math.ceil(taken) + closed.length);
  const isBoth = timeBefore === undefined && timeAfter === undefined;
  const leftBefore = isBoth ? Math.floor(left * shareBefore) : timeBefore === undefined ? left : 0;
  const [first, last] = [before + leftBefore, after - (left - leftBefore)];
  return { ...gap, before: first, after: last, closed: closed.filter((each) => each > first && each < last) };
}

function placesWithin({ times, before, after, timeBefore, timeAfter, closed }: Gap): number[] {
  const { length: count } = times;
  const spare = after - before - 1 - closed.length - count;
  const begin = timeBefore ?? times[0] ?? 0;
  const duration = (timeAfter ?? times.at(-1) ?? 0) - begin;
  let passed = 0;
  return times.map((time, i) => {
    const rank = (i + 1) / (count + 1);
    const elapsed = duration > 0 ? Math.min(1, (time - begin) / duration) : rank;
    const free = before + 1 + i + Math.floor((spare * (rank + elapsed)) / 2);
    while (passed < closed.length && (closed[passed] ?? 0) <= free + passed) passed += 1;
    return free + passed;
  });
}

/** Lines in the two orders: which they are, by their numbers, and their times, in milliseconds since the epoch. */
export interface LineOrders {
  lines: readonly ImportedLine[];
  order: Record<Axis, readonly number[]>;
  times: AxisPlaces;
}

/** Numbers that ascend, of the lines in the two orders. */
export type AxisPlaces = Record<Axis, readonly number[]>;

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
  const createdAt = orderBy(lines, created, lines.map(ordinalOfLine));
  const ranks = byLine(createdAt, [...lines.keys()]);
  const said = lines.map(({ updateOrdinal = 0 }) => updateOrdinal);
  const updatedAt = orderBy(lines, updated, said, ranks);
  const timesIn = (order: readonly number[], times: readonly number[]) =>
    order.map((line) => Math.min(times[line] ?? now, now));
  return {
    lines,
    order: { createdAt, updatedAt },
    times: { createdAt: timesIn(createdAt, created), updatedAt: timesIn(updatedAt, updated) },
  };
}

/** The numbers of lines, by what orders them: where the first does not tell them apart the next does, in the end the file. */
function orderBy(lines: readonly unknown[], ...keys: (readonly number[])[]): number[] {
  return [...lines.keys()].sort((a, b) => {
    const key = keys.find((each) => each[a] !== each[b]);
    return key ? ((key[a] ?? 0) < (key[b] ?? 0) ? -1 : 1) : a - b;
  });
}

/** What stands in an order, by the numbers of the lines. */
export function byLine(order: readonly number[], inOrder: readonly number[]): number[] {
  const found = new Array<number>(order.length).fill(0);
  for (const [i, line] of order.entries()) found[line] = inOrder[i] ?? 0;
  return found;
}

/** The places that are some line's already, by order, ascending. */
export type Taken = Record<Axis, readonly TakenPlace[]>;

/**
 * The places of lines of the past, all before the first that an organization gives.
 * @param end no line is later, in milliseconds since the epoch; undefined where nothing has followed yet
 * @throws where lines find no place
 */
export function placesOfPast({ times }: LineOrders, taken: Taken, end: number | undefined): Places {
  const on = (axis: Axis) => spread(times[axis], taken[axis], end);
  return { places: { createdAt: on('createdAt'), updatedAt: on('updatedAt') }, last: firstPosition - 1 };
}

// Half of what is free follows from the times: where lines are refused, it is as many places as they are, once they are mended. In
// an empty organization more lines than have so many places lie as close as they can, behind the room.
const leastPlacesALine = 3;
export const mostOfPast = Math.floor((firstPosition * (1 - shareLeft)) / leastPlacesALine);
// A free place is passed at some cost; a file in which most are free is not an export of a whole organization.
const mostPlacesAnId = 10;
const placesAlways = 10_000;

/**
 * The places of the first lines of an organization. Ids of this service are kept as long as they are in the order of
 * creation, each once: an id ends with its testimonial's place.
 */
export function placesOfFirst(orders: LineOrders, taken: Taken): Places {
  const { lines, times } = orders;
  const count = lines.length;
  const kept = taken.createdAt.length === 0 ? placesWithIds(orders) : undefined;
  const beyond = (kept?.at(-1) ?? 0) - firstPosition;
  const keepsIds = kept !== undefined && beyond <= Math.max(placesAlways, count * mostPlacesAnId);
  if (!keepsIds && count <= mostOfPast) return placesOfPast(orders, taken, undefined);

  const created = keepsIds ? kept : Array.from(lines.keys(), (i) => firstPosition + i);
  const firstTime = times.createdAt[created.findIndex((place) => place >= firstPosition)];
  // The same is of the past in both orders, but for what was changed since.
  const updates = times.updatedAt;
  const behind = firstTime === undefined ? -1 : updates.findIndex((time) => time >= firstTime);
  const ofPast = behind < 0 ? count : behind;
  const before = spread(updates.slice(0, ofPast), taken.updatedAt, firstTime);
  const updated = updates.map((_, i) => before[i] ?? firstPosition + i - ofPast);
  return {
    places: { createdAt: created, updatedAt: updated },
    last: Math.max(firstPosition - 1, created.at(-1) ?? 0, updated.at(-1) ?? 0),
    ...(firstTime !== undefined && { firstTime }),
  };
}

/** The places of lines that keep their ids, and for others the first that is free; undefined when that cannot be. */
function placesWithIds(orders: LineOrders): number[] | undefined {
  let last = 0;
  const places = ordinalsIn(orders).map((own) => {
    last = own === 0 ? last + 1 : own;
    return last;
  });
  const ascend = places.every((place, i) => i === 0 || place > (places[i - 1] ?? 0));
  return ascend && keepsIds(orders, { createdAt: places }) ? places : undefined;
}

/** The ordinals in the ids of lines, in the order of creation; 0 of those without an id of this service. */
function ordinalsIn({ lines, order }: LineOrders): number[] {
  return order.createdAt.map((number) => {
    const line = lines[number];
    return line ? ordinalOfLine(line) : 0;
  });
}

/** Whether lines that have ids of this service have the places that these end with. */
export function keepsIds(orders: LineOrders, { createdAt }: Pick<AxisPlaces, 'createdAt'>): boolean {
  const own = ordinalsIn(orders);
  return own.some((each) => each > 0) && own.every((each, i) => each === 0 || each === createdAt[i]);
}
