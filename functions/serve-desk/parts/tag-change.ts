/** Changes of tags, as people type them. */
import * as v from 'valibot';
import { type TestimonialChange, testimonialChange } from '../../domain/testimonial-change.ts';

/** Reads a change of tags, or names the tag that cannot be, and the rule. */
export function readTagChange(typed: {
  addTags?: string[];
  removeTags?: string[];
}): { change: TestimonialChange } | { problem: string } {
  const { success, output, issues } = v.safeParse(testimonialChange, typed, { abortPipeEarly: true });
  if (success) return { change: output };
  const { path: [, tag] = [], message } = issues[0];
  return { problem: `${tag ? `The tag “${tag.value}”` : 'A change of tags'} ${message}.` };
}
