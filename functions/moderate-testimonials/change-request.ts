/** The body of `PATCH /v1/testimonials/{id}`. */
import * as v from 'valibot';
import type { Testimonial } from '../domain/testimonial.ts';
import { changeRules, testimonialChange } from '../domain/testimonial-change.ts';

// Whoever sends one of these expects that it counts.
const fixed = v.exactOptional(v.pipe(v.never('cannot be changed'), v.description('Cannot be changed.')));
const tags = v.exactOptional(
  v.pipe(
    v.never('cannot be replaced: use addTags and removeTags'),
    v.description('Cannot be replaced: use `addTags` and `removeTags`.'),
  ),
);
const fields = {
  id: fixed,
  content: fixed,
  author: fixed,
  rating: fixed,
  type: fixed,
  tags,
  createdAt: fixed,
  updatedAt: fixed,
} satisfies Record<Exclude<keyof Testimonial, 'status'>, unknown>;

const body = v.object({
  ...testimonialChange.entries,
  ifUpdatedAt: v.exactOptional(
    v.pipe(
      v.string('must be a string'),
      v.isoTimestamp('must be the updatedAt that was seen, such as 2026-01-15T10:30:00.000Z'),
      v.description('The `updatedAt` that was seen: where it is another by now, nothing changes.'),
    ),
  ),
  ...fields,
});

/** The body after validation. */
export type ChangeRequest = v.InferOutput<typeof body>;

/** Schema of the body, a JSON object. Unknown fields are dropped; those of a testimonial that cannot be changed are refused. */
export const changeRequest = v.pipe(body, ...changeRules<ChangeRequest>());
