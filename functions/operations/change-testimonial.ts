/** Moderation: approving, rejecting and tagging testimonials. */
import type { ChangeKind } from '../domain/stored-testimonial.ts';
import type { TestimonialStore } from '../domain/stores.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { changed, type TestimonialChange } from '../domain/testimonial-change.ts';
import {
  type AttemptOptions,
  attemptEach,
  type Changed,
  type ChangeOptions,
  type Seen,
  type Tally,
} from './attempts.ts';
import { findTestimonial } from './find-testimonial.ts';

export interface ChangeDependencies {
  testimonials: TestimonialStore;
  now: () => Date;
  /** Awaited before a testimonial is written as it is to be, or one erased as it was: nothing is when it fails. */
  beforeWrite?: (testimonial: Testimonial) => Promise<void>;
}

/**
 * Changes a testimonial and moves its updatedAt forward; where there is nothing to change, it writes nothing, also when the
 * testimonial is no longer as it was seen: so a request may be repeated whose answer was lost. It may stop after each step,
 * or pause there for any time: the marker comes before the change, so that no list misses it, and a change that comes after
 * its marker was indexed finds another version and begins again.
 */
export async function changeTestimonial(
  { testimonials, now, beforeWrite }: ChangeDependencies,
  organization: string,
  id: string,
  change: TestimonialChange,
  { ifUpdatedAt, by = '' }: ChangeOptions = {},
): Promise<Changed> {
  for (let taken = 0, before: Testimonial | undefined; ; ) {
    const previous = await findTestimonial(testimonials, organization, id);
    if (!previous) return { kind: 'absent' };
    const { ordinal, version, testimonial } = previous;
    // The change was made, and its answer was lost; also where somebody has changed it since.
    if (before && [previous.updateOrdinal, previous.previousUpdateOrdinal].includes(taken)) {
      return { kind: 'done', before, testimonial };
    }
    const next = changed(testimonial, change);
    if (next === testimonial) return { kind: 'already', testimonial };
    if (ifUpdatedAt !== undefined && ifUpdatedAt !== testimonial.updatedAt) {
      return { kind: 'conflict', testimonial };
    }
    if (!next) return { kind: 'tooManyTags' };
    await beforeWrite?.(next);
    const earliest = new Date(Math.max(now().getTime(), Date.parse(testimonial.updatedAt) + 1));
    const { updateOrdinal, time } = await testimonials.takeUpdateOrdinal(organization, earliest);
    const previousUpdateOrdinal = previous.updateOrdinal;
    const places = { updateOrdinal, previousUpdateOrdinal };
    const formerTags = testimonial.tags?.length ? { formerTags: testimonial.tags } : {};
    await testimonials.putChangeMarker(organization, { ...places, ordinal, version, time, ...formerTags });
    const updated = { ...next, updatedAt: time };
    const kind: ChangeKind = next.status === testimonial.status ? 'tags' : 'status';
    const stored = {
      ...previous,
      ...places,
      change: kind,
      testimonial: updated,
      version: version + 1,
      ...(kind === 'status' && { decision: { by, at: time } }),
    };
    if (await testimonials.replace(organization, previous, stored)) {
      return { kind: 'done', before: testimonial, testimonial: updated };
    }
    [taken, before] = [updateOrdinal, testimonial];
  }
}

/** Changes each of some testimonials that is still as it was seen. */
export function changeEach(
  deps: ChangeDependencies,
  organization: string,
  seen: readonly Seen[],
  change: TestimonialChange,
  options?: AttemptOptions,
): Promise<Tally> {
  return attemptEach(
    seen,
    ({ id, updatedAt }) => changeTestimonial(deps, organization, id, change, { ifUpdatedAt: updatedAt }),
    options,
  );
}
