/**
 * A review of the queue: pending testimonials one after the other, with one key for each decision. The page
 * contains the review, so that the server stores nothing between requests, and two open pages do not
 * interfere.
 */
import * as v from 'valibot';
import type { SeenVersion } from '../domain/outcomes.ts';
import { limits, statuses, type Testimonial } from '../domain/testimonial.ts';
import type { TestimonialChange } from '../domain/testimonial-change.ts';
import type { SentChange } from './parts/actions.ts';

const status = v.picklist(statuses);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const decision = v.object({
  id: v.string(),
  updatedAt: v.string(),
  status,
  tags: v.pipe(v.array(v.string()), v.maxLength(limits.tags.max)),
});

// These limits bound the size of the page. Testimonials that were skipped earlier are shown again.
const maxDecisions = 50;
const maxSkipped = 200;

/** Schema of a review in a page's form. */
export const reviewSchema = v.object({
  /**
   * The latest decisions, oldest first; undo reverts the last. A skip is stored as a `pending` decision.
   * `tags` are the tags that the decision added.
   */
  decisions: v.pipe(v.array(decision), v.maxLength(maxDecisions)),
  /** Ids of the testimonials that were skipped last. They are not shown again. */
  skipped: v.pipe(v.array(v.string()), v.maxLength(maxSkipped)),
  /** The number of decisions so far, by status; `pending` counts skips. */
  counts: v.object({ pending: count, approved: count, rejected: count }),
});

export type Review = v.InferOutput<typeof reviewSchema>;

export const emptyReview: Review = {
  decisions: [],
  skipped: [],
  counts: { pending: 0, approved: 0, rejected: 0 },
};

// API Gateway accepts 10,240 bytes of request line and headers.
const maxInUrl = 4000;

/**
 * Returns a review as the parameter of a URL. Leaves out the oldest decisions and skips if it would be too
 * long.
 */
export function reviewParameter(review: Review): string {
  const text = JSON.stringify(review);
  const { decisions, skipped } = review;
  if (encodeURIComponent(text).length <= maxInUrl || decisions.length + skipped.length === 0) return text;
  const newerHalf = <Item>(items: readonly Item[]) => items.slice(Math.ceil(items.length / 2));
  return reviewParameter({ ...review, decisions: newerHalf(decisions), skipped: newerHalf(skipped) });
}

/** The meaning of a key. It applies only if no one has changed the testimonial since it was seen. */
export type Command =
  | { kind: 'skip'; seen: SeenVersion }
  | { kind: 'decide' | 'tag' | 'undo'; seen: SeenVersion; change: TestimonialChange };

/** The statuses that keys set. Buttons of the list have actions (parts/actions.ts) instead. */
const decisionKeys = new Map<string, 'approved' | 'rejected'>([
  ['a', 'approved'],
  ['r', 'rejected'],
]);

/** True if a key adds the typed tags. A decision also works without tags. */
export function takesTags(key: string, hasTags: boolean): boolean {
  return key === 't' || (hasTags && decisionKeys.has(key));
}

/**
 * Returns the command of a key, or undefined for any other key.
 *
 * | Key | Needs | Typed tags |
 * |---|---|---|
 * | `a`, `r` | a testimonial on the page | are added with the decision |
 * | `t` | a testimonial on the page | are added; at least one |
 * | `s` | a testimonial on the page | are ignored |
 * | `u` | an earlier decision | are ignored |
 * @param onPage the testimonial on the page, if any
 * @param tags a change that adds the typed tags; empty for keys without tags (`takesTags`)
 */
export function commandOf(
  { decisions }: Review,
  key: string,
  onPage: SeenVersion | undefined,
  tags: TestimonialChange = {},
): Command | undefined {
  const last = decisions.at(-1);
  if (key === 'u' && last) {
    const untag = last.tags.length > 0 ? { removeTags: last.tags } : {};
    // For a skip, which is stored as a `pending` decision, the outcome is `already`, and the testimonial is
    // shown again.
    return { kind: 'undo', seen: last, change: { status: 'pending', ...untag } };
  }
  if (!onPage) return undefined;
  const status = decisionKeys.get(key);
  if (status) return { kind: 'decide', seen: onPage, change: { ...tags, status } };
  if (key === 't') return { kind: 'tag', seen: onPage, change: tags };
  return key === 's' ? { kind: 'skip', seen: onPage } : undefined;
}

export interface NextPage {
  review: Review;
  message: string;
  /** The testimonial to show next. If absent, the oldest pending one. */
  next?: Testimonial;
  /** True if nothing was changed, and the typed tags stay. */
  keepsTags?: true;
}

/** Returns the page after a testimonial was skipped. */
export function pageAfterSkip(before: Review, seen: SeenVersion): NextPage {
  return { review: withDecision(before, { ...seen, status: 'pending', tags: [] }), message: 'Skipped.' };
}

/**
 * Returns the page after a command that changes a testimonial.
 * @param tagsBefore the tags that the page showed
 */
export function pageAfter(
  before: Review,
  { kind, change }: Exclude<Command, { kind: 'skip' }>,
  { outcome, isRepeated }: SentChange,
  tagsBefore: readonly string[],
): NextPage {
  // An undo is not retried, even if it failed.
  const review = kind === 'undo' ? withoutLastDecision(before) : before;
  if (outcome.kind === 'tooManyTags')
    return {
      review,
      message: 'Nothing was changed: too many tags. Remove some tags first.',
      keepsTags: true,
    };
  if (outcome.kind === 'absent') return { review, message: 'This testimonial no longer exists.' };
  const { testimonial } = outcome;
  const testimonialOf = `${testimonial.author.name}’s testimonial`;
  if (outcome.kind === 'conflict') {
    if (testimonial.status !== 'pending')
      return { review, message: `Nothing was changed: ${testimonialOf} is already ${testimonial.status}.` };
    const message = `Nothing was changed: someone else changed ${testimonialOf}. Look at it again.`;
    return { review, message, next: testimonial, keepsTags: true };
  }
  if (kind === 'undo')
    return { review, message: `${testimonialOf} is back in the queue.`, next: testimonial };
  if (kind === 'tag') return { review, message: `Tags added to ${testimonialOf}.`, next: testimonial };
  if (outcome.kind === 'already' && !isRepeated)
    return { review, message: `${testimonialOf} was already ${testimonial.status}.` };
  const { id, status, updatedAt, tags = [] } = testimonial;
  const added = tags.filter((tag) => change.addTags?.includes(tag) && !tagsBefore.includes(tag));
  return {
    review: withDecision(review, { id, updatedAt, status, tags: added }),
    message: `${testimonialOf} is ${status}.`,
  };
}

function withDecision({ decisions, skipped, counts }: Review, decision: Review['decisions'][number]): Review {
  const { id, status } = decision;
  return {
    decisions: [...decisions, decision].slice(-maxDecisions),
    skipped: (status === 'pending' ? [...skipped, id] : skipped).slice(-maxSkipped),
    counts: { ...counts, [status]: counts[status] + 1 },
  };
}

function withoutLastDecision({ decisions, skipped, counts }: Review): Review {
  const last = decisions.at(-1);
  if (!last) return { decisions, skipped, counts };
  return {
    decisions: decisions.slice(0, -1),
    skipped: skipped.filter((id) => id !== last.id),
    counts: { ...counts, [last.status]: counts[last.status] - 1 },
  };
}
