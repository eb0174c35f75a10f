/** An estimate of what the words of a create cost the index function. */
import type { TermSource } from '../domain/terms.ts';
import { axes } from '../domain/testimonial-order.ts';
import { nameOf, postingsOn } from '../list-index/index-terms.ts';
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
 * Counts the postings that an index update reads and writes because of a create, each once for all creates that it takes
 * together: those of one organization within the window in which the table's stream gathers them. A function sees only its own
 * creates, and counts none twice that it sees: the estimate is too high where many functions share them, and never too low for
 * words that nobody else has.
 */
export function newPostings(now: () => Date): (organization: string, testimonial: TermSource) => NewPostings {
  let counted = new Set<string>();
  let begun = Number.NEGATIVE_INFINITY;
  return (organization, testimonial) => {
    const at = now().getTime();
    // A clock that was set back begins another window, too.
    if (Math.abs(at - begun) >= batchingWindowMs || counted.size > mostRemembered) {
      counted = new Set();
      begun = at;
    }
    const ours = counted;
    const names = axes
      .flatMap((axis) => postingsOn(axis, testimonial))
      .map((posting) => `${organization} ${nameOf(posting)}`);
    const added = new Set(names).difference(ours);
    for (const name of added) ours.add(name);
    const forget = () => {
      for (const name of added) ours.delete(name);
    };
    return { count: added.size, forget };
  };
}
