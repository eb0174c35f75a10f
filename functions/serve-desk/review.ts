/**
 * A review: pending testimonials one after the other, each decided by a key. What was done so far travels with the page that
 * shows the next one, so that no other page can change it.
 */
import * as v from 'valibot';
import { statuses, type Testimonial } from '../domain/testimonial.ts';
import type { TestimonialChange } from '../domain/testimonial-change.ts';
import type { Changed, Seen } from '../operations/attempts.ts';

const status = v.picklist(statuses);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * Schema of a review as a page carries it. Where a testimonial was skipped, the status that it was given is `pending`; `tags` are
 * those that were added with it.
 */
export const review = v.object({
  /** What was done, oldest first; undo takes back the last. Only so many are kept. */
  steps: v.array(v.object({ id: v.string(), updatedAt: v.string(), status, tags: v.array(v.string()) })),
  /** Ids of what was skipped last, which is not shown again. */
  skipped: v.array(v.string()),
  /** How many were given each status. */
  given: v.object({ pending: count, approved: count, rejected: count }),
});

export type Review = v.InferOutput<typeof review>;

export const emptyReview: Review = {
  steps: [],
  skipped: [],
  given: { pending: 0, approved: 0, rejected: 0 },
};

// A page does not grow for ever, however long somebody reviews: what was skipped before comes again.
const mostSteps = 50;
const mostSkipped = 200;

/** What a key asks to be done with a testimonial, if it is still as it was seen. */
export interface Move {
  kind: 'decide' | 'tag' | 'skip' | 'undo';
  seen: Seen;
  /** Absent where it is skipped. */
  change?: TestimonialChange;
}

/**
 * What a key asks for; undefined where that is nothing.
 * @param shown what the page shows; absent where none is left
 * @param tags a change that adds those that were typed, or nothing
 */
export function moveOf(
  { steps }: Review,
  key: string,
  shown: Seen | undefined,
  tags: TestimonialChange = {},
): Move | undefined {
  const last = steps.at(-1);
  if (key === 'u' && last) {
    const untag = last.tags.length > 0 ? { removeTags: last.tags } : {};
    return { kind: 'undo', seen: last, change: { status: 'pending', ...untag } };
  }
  if (!shown) return undefined;
  if (key === 'a') return { kind: 'decide', seen: shown, change: { ...tags, status: 'approved' } };
  if (key === 'r') return { kind: 'decide', seen: shown, change: { ...tags, status: 'rejected' } };
  if (key === 't') return { kind: 'tag', seen: shown, change: tags };
  return key === 's' ? { kind: 'skip', seen: shown } : undefined;
}

export interface Moved {
  review: Review;
  /** What is said about it. */
  said: string;
  /** What is shown next; absent where that is the oldest one. */
  next?: Testimonial;
}

/**
 * The review after a move.
 * @param outcome what became of the testimonial; absent where it was skipped
 */
export function afterMove(earlier: Review, move: Move, outcome?: Changed): Moved {
  const { kind, seen } = move;
  if (!outcome)
    return { review: withStep(earlier, { ...seen, status: 'pending', tags: [] }), said: 'Skipped.' };
  // An undo is not tried again, whatever became of it.
  const review = kind === 'undo' ? withoutLastStep(earlier) : earlier;
  if (outcome.kind === 'tooManyTags')
    return { review, said: 'Nothing was done: it would have too many tags.' };
  if (!('testimonial' in outcome)) return { review, said: 'It is no longer there.' };
  const { testimonial } = outcome;
  const { name } = testimonial.author;
  if (outcome.kind === 'conflict')
    return { review, said: `Somebody else was first: ${name} is ${testimonial.status} now.` };
  if (kind === 'undo') return { review, said: `${name} is to be decided again.`, next: testimonial };
  if (kind === 'tag') return { review, said: `${name} has the tags.`, next: testimonial };
  if (!('before' in outcome)) return { review, said: `${name} is ${testimonial.status} already.` };
  const { id, status, updatedAt, tags = [] } = testimonial;
  const before = outcome.before.tags ?? [];
  const added = tags.filter((tag) => !before.includes(tag));
  return { review: withStep(review, { id, updatedAt, status, tags: added }), said: `${name} is ${status}.` };
}

function withStep({ steps, skipped, given }: Review, step: Review['steps'][number]): Review {
  const { id, status } = step;
  return {
    steps: [...steps, step].slice(-mostSteps),
    skipped: (status === 'pending' ? [...skipped, id] : skipped).slice(-mostSkipped),
    given: { ...given, [status]: given[status] + 1 },
  };
}

function withoutLastStep({ steps, skipped, given }: Review): Review {
  const { id, status } = steps.at(-1) ?? { status: 'pending' };
  return {
    steps: steps.slice(0, -1),
    skipped: skipped.filter((each) => each !== id),
    given: { ...given, [status]: given[status] - 1 },
  };
}
