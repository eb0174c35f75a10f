/** Stores generated lines, for trying out the service. */
import { randomInt } from 'node:crypto';
import { forEachAtOnce } from '../../concurrency.ts';
import type { FillLine, FillStart, WorkCallbacks } from '../../domain/loads.ts';
import { makeTestimonialId } from '../../domain/testimonial-id.ts';
import { firstPosition } from '../../domain/testimonial-order.ts';
import { awaitIndex } from '../list-index/write/await-index.ts';
import { hideFirstLoad, isFirstLoad, showLoad, withTotal } from './all-at-once.ts';
import type { LoadStores } from './load-record.ts';
import { idOfLine, storedLine } from './store-lines.ts';

const twoYearsMs = 2 * 365 * 24 * 60 * 60 * 1000;

/**
 * Stores and indexes lines, created between the organization's newest testimonial (or two years ago) and now.
 * In an empty organization, lists show all of them at once at the end; otherwise lists show each line as it
 * is stored.
 */
export async function fill(
  deps: LoadStores & WorkCallbacks,
  organization: string,
  count: number,
  linesOf: (start: FillStart) => Iterable<FillLine>,
): Promise<void> {
  const { testimonials, now } = deps;
  await deps.organizations.add(organization);
  const name = `seed of ${count}`;
  const {
    isFirst,
    ordinal: first,
    updateOrdinal: firstUpdate,
    ...times
  } = await begin(deps, organization, {
    name,
    count,
  });
  const showDependencies = { ...deps, progress: withTotal(deps.progress, count) };
  let highest = first + count - 1;
  let done = 0;
  const lines = linesOf({ ...times, first: first - firstPosition + 1 });
  await forEachAtOnce(numbered(lines), async ([number, line]) => {
    const ordinal = first + number;
    const time = new Date(line.createdAt).toISOString();
    const position = { ordinal, updateOrdinal: firstUpdate + line.update, time };
    let stored = storedLine(line, position, now(), idOfLine(name, number, ordinal));
    while ((await testimonials.insert(organization, stored)) === 'sealed') {
      // The index passed this position while the process was paused. Reserves another one, with its time.
      const { createdAt, updatedAt, ...timeless } = line;
      const taken = await testimonials.reserveOrdinals(organization, now());
      const id = makeTestimonialId(taken.ordinal, randomInt);
      stored = storedLine(timeless, taken, new Date(taken.time), id);
      highest = taken.ordinal;
    }
    done += 1;
    showDependencies.progress(done, 'stored');
  });
  if (!isFirst)
    await awaitIndex(showDependencies, organization, [{ ordinal: first, count: highest - first + 1 }]);
  // Lists do not show the testimonials of an earlier load that stopped.
  if (isFirst || (await deps.index.readHead(organization))?.load !== undefined)
    await showLoad(showDependencies, organization);
}

function* numbered(lines: Iterable<FillLine>): Generator<[number, FillLine]> {
  let number = 0;
  for (const line of lines) {
    yield [number, line];
    number += 1;
  }
}

/** Begins a load in an empty organization, or reserves positions after all others. */
async function begin(
  deps: LoadStores,
  organization: string,
  { name: load, count }: { name: string; count: number },
) {
  const { testimonials, now } = deps;
  const to = now();
  const from = new Date(to.getTime() - twoYearsMs);
  if (await isFirstLoad(deps, organization, load)) {
    const last = firstPosition + count - 1;
    const start = { load, last, time: to.toISOString(), historyEnd: from.toISOString() };
    if (await hideFirstLoad(deps, organization, start))
      return { isFirst: true, ordinal: firstPosition, updateOrdinal: firstPosition, from, to };
  }
  const before = await testimonials.readCounter(organization);
  const taken = await testimonials.reserveOrdinals(organization, now(), count);
  return {
    isFirst: false,
    ordinal: taken.ordinal - count + 1,
    updateOrdinal: taken.updateOrdinal - count + 1,
    from: new Date(before?.time ?? taken.time),
    to: new Date(taken.time),
  };
}
