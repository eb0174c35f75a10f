/** Fills an organization with generated testimonials, for trying the service out. */
import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { forEachAtOnce } from '../../functions/concurrency.ts';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import type { TestimonialStore } from '../../functions/domain/stores.ts';
import { makeTestimonialId } from '../../functions/domain/testimonial-id.ts';
import { foldOrganization } from '../../functions/list-index/fold.ts';
import type { IndexStore } from '../../functions/list-index/index-store.ts';
import { FencedOff } from '../../functions/list-index/posting-edits.ts';
import { batchingWindowMs, foldTurnMs } from '../../functions/timing.ts';
import { generateTestimonials } from './generate-testimonials.ts';

const twoYearsMs = 2 * 365 * 24 * 60 * 60 * 1000;
const progressEvery = 2000;
// Between two looks at how far the index function is.
const lookMs = 1000;
// Within that time it shows life, if there is one: a batching window, a turn, and the step after.
const indexFunctionMs = 2 * batchingWindowMs + foldTurnMs;

export interface SeedDependencies {
  testimonials: TestimonialStore;
  index: IndexStore;
  now: () => Date;
  /** Told in words how far it is. */
  progress: (step: string) => void;
  sleep?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Stores `count` generated testimonials, created between the organization's newest one (or two years ago) and now,
 * and folds them. It can be stopped anywhere: lists have what is stored, and the index function folds it.
 */
export async function seedOrganization(
  { testimonials, index, now, progress, sleep = wait }: SeedDependencies,
  organization: string,
  count: number,
): Promise<void> {
  const taken = await testimonials.takeOrdinals(organization, now(), count);
  const firstOrdinal = taken.ordinal - count + 1;
  const to = new Date(taken.time);
  const newest = firstOrdinal > 1 ? await testimonials.find(organization, firstOrdinal - 1) : undefined;
  const from =
    firstOrdinal === 1
      ? new Date(to.getTime() - twoYearsMs)
      : new Date(newest?.testimonial.createdAt ?? taken.time);

  let written = 0;
  let highest = taken.ordinal;
  const generated = generateTestimonials(count, {
    firstOrdinal,
    firstUpdateOrdinal: taken.updateOrdinal - count + 1,
    from,
    to,
  });
  await forEachAtOnce(generated, async (made) => {
    let stored: StoredTestimonial = { ...made, writtenAt: now().toISOString() };
    while ((await testimonials.insert(organization, stored)) === 'sealed') {
      // The index passed its place, because this process was paused: it gets another.
      const { ordinal, updateOrdinal, time } = await testimonials.takeOrdinals(organization, now());
      const testimonial = { ...made.testimonial, id: makeTestimonialId(ordinal, randomInt) };
      stored = { ...stored, testimonial, ordinal, updateOrdinal, writtenAt: time };
      highest = ordinal;
    }
    written += 1;
    if (written % progressEvery === 0 || written === count) {
      progress(`${written.toLocaleString('en')} of ${count.toLocaleString('en')} testimonials stored`);
    }
  });

  progress('Waiting until all are indexed');
  let head = await index.readHead(organization);
  for (let quietMs = 0; (head?.indexed ?? 0) <= highest; quietMs += lookMs) {
    await sleep(lookMs);
    // The index function folds them, if there is one.
    if (quietMs >= indexFunctionMs) {
      await foldOrganization({ testimonials, index, now }, organization).catch((error: unknown) => {
        if (!(error instanceof FencedOff)) throw error;
      });
    }
    const current = await index.readHead(organization);
    if (!current || current.revision === head?.revision) continue;
    const indexed = Math.max(0, current.indexed - firstOrdinal);
    if (current.indexed !== head?.indexed) {
      progress(
        `${Math.min(indexed, count).toLocaleString('en')} of ${count.toLocaleString('en')} testimonials indexed`,
      );
    }
    head = current;
    quietMs = 0;
  }
}
