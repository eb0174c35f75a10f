/** What the log says of a change: no text of a customer stands there, tags included. */
import type { Testimonial } from '../domain/testimonial.ts';

/** @param after absent where it was erased */
export function lineOfChange(before: Testimonial, after?: Testimonial): object {
  return { id: before.id, before: traitsOf(before), after: after ? traitsOf(after) : 'erased' };
}

function traitsOf({ status, tags = [], updatedAt }: Testimonial) {
  return { status, tags: tags.length, updatedAt };
}
