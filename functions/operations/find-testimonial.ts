/** One testimonial, by its id. */
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { TestimonialStore } from '../domain/stores.ts';
import { ordinalOfId } from '../domain/testimonial-id.ts';

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
