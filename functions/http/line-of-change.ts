/** The log line of a change or an erasure. It contains none of the texts that people wrote. */
import type { Testimonial } from '../domain/testimonial.ts';

/**
 * Returns the log line of a change or an erasure. It contains the number of tags, not the tags.
 * @param after absent after an erasure
 */
export function lineOfChange(before: Testimonial, after?: Testimonial): object {
  return { id: before.id, before: traitsOf(before), after: after ? traitsOf(after) : 'erased' };
}

/** Returns the log line of the erasure of a testimonial that could not be read. */
export function lineOfUnreadable(id: string): object {
  return { id, before: 'unreadable', after: 'erased' };
}

function traitsOf({ status, tags = [], updatedAt }: Testimonial) {
  return { status, tags: tags.length, updatedAt };
}
