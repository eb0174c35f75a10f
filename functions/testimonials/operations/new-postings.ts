/** Estimates the number of postings that an index update reads and writes because of a request. */
import type { TermSource } from '../../domain/terms.ts';
import { axes } from '../../domain/testimonial-order.ts';
import { batchingWindowMs } from '../../timing.ts';
import { isOfWord, nameOf, postingsOn } from '../list-index/index-terms.ts';

// Some ten megabytes. Beyond this, organizations pay for some postings twice.
const maxRemembered = 100_000;

/** Postings that no earlier write of the window paid for. */
export interface NewPostings {
  count: number;
  /** Called when the write was refused, so that the next write pays for these postings. */
  forget: () => void;
}

/**
 * Returns a function that counts the postings of a create, a change or an erasure. An index update indexes
 * all writes of an organization in a window of the table's stream together, so each posting counts once per
 * window. Each running function knows only its own writes, so the estimate is too high if several functions
 * write the same postings. A change writes no postings of words.
 */
export function newPostings(
  now: () => Date,
): (organization: string, testimonial: TermSource, write?: 'create' | 'change' | 'erasure') => NewPostings {
  let paid = new Set<string>();
  let windowStart = Number.NEGATIVE_INFINITY;
  return (organization, testimonial, write = 'create') => {
    const at = now().getTime();
    // A clock that was set back also starts another window.
    if (Math.abs(at - windowStart) >= batchingWindowMs || paid.size > maxRemembered) {
      paid = new Set();
      windowStart = at;
    }
    const paidInWindow = paid;
    const names = axes
      .flatMap((axis) => postingsOn(axis, testimonial))
      .filter((posting) => write !== 'change' || !isOfWord(posting))
      .map((posting) => `${organization} ${nameOf(posting)}`);
    const added = new Set(names).difference(paidInWindow);
    for (const name of added) paidInWindow.add(name);
    const forget = () => {
      for (const name of added) paidInWindow.delete(name);
    };
    return { count: added.size, forget };
  };
}

/** Returns a function that pays for the postings of a block of changes or erasures at once. */
export function payingFor(
  postingsOf: ReturnType<typeof newPostings>,
  organization: string,
  payFor: (postings: NewPostings) => Promise<void>,
) {
  return (testimonials: readonly TermSource[], write: 'change' | 'erasure'): Promise<void> => {
    const all = testimonials.map((testimonial) => postingsOf(organization, testimonial, write));
    return payFor({
      count: all.reduce((sum, { count }) => sum + count, 0),
      forget: () => {
        for (const { forget } of all) forget();
      },
    });
  };
}
