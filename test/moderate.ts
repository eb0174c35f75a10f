/** Moderates testimonials as the operator's command line does. */

import type { Status, Testimonial } from '../functions/domain/testimonial.ts';
import { changeTestimonial } from '../functions/testimonials/operations/change-testimonial.ts';
import { testimonialStore } from '../functions/testimonials/table/testimonial-store.ts';
import type { ApiClient } from './api-client.ts';

/** Sets the status of a testimonial at the time `now`, and returns the testimonial. */
export async function moderate(
  { table }: ApiClient,
  organization: string,
  id: string,
  status: Status,
  now: Date,
): Promise<Testimonial> {
  const deps = { testimonials: testimonialStore(table), now: () => now };
  const outcome = await changeTestimonial(deps, organization, id, { status });
  if (!('testimonial' in outcome)) throw new Error(`The testimonial ${id} is ${outcome.kind}`);
  return outcome.testimonial;
}
