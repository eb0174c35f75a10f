/**
 * Places for lines of the past in one order: between those that earlier imports have, with room left for later ones.
 */
import { firstPlace } from '../../../functions/domain/testimonial-order.ts';
import { counted } from '../terminal/formatting.ts';

/** A place of the past that is some line's, or was. */
export interface TakenPlace {
  place: number;
  /** Milliseconds since the epoch; absent where nothing stands there that orders others. */
  time?: number;
}

/** Lines find no place between those that are there. */
export class NoPlaces extends Error {
  constructor(lacking: number) {
    super(
      `${counted(lacking, 'line')} of the file find no place between those of earlier imports: nothing is stored. Leave some out that are of about the same time, or take --as-new to create all of them now.`,
    );
  }
}

// So many places for each line, where the room has them; a few lines get more, up to an eighth of what is free.
const placesALine = 8;
const mostPlacesALine = 64;
const shareOfFree = 8;
/** As much of what is free stays so, for what is older or newer than all lines. */
export const shareLeft = 1 / 8;
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
 * @throws {NoPlaces}
 */
export function spread(
  times: Float64Array,
  taken: readonly TakenPlace[],
  end: number | undefined,
): Float64Array {
  const places = new Float64Array(times.length);
  let lacking = 0;
  for (const gap of gapsOf(times, taken, end)) {
    const count = gap.to - gap.from;
    const free = gap.after - gap.before - 1 - gap.closed.length;
    if (free < count) lacking += count - free;
    else placeWithin(narrowed(gap, count), times, places);
  }
  if (lacking > 0) throw new NoPlaces(lacking);
  return places;
}

/** Lines that stand between two neighbours. */
interface Gap {
  /** The lines, by their numbers: from one to before another. */
  from: number;
  to: number;
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
  times: Float64Array,
  taken: readonly TakenPlace[],
  end: number | undefined,
): Generator<Gap, void, undefined> {
  let from = 0;
  let before = 0;
  let timeBefore: number | undefined;
  let closed: number[] = [];
  for (const { place, time } of [...taken, { place: firstPlace, time: Number.POSITIVE_INFINITY }]) {
    if (time === undefined) {
      closed.push(place);
      continue;
    }
    let to = from;
    while (to < times.length && (times[to] ?? 0) < time) to += 1;
    const timeAfter = place === firstPlace ? end : time;
    if (to > from) yield { from, to, before, after: place, timeBefore, timeAfter, closed };
    [from, before, timeBefore, closed] = [to, place, time, []];
  }
}

/** Takes of a gap with an open end as much as its lines need, beside the end that is not open. */
function narrowed(gap: Gap, count: number): Gap {
  const { before, after, timeBefore, timeAfter, closed } = gap;
  if (timeBefore !== undefined && timeAfter !== undefined) return gap;
  const all = after - before - 1;
  const share = Math.max(all / shareOfFree, placesALine * count);
  // The first of an organization has all that may ever come between its lines and what was created.
  const isFirst = before === 0 && after === firstPlace && timeAfter !== undefined;
  const wanted = isFirst ? share : Math.min(share, mostPlacesALine * count);
  const taken = Math.max(count, Math.min(wanted, all * (1 - shareLeft)));
  const left = all - Math.min(all, Math.ceil(taken) + closed.length);
  const isBoth = timeBefore === undefined && timeAfter === undefined;
  const leftBefore = isBoth ? Math.floor(left * shareBefore) : timeBefore === undefined ? left : 0;
  const [first, last] = [before + leftBefore, after - (left - leftBefore)];
  return { ...gap, before: first, after: last, closed: closed.filter((each) => each > first && each < last) };
}

function placeWithin(
  { from, to, before, after, timeBefore, timeAfter, closed }: Gap,
  times: Float64Array,
  places: Float64Array,
): void {
  const count = to - from;
  const spare = after - before - 1 - closed.length - count;
  const begin = timeBefore ?? times[from] ?? 0;
  const duration = (timeAfter ?? times[to - 1] ?? 0) - begin;
  let passed = 0;
  for (let i = 0; i < count; i += 1) {
    const rank = (i + 1) / (count + 1);
    const elapsed = duration > 0 ? Math.min(1, ((times[from + i] ?? 0) - begin) / duration) : rank;
    const free = before + 1 + i + Math.floor((spare * (rank + elapsed)) / 2);
    while (passed < closed.length && (closed[passed] ?? 0) <= free + passed) passed += 1;
    places[from + i] = free + passed;
  }
}
