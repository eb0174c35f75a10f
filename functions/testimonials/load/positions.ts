/** Assigns the lines of a load to positions on the two axes of an organization. */
import { type HistoryRoom, type LoadLine, LoadRefused } from '../../domain/loads.ts';
import { ordinalOfId } from '../../domain/testimonial-id.ts';
import { type Axis, firstPosition } from '../../domain/testimonial-order.ts';

/** A position in the history that a line occupies or has occupied. */
export interface OccupiedPosition {
  position: number;
  /** Milliseconds since 1970; absent if the order of lines ignores this position. */
  time?: number;
}

/** A number for each line on each axis, in the order of that axis: a stored index, a position or a time. */
export type AxisNumbers = Record<Axis, readonly number[]>;

/** The positions that one load has reserved. */
export interface ReservedPositions extends Pick<LineOrders, 'times' | 'ranksByUpdate'> {
  /** Loads are numbered from 1, in the order in which they reserved positions. */
  number: number;
  /** The name of the load. */
  name: string;
  positions: AxisNumbers;
  /** After an undo: the ranks of the lines that are kept because they were changed. */
  keptRanks?: number[];
  /**
   * After an undo: the high-water mark. Lines below this rank have used their positions; the positions of the
   * others are free.
   */
  highWater?: number;
}

/** The taken positions on each axis, ascending. */
export type OccupiedPositions = Record<Axis, readonly OccupiedPosition[]>;

/**
 * Returns the positions in the history that loads occupy. Undone lines no longer affect the order of other
 * lines.
 */
export function occupiedBy(reserved: readonly ReservedPositions[]): OccupiedPositions {
  const takenOn = (axis: Axis): OccupiedPosition[] =>
    reserved
      .flatMap(({ positions, times, ranksByUpdate, keptRanks, highWater = Number.POSITIVE_INFINITY }) => {
        // A line that was changed since has another position on the axis of updates.
        const ordering = keptRanks && new Set(axis === 'createdAt' ? keptRanks : []);
        const rankAt = (i: number) => (axis === 'createdAt' ? i : (ranksByUpdate[i] ?? 0));
        return positions[axis].flatMap((position, i) => {
          if (rankAt(i) >= highWater) return [];
          return ordering?.has(i) === false ? { position } : { position, time: times[axis][i] ?? 0 };
        });
      })
      .filter(({ position }) => position < firstPosition)
      .sort((a, b) => a.position - b.position);
  return { createdAt: takenOn('createdAt'), updatedAt: takenOn('updatedAt') };
}

/** Returns the room on the axis with fewer free positions. */
export function historyRoom(reserved: readonly ReservedPositions[]): HistoryRoom {
  const { createdAt, updatedAt } = occupiedBy(reserved);
  return roomOf(createdAt.length < updatedAt.length ? updatedAt : createdAt);
}

function roomOf(taken: readonly OccupiedPosition[]): HistoryRoom {
  const occupied = taken.filter(({ time }) => time !== undefined).length;
  return { free: firstPosition - 1 - taken.length, occupied, spent: taken.length - occupied };
}

// The positions per line, if there is room. A small file gets more, up to an eighth of the free positions.
const positionsPerLine = 8;
const maxPositionsPerLine = 64;
const smallFileShare = 1 / 8;
/** The share of free positions to keep free for older or newer lines. */
const shareKeptFree = 1 / 8;
// Earlier lines are more common than later ones.
const shareBefore = 3 / 4;

/**
 * Spreads lines over the history. Between two neighbours, half of the free positions follow the times of the
 * lines, so that a period without lines keeps room for them; the other half is shared evenly. A line comes
 * after stored testimonials of the same time.
 * @param times of the lines, ascending, in milliseconds since 1970
 * @param taken ascending
 * @param historyEnd in milliseconds since 1970; undefined before anything was created
 * @returns ascending positions in the order of the lines
 * @throws {LoadRefused} when there are too few positions between neighbours
 */
export function spread(
  times: readonly number[],
  taken: readonly OccupiedPosition[],
  historyEnd: number | undefined,
) {
  const positions: number[][] = [];
  let missing = 0;
  for (const gap of gapsOf(times, taken, historyEnd)) {
    const spare = gap.after - gap.before - 1 - gap.spent.length - gap.times.length;
    if (spare < 0) missing -= spare;
    else positions.push(positionsInGap(narrowed(gap)));
  }
  if (missing > 0) throw new LoadRefused({ why: 'no room', missing, room: roomOf(taken) });
  return positions.flat();
}

/** Lines between two neighbours. */
interface Gap {
  times: readonly number[];
  /** The positions of the neighbours, or just outside the history. */
  before: number;
  after: number;
  /** The times of the neighbours; undefined at an open end of the history. */
  timeBefore: number | undefined;
  timeAfter: number | undefined;
  /** Positions in between that undone loads have used, ascending. */
  spent: number[];
}

