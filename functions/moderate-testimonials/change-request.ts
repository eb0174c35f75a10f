/** The body of `PATCH /v1/testimonials/{id}`. */
import * as v from 'valibot';
import type { Testimonial } from '../domain/testimonial.ts';
import { changeRules, testimonialChange } from '../domain/testimonial-change.ts';

// Rejected, because a client that sends one of these expects it to change.
const fixed = v.exactOptional(v.never('cannot be changed'));
const tags = v.exactOptional(v.never('cannot be replaced: use addTags and removeTags'));
const unchangeableFields = {
  id: fixed,
  content: fixed,
  author: fixed,
  rating: fixed,
  type: fixed,
  tags,
  media: fixed,
  createdAt: fixed,
  updatedAt: fixed,
} satisfies Record<Exclude<keyof Testimonial, 'status'>, unknown>;

const rfc3339 =
  /^(\d{4}-\d\d-\d\d)[Tt ]((?:[01]\d|2[0-3])(?::[0-5]\d){2})(?:\.(\d{1,30}))?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Returns an instant in the format of `updatedAt`: in UTC, with milliseconds. Keeps non-zero digits after the
 * milliseconds, so that the result matches no `updatedAt`.
 * @param text in RFC 3339 (section 5.6)
 * @returns undefined if the text is malformed or the day does not exist
 */
function instantOf(text: string): string | undefined {
  const [, date = '', clock, fraction = '', zone = ''] = rfc3339.exec(text) ?? [];
  const day = Date.parse(`${date}T00:00:00Z`);
  // JavaScript reads February 30 as March 2.
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, date.length) !== date) return undefined;
  const second = new Date(`${date}T${clock}${zone.toUpperCase()}`).toISOString();
  return second.replace('000Z', `${fraction.replace(/0+$/, '').padEnd(3, '0')}Z`);
}

const changeableFields = v.object({
  ...testimonialChange.entries,
  ifUpdatedAt: v.exactOptional(
    v.pipe(
      v.string('must be a string'),
      v.rawTransform(({ dataset, addIssue, NEVER }) => {
        const instant = instantOf(dataset.value);
        if (instant !== undefined) return instant;
        addIssue({ message: 'must be an updatedAt of the testimonial, such as 2026-01-15T10:30:00.000Z' });
        return NEVER;
      }),
      v.metadata({
        format: 'date-time',
        description:
          'The `updatedAt` that you read, in any form of RFC 3339. If it has changed since, nothing is written (409).',
      }),
    ),
  ),
});

/** Schema of the body in the contract. */
export const documentedChange = v.pipe(
  changeableFields,
  v.metadata({ anyOf: Object.keys(testimonialChange.entries).map((name) => ({ required: [name] })) }),
);

const body = v.object({ ...changeableFields.entries, ...unchangeableFields });

export type ChangeRequest = v.InferOutput<typeof body>;

/**
 * Schema of the body. Drops unknown fields, and rejects the fields of a testimonial that cannot be changed.
 */
export const changeRequest = v.pipe(body, ...changeRules<ChangeRequest>());
