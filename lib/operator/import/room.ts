/** The room for imported history: the places before the first that an organization gives. */
import { firstPosition } from '../../../functions/domain/testimonial-order.ts';

/** A place of the past that is some line's, or was. */
export interface TakenPlace {
  place: number;
  /** Milliseconds since the epoch; absent where nothing stands there that orders others. */
  time?: number;
}

/** The room before the first place, in one order: the free positions, and the imports that hold the others. */
export interface Room {
  free: number;
  /** Places of lines that imports have stored, or are about to. */
  held: number;
  /** Places that undone imports have used: nobody gets them any more. */
  closed: number;
}

/** @param taken the places that are not free */
export function roomOf(taken: readonly TakenPlace[]): Room {
  const held = taken.filter(({ time }) => time !== undefined).length;
  return { free: firstPosition - 1 - taken.length, held, closed: taken.length - held };
}

/** Says how much room is left, and which imports hold the rest. */
export function roomText({ free, held, closed }: Room): string {
  const [left, all, lines, used] = [free, free + held + closed, held, closed].map((each) =>
    each.toLocaleString('en'),
  );
  return `${left} of ${all} positions for imported history are free: imported lines have ${lines}, and undone imports have used ${used}, which stay closed`;
}
