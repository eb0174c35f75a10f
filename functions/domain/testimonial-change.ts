/** What an operator can change of a testimonial. */
import { limits, type Status, type Testimonial } from './testimonial.ts';
import { foldCase } from './words.ts';

/** Tags are compared without regard to case. */
export type TestimonialChange = { status: Status } | { addTags: string[]; removeTags: string[] };

/** A change would give a testimonial more tags than it may have. */
export class TooManyTags extends Error {
  override name = 'TooManyTags';

  constructor({ id }: Testimonial) {
    super(`Testimonial ${id} would have more than ${limits.tags.max} tags: remove some of them`);
  }
}

/**
 * The testimonial as a change makes it, but for its updatedAt; the very same when there is nothing to change.
 * @throws {TooManyTags}
 */
export function changed(testimonial: Testimonial, change: TestimonialChange): Testimonial {
  if ('status' in change) {
    return change.status === testimonial.status ? testimonial : { ...testimonial, status: change.status };
  }
  const before = testimonial.tags ?? [];
  const removed = new Set(change.removeTags.map(foldCase));
  const kept = before.filter((tag) => !removed.has(foldCase(tag)));
  const there = new Set(kept.map(foldCase));
  const added = change.addTags.filter((tag) => !there.has(foldCase(tag)));
  if (kept.length === before.length && added.length === 0) return testimonial;
  const tags = [...kept, ...added];
  if (tags.length > limits.tags.max) throw new TooManyTags(testimonial);
  return { ...testimonial, tags };
}
