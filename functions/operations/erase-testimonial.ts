/** Erasure: a person's right to be forgotten (GDPR, article 17). */

import type { TestimonialStore } from '../domain/stores.ts';
import { textsOf } from '../domain/terms.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { TestimonialChanged } from './change-testimonial.ts';
import { findTestimonial } from './find-testimonial.ts';

/**
 * Erases a testimonial: it is in no list from then on, and its id is never given again. The marker comes before, as with
 * a change of status, and keeps the texts by which a fold takes the testimonial out of the list index; a later fold
 * deletes it. It may stop after each step, and be repeated.
 * @param onlyIf what must hold of the testimonial as the erasure finds it
 * @returns false when it was erased before
 * @throws {TestimonialNotFound}
 * @throws {TestimonialChanged} when that does not hold; then nothing was erased
 */
export async function eraseTestimonial(
  { testimonials, now }: { testimonials: TestimonialStore; now: () => Date },
  organization: string,
  id: string,
  onlyIf: (current: Testimonial) => boolean = () => true,
): Promise<boolean> {
  if (await testimonials.wasErased(organization, id)) return false;
  for (;;) {
    const previous = await findTestimonial(testimonials, organization, id);
    if (!onlyIf(previous.testimonial)) throw new TestimonialChanged(previous.testimonial);
    const { ordinal, version, updateOrdinal: previousUpdateOrdinal } = previous;
    const { updateOrdinal, time } = await testimonials.takeUpdateOrdinal(organization, now(), 'erasure');
    const places = { ordinal, updateOrdinal, previousUpdateOrdinal };
    const erases = textsOf(previous.testimonial);
    await testimonials.putChangeMarker(organization, { ...places, version, time, erases });
    if (await testimonials.erase(organization, previous, { updateOrdinal, time })) return true;
  }
}
