/** Ordinary testimonials, in which a test overrides the fields that matter to it. */
import type { StoredTestimonial } from '../functions/domain/stored-testimonial.ts';
import type { Testimonial, TestimonialInput } from '../functions/domain/testimonial.ts';
import type { ChangeMarker } from '../functions/testimonials/model/testimonial-store.ts';

const time = '2026-01-15T10:30:00.000Z';

export const input = {
  content: 'Amazing product',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text',
} satisfies TestimonialInput;

export function testimonialOf(overrides: Partial<Testimonial> = {}): Testimonial {
  const id = 'test_1234567890121';
  return { ...input, id, status: 'pending', createdAt: time, updatedAt: time, ...overrides };
}

/** Returns a stored testimonial that was never updated. */
export function storedAt(
  ordinal: number,
  overrides: Partial<Testimonial> = {},
  others: Partial<Omit<StoredTestimonial, 'testimonial'>> = {},
): StoredTestimonial {
  const testimonial = testimonialOf({ id: `test_123456789012${ordinal}`, ...overrides });
  const writtenAt = testimonial.createdAt;
  return { testimonial, ordinal, updateOrdinal: ordinal, version: 1, writtenAt, ...others };
}

/** Returns the inputs of stored testimonials. */
export function inputsOf(rows: Iterable<StoredTestimonial>): TestimonialInput[] {
  return Array.from(rows, ({ testimonial: { content, author, rating, type, tags = [] } }) => ({
    content,
    author,
    type,
    tags,
    ...(rating !== undefined && { rating }),
  }));
}

/** Returns the marker of a testimonial's first change. */
export function markerOf(
  updateOrdinal: number,
  ordinal: number,
  overrides: Partial<ChangeMarker> = {},
): ChangeMarker {
  return { updateOrdinal, ordinal, previousUpdateOrdinal: ordinal, version: 1, time, ...overrides };
}
