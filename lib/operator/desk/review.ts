/**
 * A review: pending testimonials one after the other, each decided by a key. What was done so far travels with the page that
 * shows the next one, so that no other page can change it.
 */
import * as v from 'valibot';
import { type Status, statuses, type Testimonial } from '../../../functions/domain/testimonial.ts';
import type { Changed, Seen } from '../../../functions/operations/attempts.ts';

const status = v.picklist(statuses);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Schema of a review as a page carries it. Where a testimonial was skipped, the status that it was given is `pending`. */
export const review = v.object({
  /** What was done, oldest first; undo takes back the last. Only so many are kept. */
  steps: v.array(v.object({ id: v.string(), updatedAt: v.string(), status })),
  /** Ids of what was skipped, which is not shown again. */
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

// A page does not grow for ever, however long somebody reviews.
const mostSteps = 50;

/** What a key asks to be done with a testimonial, if it is still as it was seen. */
export interface Move {
  kind: 'decide' | 'skip' | 'undo';
  seen: Seen;
  /** What it is given. */
  status: Status;
}

/**
 * What a key asks for; undefined where that is nothing.
 * @param shown what the page shows; absent where none is left
 */
export function moveOf({ steps }: Review, key: string, shown: Seen | undefined): Move | undefined {
  const last = steps.at(-1);
  if (key === 'a') return shown && { kind: 'decide', seen: shown, status: 'approved' };
  if (key === 'r') return shown && { kind: 'decide', seen: shown, status: 'rejected' };
  if (key === 's') return shown && { kind: 'skip', seen: shown, status: 'pending' };
  if (key === 'u') return last && { kind: 'undo', seen: last, status: 'pending' };
  return undefined;
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
export function afterMove(before: Review, { kind, seen, status }: Move, outcome?: Changed): Moved {
  if (!outcome) return { review: withStep(before, { ...seen, status }), said: 'Skipped.' };
  // An undo is not tried again, whatever became of it.
  const review = kind === 'undo' ? withoutLastStep(before) : before;
  if (!('testimonial' in outcome)) return { review, said: 'It is no longer there.' };
  const { testimonial } = outcome;
  const { name } = testimonial.author;
  if (outcome.kind === 'conflict') {
    return { review, said: `Somebody else was first: ${name} is ${testimonial.status} now.` };
  }
  if (kind === 'undo') return { review, said: `${name} is to be decided again.`, next: testimonial };
  if (outcome.kind === 'already') return { review, said: `${name} is ${status} already.` };
  const { id, updatedAt } = testimonial;
  return { review: withStep(review, { id, updatedAt, status }), said: `${name} is ${status}.` };
}

function withStep({ steps, skipped, given }: Review, step: Review['steps'][number]): Review {
  const { id, status } = step;
  return {
    steps: [...steps, step].slice(-mostSteps),
    skipped: status === 'pending' ? [...skipped, id] : skipped,
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
