/** Erasure: a person's right to be forgotten (GDPR, article 17). */
import { textsOf } from '../domain/terms.ts';
import { formerFacetsOf } from '../list-index/index-terms.ts';
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
 * Erases a testimonial: it is in no list from then on, and its id is never given again. First it keeps the texts by which an index
 * update finds the testimonial's words, and then announces the erasure, as a change of status does. It may stop after each step, and
 * be repeated.
 */
export async function eraseTestimonial(
  { testimonials, now }: ChangeDependencies,
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
    const { updateOrdinal, time } = await testimonials.takeUpdateOrdinal(organization, now(), 'erasure');
    const places = { ordinal, updateOrdinal, version, time };
    await testimonials.putErasureTexts(organization, { ...places, texts: textsOf(testimonial) });
    await testimonials.putChangeMarker(organization, {
      ...places,
      previousUpdateOrdinal,
      ...formerFacetsOf(testimonial),
    });
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
