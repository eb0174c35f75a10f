/** An estimate of what a write costs the index function: the postings that an index update reads and writes because of it. */
import type { TermSource } from '../domain/terms.ts';
import { axes } from '../domain/testimonial-order.ts';
import { isFromText, nameOf, postingsOn } from '../list-index/index-terms.ts';
import { batchingWindowMs } from '../timing.ts';

// Some ten megabytes. Whoever has that many in a window pays for some of them twice.
const mostRemembered = 100_000;

/** Postings that are counted. */
export interface NewPostings {
  count: number;
  /** Takes them back: they were refused, and count again with the next request. */
  forget: () => void;
}

/**
 * Counts the postings that an index update reads and writes because of a create, a change or an erasure, each once for all writes that
 * it takes together: those of one organization within the window in which the table's stream gathers them. A function sees only its own
 * writes, and counts none twice that it sees: the estimate is too high if many functions share them, and never too low for
 * words that nobody else has. A change leaves words as they are.
 */
export function newPostings(
  now: () => Date,
): (organization: string, testimonial: TermSource, write?: 'create' | 'change' | 'erasure') => NewPostings {
  let counted = new Set<string>();
  let begun = Number.NEGATIVE_INFINITY;
  return (organization, testimonial, write = 'create') => {
    const at = now().getTime();
    // A clock that was set back begins another window, too.
    if (Math.abs(at - begun) >= batchingWindowMs || counted.size > mostRemembered) {
      counted = new Set();
      begun = at;
    }
    const ours = counted;
    const names = axes
      .flatMap((axis) => postingsOn(axis, testimonial))
      .filter((posting) => write !== 'change' || !isFromText(posting))
      .map((posting) => `${organization} ${nameOf(posting)}`);
    const added = new Set(names).difference(ours);
    for (const name of added) ours.add(name);
    const forget = () => {
      for (const name of added) ours.delete(name);
    };
    return { count: added.size, forget };
  };
}
