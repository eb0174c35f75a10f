/** Which places an import has in the two orders: what later ones stand between. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Axis, axes, firstPlace } from '../../../functions/domain/testimonial-order.ts';
import { appendVarint, forEachVarint } from '../../../functions/list-index/bits/varint.ts';
import type { AxisPlaces } from './places.ts';
import type { TakenPlace } from './spread.ts';

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
  staying?: Uint32Array;
}

/**
 * The places of the past that some imports have, by order, ascending. What was undone orders nothing; what was changed since
 * then stands elsewhere in the order of updates.
 */
export function takenBy(placements: readonly Placement[]): Record<Axis, TakenPlace[]> {
  const on = (axis: Axis): TakenPlace[] =>
    placements
      .flatMap(({ places, times, staying }) => {
        const orders = staying && new Set(axis === 'createdAt' ? staying : []);
        return Array.from(places[axis], (place, i) =>
          orders?.has(i) === false ? { place } : { place, time: times[axis][i] ?? 0 },
        );
      })
      .filter(({ place }) => place < firstPlace)
      .sort((a, b) => a.place - b.place);
  return { createdAt: on('createdAt'), updatedAt: on('updatedAt') };
}

// Of the year 1: no time that a line can have is before it.
const earliest = -62_135_596_800_000;

/** Places and times as they are stored: both ascend, so that their differences are small; deflated (RFC 1951). */
export function encodePlacement({ places, times }: Pick<Placement, 'places' | 'times'>): Uint8Array {
  const numbers: number[] = [];
  for (const axis of axes) {
    let [place, time] = [0, earliest];
    appendVarint(numbers, places[axis].length);
    for (const [i, next] of places[axis].entries()) {
      const nextTime = times[axis][i] ?? time;
      appendVarint(numbers, next - place);
      appendVarint(numbers, nextTime - time);
      [place, time] = [next, nextTime];
    }
  }
  return deflateRawSync(Uint8Array.from(numbers));
}

/** @throws when the bytes are not what `encodePlacement` makes */
export function decodePlacement(bytes: Uint8Array): Pick<Placement, 'places' | 'times'> {
  const numbers: number[] = [];
  forEachVarint(inflateRawSync(bytes), (value) => numbers.push(value));
  let at = 0;
  const next = () => {
    const number = numbers[at];
    if (number === undefined) throw new Error('A placement ends too early');
    at += 1;
    return number;
  };
  const read = () => {
    const count = next();
    const found = { places: new Float64Array(count), times: new Float64Array(count) };
    let [place, time] = [0, earliest];
    for (let i = 0; i < count; i += 1) {
      place += next();
      time += next();
      found.places[i] = place;
      found.times[i] = time;
    }
    return found;
  };
  const [created, updated] = [read(), read()];
  return {
    places: { createdAt: created.places, updatedAt: updated.places },
    times: { createdAt: created.times, updatedAt: updated.times },
  };
}

/** Numbers of lines as they are stored: they ascend, and are deflated likewise. */
export function encodeLines(lines: Uint32Array): Uint8Array {
  const numbers: number[] = [];
  for (const [i, line] of lines.entries()) appendVarint(numbers, line - (lines[i - 1] ?? 0));
  return deflateRawSync(Uint8Array.from(numbers));
}

/** Reads what `encodeLines` made. */
export function decodeLines(bytes: Uint8Array): Uint32Array {
  const lines: number[] = [];
  forEachVarint(inflateRawSync(bytes), (value) => lines.push((lines.at(-1) ?? 0) + value));
  return Uint32Array.from(lines);
}
