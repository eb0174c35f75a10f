/** Estimates the cost of a write for the index function: the postings that an index update reads and writes because of it. */
import type { TermSource } from '../domain/terms.ts';
import { axes } from '../domain/testimonial-order.ts';
import { isFromText, nameOf, postingsOn } from '../list-index/index-terms.ts';
import { batchingWindowMs } from '../timing.ts';

// Some ten megabytes. An organization with more in a window pays for some of them twice.
const maxRemembered = 100_000;

/** Postings that no earlier write of the window has paid for. */
export interface NewPostings {
  count: number;
  /** Removes them from the paid ones: their write was refused, so the next one pays. */
  forget: () => void;
}

/**
 * Returns a function that counts the postings that an index update reads and writes because of a create, a change or an erasure. An
 * update takes all writes of an organization in a window of the table's stream together, so each posting counts once per window. A
 * function sees only its own writes: the estimate is too high if several functions share postings, and never too low for words that
 * no one else uses. A change touches no words.
 */
export function newPostings(
  now: () => Date,
): (organization: string, testimonial: TermSource, write?: 'create' | 'change' | 'erasure') => NewPostings {
  let paid = new Set<string>();
  let windowStart = Number.NEGATIVE_INFINITY;
  return (organization, testimonial, write = 'create') => {
    const at = now().getTime();
    // A clock that was set back starts another window, too.
    if (Math.abs(at - windowStart) >= batchingWindowMs || paid.size > maxRemembered) {
      paid = new Set();
      windowStart = at;
    }
    const paidInWindow = paid;
    const names = axes
      .flatMap((axis) => postingsOn(axis, testimonial))
      .filter((posting) => write !== 'change' || !isFromText(posting))
      .map((posting) => `${organization} ${nameOf(posting)}`);
    const added = new Set(names).difference(paidInWindow);
    for (const name of added) paidInWindow.add(name);
    const forget = () => {
      for (const name of added) paidInWindow.delete(name);
    };
    return { count: added.size, forget };
  };
}
