/** Which places an import has in the two orders: what later ones stand between. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Axis, axes, firstPosition } from '../../../functions/domain/testimonial-order.ts';
import type { AxisPlaces, Taken } from './places.ts';
import { type Room, roomOf, type TakenPlace } from './room.ts';

export interface Placement {
  /** Placements are numbered from 1, in the order in which imports took their places. */
  number: number;
  /** The fingerprint of the import. */
  name: string;
  places: AxisPlaces;
  /** Milliseconds since the epoch, at each of the places. */
  times: AxisPlaces;
  /** The lines in the order of updates, by their numbers in that of creation; absent where an older version took the places. */
  linesByUpdate?: readonly number[];
  /**
   * Present once the import was undone: the lines that were changed and stay, by their numbers in the order of creation. The
   * places of the others are nobody's.
   */
  staying?: number[];
  /**
   * Present once the import was undone, if its job has a high-water mark: so many lines, the first in the order of creation, have
   * used their places. Those of the others are free again.
   */
  used?: number;
}

/**
 * The places of the past that some imports have, by order, ascending. What was undone orders nothing; what was changed since
 * then stands elsewhere in the order of updates.
 */
export function takenBy(placements: readonly Placement[]): Taken {
  const on = (axis: Axis): TakenPlace[] =>
    placements
      .flatMap(({ places, times, linesByUpdate, staying, used = Number.POSITIVE_INFINITY }) => {
        const orders = staying && new Set(axis === 'createdAt' ? staying : []);
        const lineAt = (i: number) => (axis === 'createdAt' ? i : (linesByUpdate?.[i] ?? 0));
        return places[axis].flatMap((place, i) => {
          if (lineAt(i) >= used) return [];
          return orders?.has(i) === false ? { place } : { place, time: times[axis][i] ?? 0 };
        });
      })
      .filter(({ place }) => place < firstPosition)
      .sort((a, b) => a.place - b.place);
  return { createdAt: on('createdAt'), updatedAt: on('updatedAt') };
}

type PlacedLines = Pick<Placement, 'places' | 'times' | 'linesByUpdate'>;

/** The room that some imports leave, in the order that has less of it. */
export function roomBeside(placements: readonly Placement[]): Room {
  const { createdAt, updatedAt } = takenBy(placements);
  return roomOf(createdAt.length < updatedAt.length ? updatedAt : createdAt);
}

/** Places and times, line by line on each axis, as they are stored. */
export function encodePlacement({ places, times, linesByUpdate }: PlacedLines): Uint8Array {
  const lists = axes.flatMap((axis) => [places[axis], times[axis]]);
  return encodeAscending(linesByUpdate ? [...lists, linesByUpdate] : lists);
}

/** Reads what `encodePlacement` made. */
export function decodePlacement(bytes: Uint8Array): PlacedLines {
  const [places = [], times = [], updatePlaces = [], updateTimes = [], linesByUpdate] =
    decodeAscending(bytes);
  return {
    places: { createdAt: places, updatedAt: updatePlaces },
    times: { createdAt: times, updatedAt: updateTimes },
    ...(linesByUpdate && { linesByUpdate }),
  };
}

/** Lists of numbers that ascend, most of them, by their differences, which are small; deflated (RFC 1951). */
export function encodeAscending(lists: readonly (readonly number[])[]): Uint8Array {
  const differences = lists.map((list) => list.map((each, i) => each - (list[i - 1] ?? 0)));
  return deflateRawSync(JSON.stringify(differences));
}

/** Reads what `encodeAscending` made. */
export function decodeAscending(bytes: Uint8Array): number[][] {
  const lists: number[][] = JSON.parse(inflateRawSync(bytes).toString());
  return lists.map((differences) => {
    let sum = 0;
    return differences.map((difference) => {
      sum += difference;
      return sum;
    });
  });
}
