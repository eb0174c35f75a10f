/** Erasure: a person's right to be forgotten (GDPR, article 17). */
import { textsOf } from '../domain/terms.ts';
import {
  type AttemptOptions,
  attemptEach,
  type Condition,
  type Erased,
  type Seen,
  type Tally,
} from './attempts.ts';
import type { ChangeDependencies } from './change-testimonial.ts';
import { findTestimonial } from './find-testimonial.ts';

/**
 * Erases a testimonial: it is in no list from then on, and its id is never given again. The marker comes before, as with
 * a change of status, and keeps the texts by which an index update takes the testimonial out of the list index; a later index update
 * deletes it. It may stop after each step, and be repeated.
 */
export async function eraseTestimonial(
  { testimonials, now, beforeWrite }: ChangeDependencies,
  organization: string,
  id: string,
  { ifUpdatedAt }: Condition = {},
): Promise<Erased> {
  for (;;) {
    const previous = await findTestimonial(testimonials, organization, id);
    if (!previous) return { kind: (await testimonials.wasErased(organization, id)) ? 'already' : 'absent' };
    const { ordinal, version, updateOrdinal: previousUpdateOrdinal, testimonial } = previous;
    if (ifUpdatedAt !== undefined && ifUpdatedAt !== testimonial.updatedAt) {
      return { kind: 'conflict', testimonial };
    }
    await beforeWrite?.(testimonial);
    const { updateOrdinal, time } = await testimonials.takeUpdateOrdinal(organization, now(), 'erasure');
    const places = { ordinal, updateOrdinal, previousUpdateOrdinal };
    const erases = textsOf(testimonial);
    await testimonials.putChangeMarker(organization, { ...places, version, time, erases });
    if (await testimonials.erase(organization, previous, { updateOrdinal, time })) {
      return { kind: 'done', before: testimonial };
    }
  }
}

/** Erases each of some testimonials that is still as it was seen. */
export function eraseEach(
  deps: ChangeDependencies,
  organization: string,
  seen: readonly Seen[],
  options?: AttemptOptions,
): Promise<Tally> {
  return attemptEach(
    seen,
    ({ id, updatedAt }) => eraseTestimonial(deps, organization, id, { ifUpdatedAt: updatedAt }),
    options,
  );
}