function* gapsOf(
  times: readonly number[],
  taken: readonly OccupiedPosition[],
  historyEnd: number | undefined,
) {
  let from = 0;
  let before = 0;
  let timeBefore: number | undefined;
  let spent: number[] = [];
  for (const { position, time } of [...taken, { position: firstPosition, time: Number.POSITIVE_INFINITY }]) {
    if (time === undefined) {
      spent.push(position);
      continue;
    }
    let to = from;
    while (to < times.length && (times[to] ?? 0) < time) to += 1;
    const timeAfter = position === firstPosition ? historyEnd : time;
    if (to > from)
      yield { times: times.slice(from, to), before, after: position, timeBefore, timeAfter, spent };
    [from, before, timeBefore, spent] = [to, position, time, []];
  }
}

/**
 * Shrinks a gap with an open end to the positions that its lines need, next to its neighbor if there is one.
 */
function narrowed(gap: Gap): Gap {
  const { before, after, timeBefore, timeAfter, spent } = gap;
  if (timeBefore !== undefined && timeAfter !== undefined) return gap;
  const { length: count } = gap.times;
  const all = after - before - 1;
  const share = Math.max(all * smallFileShare, positionsPerLine * count);
  // The history is empty, and its end is known. Nothing else will ever need the positions in between.
  const isWholeHistory = before === 0 && after === firstPosition && timeAfter !== undefined;
  const wanted = isWholeHistory ? share : Math.min(share, maxPositionsPerLine * count);
  const taken = Math.max(count, Math.min(wanted, all * (1 - shareKeptFree)));
  const unused = all - Math.min(all, Math.ceil(taken) + spent.length);
  const shareOfUnused = timeBefore !== undefined ? 0 : timeAfter !== undefined ? 1 : shareBefore;
  const unusedBefore = Math.floor(unused * shareOfUnused);
  const [first, last] = [before + unusedBefore, after - (unused - unusedBefore)];
  const inside = spent.filter((position) => position > first && position < last);
  return { ...gap, before: first, after: last, spent: inside };
}

function positionsInGap({ times, before, after, timeBefore, timeAfter, spent }: Gap): number[] {
  const { length: count } = times;
  const spare = after - before - 1 - spent.length - count;
  const begin = timeBefore ?? times[0] ?? 0;
  const duration = (timeAfter ?? times.at(-1) ?? 0) - begin;
  let passed = 0;
  return times.map((time, i) => {
    const rank = (i + 1) / (count + 1);
    const elapsed = duration > 0 ? Math.min(1, (time - begin) / duration) : rank;
    const free = before + 1 + i + Math.floor((spare * (rank + elapsed)) / 2);
    while (passed < spent.length && (spent[passed] ?? 0) <= free + passed) passed += 1;
    return free + passed;
  });
}

/** Lines on the two axes: their indices in `lines`, and their times in milliseconds since 1970. */
export interface LineOrders {
  lines: readonly LoadLine[];
  order: AxisNumbers;
  times: AxisNumbers;
  /** The ranks of the lines, in the order of updates. A rank is a number in the order of creation, from 0. */
  ranksByUpdate: readonly number[];
}

export interface Positions {
  positions: AxisNumbers;
  /**
   * The highest position at or above the counter's first, on either axis; one below the first if there is
   * none.
   */
  last: number;
  /** The time of the first testimonial at a position of the counter, in milliseconds since 1970. */
  historyEndMs?: number;
}

/**
 * Orders lines by their times, and lines with the same time by their updates and their order in the load.
 * @param now the time of lines without one, which come last
 */
export function ordersOf(lines: readonly LoadLine[], now: number): LineOrders {
  const created = lines.map(({ createdAt = Number.POSITIVE_INFINITY }) => createdAt);
  const updated = lines.map(({ updatedAt }, i) => updatedAt ?? created[i] ?? 0);
  const createdAt = orderBy(lines, created, lines.map(ordinalOfLine));
  const ranks = byLine(createdAt, [...lines.keys()]);
  const updates = lines.map(({ update = 0 }) => update);
  const updatedAt = orderBy(lines, updated, updates, ranks);
  const timesIn = (order: readonly number[], times: readonly number[]) =>
    order.map((line) => Math.min(times[line] ?? now, now));
  return {
    lines,
    order: { createdAt, updatedAt },
    times: { createdAt: timesIn(createdAt, created), updatedAt: timesIn(updatedAt, updated) },
    ranksByUpdate: updatedAt.map((line) => ranks[line] ?? 0),
  };
}

/** Returns the indices of lines sorted by the first key that differs, then by their order in the load. */
function orderBy(lines: readonly unknown[], ...keys: (readonly number[])[]): number[] {
  return [...lines.keys()].sort((a, b) => {
    const key = keys.find((values) => values[a] !== values[b]);
    return key ? ((key[a] ?? 0) < (key[b] ?? 0) ? -1 : 1) : a - b;
  });
}

