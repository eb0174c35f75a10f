/** Moderation: approving and rejecting a testimonial. */
import type { TestimonialStore } from './stores.ts';
import type { Status, Testimonial } from './testimonial.ts';
import { ordinalOfId } from './testimonial-id.ts';
import { ordinalOf } from './testimonial-order.ts';

/**
 * A change made later than this after its announcement, in milliseconds, is announced again: a fold that had read
 * the testimonial just before the change may still be writing when the announcement is folded.
 */
const announcementSafeMs = 3_000;

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
): Promise<Testimonial> {
  const ordinal = ordinalOfId(id);
  const found = ordinal === undefined ? undefined : await testimonials.find(organization, ordinal);
  if (found?.id !== id) {
    throw new TestimonialNotFound(`No testimonial ${id} in organization ${organization}`);
  }
  return found;
}

/**
 * Sets the status of a testimonial and moves its updatedAt forward. Any status may follow any other.
 * @throws {TestimonialNotFound}
 */
export async function changeStatus(
  deps: { testimonials: TestimonialStore; now: () => Date },
  organization: string,
  id: string,
  status: Status,
): Promise<Testimonial> {
  for (;;) {
    const previous = await findTestimonial(deps.testimonials, organization, id);
    const now = deps.now();
    const updatedAt = new Date(Math.max(now.getTime(), Date.parse(previous.updatedAt) + 1)).toISOString();
    const next = { ...previous, status, updatedAt };
    // Announced before it is done, so that no list misses it.
    const change = { ordinal: ordinalOf(previous), time: now, kind: 'status' } as const;
    await deps.testimonials.markChange(organization, change);
    if (await deps.testimonials.replaceStatus(organization, previous, next)) {
      const after = deps.now();
      if (after.getTime() - now.getTime() > announcementSafeMs) {
        await deps.testimonials.markChange(organization, { ...change, time: after });
      }
      return next;
    }
  }
}
