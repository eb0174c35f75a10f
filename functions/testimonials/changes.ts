/**
 * Changes and erases testimonials, one at a time. A change may stop after any of its calls and be repeated;
 * docs/protocol.md says why nothing is lost.
 */

import type {
  ChangeOptions,
  ChangeOutcome,
  EraseOutcome,
  IfUnchanged,
  RequestContext,
} from '../domain/outcomes.ts';
import type { TestimonialChange } from '../domain/testimonial-change.ts';
import { abortable, type Table } from '../dynamodb/table.ts';
import type { TestimonialStore } from './model/testimonial-store.ts';
import { changeTestimonial } from './operations/change-testimonial.ts';
import { eraseTestimonial } from './operations/erase-testimonial.ts';
import { chargeOf, unpaidPostings } from './operations/unpaid-postings.ts';
import { testimonialStore } from './table/testimonial-store.ts';

export interface Changes {
  /**
   * Changes a testimonial and moves its `updatedAt` forward. If nothing changes, it succeeds even if
   * `ifUpdatedAt` is older.
   * @throws {Unreadable} if the testimonial cannot be read
   */
  change(id: string, to: TestimonialChange, options?: ChangeOptions): Promise<ChangeOutcome>;

  /**
   * Erases a testimonial. No later list shows it, and its id is never used again.
   * @throws {Unreadable} if `ifUpdatedAt` is present and the testimonial cannot be read
   */
  erase(id: string, options?: IfUnchanged): Promise<EraseOutcome>;
}

/** Returns the operations that change testimonials, for one organization and request. */
export type OpenChanges = (organization: string, request?: RequestContext) => Changes;

/** Opens changes on a table, once for each process. The time is the database's by default. */
export function openChanges(table: Table, now: () => Date = table.now): OpenChanges {
  return changesOn((signal) => ({ testimonials: testimonialStore(abortable(table, signal)) }), now);
}

/** Like `openChanges`, on any stores. */
export function changesOn(
  storesOf: (signal?: AbortSignal) => { testimonials: TestimonialStore },
  now: () => Date,
): OpenChanges {
  const takeUnpaid = unpaidPostings(now);
  return (organization, { signal, payFor } = {}) => {
    const { testimonials } = storesOf(signal);
    const deps = {
      testimonials,
      now,
      charge: chargeOf(takeUnpaid, organization, payFor),
    };
    return {
      change: (id, to, options) => changeTestimonial(deps, organization, id, to, options),
      erase: (id, options) => eraseTestimonial(deps, organization, id, options),
    };
  };
}
