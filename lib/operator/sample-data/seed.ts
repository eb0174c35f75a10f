/** Stores generated testimonials, to try the service out. */
import { randomInt } from 'node:crypto';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import { makeTestimonialId } from '../../../functions/domain/testimonial-id.ts';
import { firstPosition } from '../../../functions/domain/testimonial-order.ts';
import { awaitIndex } from '../../../functions/testimonials/list-index/write/await-index.ts';
import { forEachAtOnce } from '../../../functions/timing.ts';
import { beginLoad, endLoad, isEmpty, type LoadDependencies } from '../load/load-testimonials.ts';
import { type GenerateOptions, generateTestimonials } from './generate-testimonials.ts';

const twoYearsMs = 2 * 365 * 24 * 60 * 60 * 1000;

/**
 * Stores and indexes `count` generated testimonials, created between the organization's newest one (or two
 * years ago) and now. In an empty organization, lists show all of them at once in the end; otherwise they
 * show each one as it is stored.
 */
export async function seedOrganization(deps: LoadDependencies, organization: string, count: number) {
  const { testimonials, now, progress } = deps;
  const to = now();
  const from = new Date(to.getTime() - twoYearsMs);
  const load = {
    load: `seed of ${count}`,
    last: firstPosition + count - 1,
    time: to.toISOString(),
    firstTime: from.toISOString(),
  };
  const isFirst =
    (await isEmpty(deps, organization, load.load)) && (await beginLoad(deps, organization, load));
  const options = isFirst ? { from, to } : await reservePositions(deps, organization, count);
  const { firstOrdinal = firstPosition } = options;
  let highest = firstOrdinal + count - 1;
  let done = 0;
  await forEachAtOnce(generateTestimonials(count, options), async (generated) => {
    let stored: StoredTestimonial = { ...generated, isLoaded: true, writtenAt: now().toISOString() };
    while ((await testimonials.insert(organization, stored)) === 'sealed') {
      // The index passed this position while the process was paused. Reserve another one, with its time.
      const { ordinal, updateOrdinal, time } = await testimonials.takeOrdinals(organization, now());
      const id = makeTestimonialId(ordinal, randomInt);
      const testimonial = { ...generated.testimonial, id, createdAt: time, updatedAt: time };
      stored = { ...stored, testimonial, ordinal, updateOrdinal, writtenAt: time };
      highest = ordinal;
    }
    done += 1;
    progress(done, 'stored');
  });
  if (!isFirst)
    await awaitIndex(deps, organization, [{ ordinal: firstOrdinal, count: highest - firstOrdinal + 1 }]);
  // No list shows the testimonials of an earlier load that stopped.
  if (isFirst || (await deps.index.readHead(organization))?.load !== undefined)
    await endLoad(deps, organization);
}

/**
 * Reserves positions after all others. The testimonials get times between the last create or change and now.
 */
async function reservePositions(
  { testimonials, now }: LoadDependencies,
  organization: string,
  count: number,
): Promise<GenerateOptions> {
  const before = await testimonials.readCounter(organization);
  const taken = await testimonials.takeOrdinals(organization, now(), count);
  return {
    firstOrdinal: taken.ordinal - count + 1,
    firstUpdateOrdinal: taken.updateOrdinal - count + 1,
    from: new Date(before?.time ?? taken.time),
    to: new Date(taken.time),
  };
}
