/** Fills an organization with generated testimonials, for trying the service out. */
import { randomInt } from 'node:crypto';
import { forEachAtOnce } from '../../../functions/concurrency.ts';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import { makeTestimonialId } from '../../../functions/domain/testimonial-id.ts';
import { firstPosition } from '../../../functions/domain/testimonial-order.ts';
import {
  awaitIndex,
  beginLoad,
  endLoad,
  generationAfter,
  isEmpty,
  type LoadDependencies,
} from '../load/load-testimonials.ts';
import { type GenerateOptions, generateTestimonials } from './generate-testimonials.ts';

const twoYearsMs = 2 * 365 * 24 * 60 * 60 * 1000;

/**
 * Stores `count` generated testimonials, created between the organization's newest one (or two years ago) and now,
 * and indexes them. The first of an organization are shown all at once in the end, others as they are stored.
 */
export async function seedOrganization(
  deps: LoadDependencies,
  organization: string,
  count: number,
): Promise<void> {
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
  const options = isFirst ? { from, to } : await behindOthers(deps, organization, count);
  const { firstOrdinal = firstPosition } = options;
  let highest = firstOrdinal + count - 1;
  let done = 0;
  await forEachAtOnce(generateTestimonials(count, options), async (made) => {
    let stored: StoredTestimonial = { ...made, isLoaded: true, writtenAt: now().toISOString() };
    while ((await testimonials.insert(organization, stored)) === 'sealed') {
      // The index passed its place, because this process was paused: it gets another, and the time of that.
      const { ordinal, updateOrdinal, time } = await testimonials.takeOrdinals(organization, now());
      const id = makeTestimonialId(ordinal, randomInt);
      const testimonial = { ...made.testimonial, id, createdAt: time, updatedAt: time };
      stored = { ...stored, testimonial, ordinal, updateOrdinal, writtenAt: time };
      highest = ordinal;
    }
    done += 1;
    progress(done, 'stored');
  });
  if (!isFirst)
    await awaitIndex(deps, organization, [{ ordinal: firstOrdinal, count: highest - firstOrdinal + 1 }]);
  // A load that was stopped has left testimonials that no list has.
  if (isFirst || (await deps.index.readHead(organization))?.load !== undefined)
    await endLoad(deps, organization, await generationAfter(deps, organization));
}

/** Places behind all that is there, from the time of what was created or changed last. */
async function behindOthers(
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
