/** Estimates the number of postings that an index update reads and writes because of a request. */
import type { RequestContext, UnpaidPostings } from '../../domain/outcomes.ts';
import type { TermSource } from '../../domain/terms.ts';
import { axes } from '../../domain/testimonial-order.ts';
import { batchingWindowMs } from '../../timing.ts';
import { isOfWord, nameOf, postingsOn } from '../list-index/index-terms.ts';

// Some ten megabytes. Above this number, organizations pay twice for some postings.
const maxRemembered = 100_000;

/** Returns the postings of a write that no earlier write has paid for, and marks them as paid. */
type TakeUnpaid = (
  organization: string,
  testimonial: TermSource,
  write?: 'create' | 'change' | 'erasure',
) => UnpaidPostings;

/**
 * Returns a function that counts the postings of a create, a change or an erasure. An index update indexes
 * all writes of an organization in a window of the table's stream together, so each posting counts once per
 * window. Each counter knows only the writes of its own function, so the estimate is too high if several
 * functions write the same postings. A change writes no postings of words.
 */
export function unpaidPostings(now: () => Date): TakeUnpaid {
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
    const refund = () => {
      for (const name of added) paidInWindow.delete(name);
    };
    return { count: added.size, refund };
  };
}

/**
 * Charges the organization's budget before the writes of a block. Receives the new testimonials of changes,
 * or the old testimonials of erasures. If it rejects, nothing is written.
 */
export type ChargePostings = (
  testimonials: readonly TermSource[],
  write: 'change' | 'erasure',
) => Promise<void>;

/** Returns a function that charges the postings of a block of changes or erasures at once. */
export function chargeOf(
  takeUnpaid: TakeUnpaid,
  organization: string,
  payFor: RequestContext['payFor'],
): ChargePostings {
  return async (testimonials, write) => {
    if (!payFor) return;
    const all = testimonials.map((testimonial) => takeUnpaid(organization, testimonial, write));
    await payFor({
      count: all.reduce((sum, { count }) => sum + count, 0),
      refund: () => {
        for (const { refund } of all) refund();
      },
    });
  };
}
