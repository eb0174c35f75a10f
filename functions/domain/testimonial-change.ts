/** Changes to a testimonial's status and tags. */
import * as v from 'valibot';
import { limits, status, type Testimonial, tags } from './testimonial.ts';
import { foldLabel } from './visible-text.ts';

const change = v.object({
  status: v.exactOptional(status),
  addTags: v.exactOptional(tags),
  removeTags: v.exactOptional(tags),
});

type Change = v.InferOutput<typeof change>;

/**
 * The rules of a change that concern several fields. Tags are compared as in the filter. This is a function,
 * because a schema with more fields copies only the entries of `change`, without its rules.
 */
export function changeRules<Input extends Change>() {
  return [
    v.check<Input, string>(
      ({ status, addTags = [], removeTags = [] }) =>
        status !== undefined || addTags.length + removeTags.length > 0,
      'must have at least one of status, addTags and removeTags',
    ),
    v.check<Input, string>(
      ({ addTags = [], removeTags = [] }) => !addTags.some((tag) => hasTag(removeTags, tag)),
      'must not add and remove the same tag',
    ),
  ] as const;
}

export const testimonialChange = v.pipe(change, ...changeRules<Change>());

export type TestimonialChange = v.InferOutput<typeof testimonialChange>;

/**
 * Applies a change and keeps `updatedAt`.
 * @returns the changed testimonial, or the reason that nothing changes
 */
export function applyChange(
  testimonial: Testimonial,
  change: TestimonialChange,
): Testimonial | 'unchanged' | 'tooManyTags' {
  const { status = testimonial.status, addTags = [], removeTags = [] } = change;
  const before = testimonial.tags ?? [];
  const kept = before.filter((tag) => !hasTag(removeTags, tag));
  const tags = [...kept];
  for (const tag of addTags) if (!hasTag(tags, tag)) tags.push(tag);
  const isTagged = kept.length < before.length || tags.length > kept.length;
  if (!isTagged) return status === testimonial.status ? 'unchanged' : { ...testimonial, status };
  return tags.length > limits.tags.max ? 'tooManyTags' : { ...testimonial, status, tags };
}

function hasTag(tags: readonly string[], tag: string): boolean {
  return tags.some((other) => foldLabel(other) === foldLabel(tag));
}