/** Rearranges values from the order of the lines to the order of their indices. */
export function byLine(order: readonly number[], inOrder: readonly number[]): number[] {
  const values = new Array<number>(order.length).fill(0);
  for (const [i, line] of order.entries()) values[line] = inOrder[i] ?? 0;
  return values;
}

/**
 * Assigns positions to lines, among those of other loads.
 * @param historyEnd ISO 8601
 * @throws {LoadRefused} when there are too few positions between neighbours
 */
export function positionsAmong(
  reserved: readonly ReservedPositions[],
  orders: LineOrders,
  { isFirstLoad, historyEnd }: { isFirstLoad: boolean; historyEnd?: string | undefined },
): Positions {
  const taken = occupiedBy(reserved);
  if (isFirstLoad) return firstPositions(orders, taken);
  return historyPositions(orders, taken, historyEnd === undefined ? undefined : Date.parse(historyEnd));
}

export function historyPositions(
  { times }: LineOrders,
  taken: OccupiedPositions,
  historyEnd: number | undefined,
): Positions {
  const spreadOn = (axis: Axis) => spread(times[axis], taken[axis], historyEnd);
  return {
    positions: { createdAt: spreadOn('createdAt'), updatedAt: spreadOn('updatedAt') },
    last: firstPosition - 1,
  };
}

// Half of the free positions follow the times. This leaves one position for each rejected line once it is
// corrected.
const minPositionsPerLine = 3;
/**
 * The maximum number of lines that the first load spreads over the history. The lines of a larger load get
 * consecutive positions after the history.
 */
export const maxLinesOfHistory = Math.floor((firstPosition * (1 - shareKeptFree)) / minPositionsPerLine);
// Free positions make lists more expensive. If the ids of lines are further apart than this, the file is not
// a whole export.
const maxPositionsPerId = 10;
const positionsAlways = 10_000;

/**
 * Returns the positions of an organization's first lines. An id ends with its position, so lines whose ids
 * ascend keep them, unless the ids are too far apart. Up to `maxLinesOfHistory` other lines are spread over
 * the history. More lines get consecutive positions, beginning with the counter's first.
 */
export function firstPositions(orders: LineOrders, taken: OccupiedPositions): Positions {
  const { lines, times } = orders;
  const count = lines.length;
  const kept = taken.createdAt.length === 0 ? positionsOfIds(orders) : undefined;
  const lastIdBeyond = (kept?.at(-1) ?? 0) - firstPosition;
  const ids = lastIdBeyond <= Math.max(positionsAlways, count * maxPositionsPerId) ? kept : undefined;
  if (!ids && count <= maxLinesOfHistory) return historyPositions(orders, taken, undefined);

  const created = ids ?? Array.from(lines.keys(), (i) => firstPosition + i);
  const historyEndMs = times.createdAt[created.findIndex((position) => position >= firstPosition)];
  // The history ends at the same time on both axes.
  const updates = times.updatedAt;
  const firstBehind = historyEndMs === undefined ? -1 : updates.findIndex((time) => time >= historyEndMs);
  const historyCount = firstBehind < 0 ? count : firstBehind;
  const historyUpdates = spread(updates.slice(0, historyCount), taken.updatedAt, historyEndMs);
  const updated = updates.map((_, i) => historyUpdates[i] ?? firstPosition + i - historyCount);
  return {
    positions: { createdAt: created, updatedAt: updated },
    last: Math.max(firstPosition - 1, created.at(-1) ?? 0, updated.at(-1) ?? 0),
    ...(historyEndMs !== undefined && { historyEndMs }),
  };
}

/**
 * Returns the positions in the ids of lines. A line without an id gets the next position. Returns undefined
 * if the positions do not ascend.
 */
function positionsOfIds(orders: LineOrders): number[] | undefined {
  let last = 0;
  const positions = ordinalsIn(orders).map((ordinal) => {
    last = ordinal === 0 ? last + 1 : ordinal;
    return last;
  });
  const ascend = positions.every((position, i) => i === 0 || position > (positions[i - 1] ?? 0));
  return ascend && keepsIds(orders, { createdAt: positions }) ? positions : undefined;
}

/** Returns the ordinal in a line's id, or 0 if this service did not make the id. */
export function ordinalOfLine({ id }: LoadLine): number {
  return (id !== undefined && ordinalOfId(id)) || 0;
}

/** Returns the ordinals in the ids of lines, in the order of creation; 0 for ids of other services. */
function ordinalsIn({ lines, order }: LineOrders): number[] {
  return order.createdAt.flatMap((number) => lines[number] ?? []).map(ordinalOfLine);
}

/** True if every line with an id of this service is at the position in its id. */
export function keepsIds(orders: LineOrders, { createdAt }: Pick<AxisNumbers, 'createdAt'>): boolean {
  const ordinals = ordinalsIn(orders);
  return (
    ordinals.some((ordinal) => ordinal > 0) &&
    ordinals.every((ordinal, i) => ordinal === 0 || ordinal === createdAt[i])
  );
}
