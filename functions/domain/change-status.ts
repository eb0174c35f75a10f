/** Moderation: approving and rejecting a testimonial. */
import type { StoredTestimonial } from './stored-testimonial.ts';
import type { TestimonialStore } from './stores.ts';
import type { Status, Testimonial } from './testimonial.ts';
import { ordinalOfId } from './testimonial-id.ts';

/** No testimonial of the organization has this id. */
export class TestimonialNotFound extends Error {
  override name = 'TestimonialNotFound';
}

/**
 * Reads one testimonial by its id.
 * @throws {TestimonialNotFound}
 */
export async function findTestimonial(
  testimonials: TestimonialStore,
  organization: string,
  id: string,
): Promise<StoredTestimonial> {
  const ordinal = ordinalOfId(id);
  const found = ordinal === undefined ? undefined : await testimonials.find(organization, ordinal);
  if (found?.testimonial.id !== id) {
    throw new TestimonialNotFound(`No testimonial ${id} in organization ${organization}`);
  }
  return found;
}

/**
 * Sets the status of a testimonial and moves its updatedAt forward. Any status may follow any other. It may stop
 * after each step, or pause there for any time: the marker comes before the change, so that no list misses it, and a
 * change that comes after its marker was folded finds another version and begins again.
 * @throws {TestimonialNotFound}
 */
export async function changeStatus(
  { testimonials, now }: { testimonials: TestimonialStore; now: () => Date },
  organization: string,
  id: string,
  status: Status,
): Promise<Testimonial> {
  for (;;) {
    const previous = await findTestimonial(testimonials, organization, id);
    const { ordinal, version, testimonial } = previous;
    const earliest = new Date(Math.max(now().getTime(), Date.parse(testimonial.updatedAt) + 1));
    const { updateOrdinal, time } = await testimonials.takeUpdateOrdinal(organization, earliest);
    const previousUpdateOrdinal = previous.updateOrdinal;
    const places = { updateOrdinal, previousUpdateOrdinal };
    await testimonials.putChangeMarker(organization, { ...places, ordinal, version, time });
    const next = { ...testimonial, status, updatedAt: time };
    const stored = { ...previous, ...places, testimonial: next, version: version + 1 };
    if (await testimonials.replaceStatus(organization, previous, stored)) return next;
  }
}
