/** Which places an import has in the two orders: what later ones stand between. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Axis, axes, firstPlace } from '../../../functions/domain/testimonial-order.ts';
import type { AxisPlaces, Taken, TakenPlace } from './places.ts';

export interface Placement {
  /** Placements are numbered from 1, in the order in which imports took their places. */
  number: number;
  /** The fingerprint of the import. */
  name: string;
  places: AxisPlaces;
  /** Milliseconds since the epoch, at each of the places. */
  times: AxisPlaces;
  /**
   * Present once the import was undone: the lines that were changed and stay, by their numbers in the order of creation. The
   * places of the others are nobody's, for ever.
   */
  staying?: number[];
}

/**
 * The places of the past that some imports have, by order, ascending. What was undone orders nothing; what was changed since
 * then stands elsewhere in the order of updates.
 */
export function takenBy(placements: readonly Placement[]): Taken {
  const on = (axis: Axis): TakenPlace[] =>
    placements
      .flatMap(({ places, times, staying }) => {
        const orders = staying && new Set(axis === 'createdAt' ? staying : []);
        return places[axis].map((place, i) =>
          orders?.has(i) === false ? { place } : { place, time: times[axis][i] ?? 0 },
        );
      })
      .filter(({ place }) => place < firstPlace)
      .sort((a, b) => a.place - b.place);
  return { createdAt: on('createdAt'), updatedAt: on('updatedAt') };
}

/** Places and times, line by line on each axis, as they are stored. */
export function encodePlacement({ places, times }: Pick<Placement, 'places' | 'times'>): Uint8Array {
  return encodeAscending(axes.flatMap((axis) => [places[axis], times[axis]]));
}

/** Reads what `encodePlacement` made. */
export function decodePlacement(bytes: Uint8Array): Pick<Placement, 'places' | 'times'> {
  const [places = [], times = [], updatePlaces = [], updateTimes = []] = decodeAscending(bytes);
  return {
    places: { createdAt: places, updatedAt: updatePlaces },
    times: { createdAt: times, updatedAt: updateTimes },
  };
}

/** Lists of numbers that ascend, by their differences, which are small; deflated (RFC 1951). */
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
