/** Changes of a testimonial: of its status and its tags, also together. */
import * as v from 'valibot';
import { limits, statuses, type Testimonial, tags } from './testimonial.ts';
import { foldCase } from './words.ts';

const change = v.object({
  status: v.exactOptional(v.picklist(statuses, `must be one of ${statuses.join(', ')}`)),
  addTags: v.exactOptional(tags),
  removeTags: v.exactOptional(tags),
});

type Change = v.InferOutput<typeof change>;

/** The rules of a change that are none of a single field. Tags are compared without regard to case. */
export function changeRules<Input extends Change>() {
  return [
    v.check<Input, string>(
      ({ status, addTags = [], removeTags = [] }) =>
        status !== undefined || addTags.length + removeTags.length > 0,
      'must have a status, or tags to add or to remove',
    ),
    v.check<Input, string>(
      ({ addTags = [], removeTags = [] }) => !addTags.some((tag) => hasTag(removeTags, tag)),
      'must not add and remove the same tag',
    ),
  ] as const;
}

/** Schema of a change. */
export const testimonialChange = v.pipe(change, ...changeRules<Change>());

export type TestimonialChange = v.InferOutput<typeof testimonialChange>;

/**
 * The testimonial as a change makes it, but for its updatedAt.
 * @returns the very same when there is nothing to change, and undefined when it would have too many tags
 */
export function changed(testimonial: Testimonial, change: TestimonialChange): Testimonial | undefined {
  const { status = testimonial.status, addTags = [], removeTags = [] } = change;
  const before = testimonial.tags ?? [];
  const kept = before.filter((tag) => !hasTag(removeTags, tag));
  const tags = [...kept];
  for (const tag of addTags) if (!hasTag(tags, tag)) tags.push(tag);
  const isTagged = kept.length < before.length || tags.length > kept.length;
  if (!isTagged) return status === testimonial.status ? testimonial : { ...testimonial, status };
  return tags.length > limits.tags.max ? undefined : { ...testimonial, status, tags };
}

function hasTag(tags: readonly string[], tag: string): boolean {
  return tags.some((each) => foldCase(each) === foldCase(tag));
}
