/** Changes and erases many testimonials: a selection, or all that match a shown list. */

import type {
  ChangeOptions,
  RequestContext,
  SearchCursor,
  SeenVersion,
  ShownList,
  Tally,
} from '../domain/outcomes.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import type { TestimonialChange } from '../domain/testimonial-change.ts';
import type { TestimonialFilter } from '../domain/testimonial-filter.ts';
import type { Table } from '../dynamodb/table.ts';
import { ListMemory } from './list-index/read/memory.ts';
import type { ListOptions } from './lists.ts';
import type { AttemptOptions, ExpectedVersion } from './operations/attempts.ts';
import { changeEach } from './operations/change-testimonial.ts';
import { eraseEach } from './operations/erase-testimonial.ts';
import { nextMatching, showMatching } from './operations/find-matching.ts';
import { chargeOf, unpaidPostings } from './operations/unpaid-postings.ts';
import { listStores } from './table/list-stores.ts';

type ManyOptions = AttemptOptions & Pick<ChangeOptions, 'by'>;

export interface ListChanges {
  /**
   * Changes or erases each testimonial, unless someone has changed it since it was seen. Erases an unreadable
   * testimonial in any state, because no one can look at it again. Works and charges in blocks of a hundred.
   * Begins no further attempt after an error.
   * @throws {Unreadable} for a change of an unreadable testimonial; earlier changes stay
   */
  changeMany(
    seen: readonly ExpectedVersion[],
    to: TestimonialChange | 'erase',
    options?: ManyOptions,
  ): Promise<Tally>;

  /** Counts the testimonials that match a filter now, and returns the list for `nextMatching`. */
  showMatching(filter: TestimonialFilter): Promise<ShownList & { total: number }>;

  /**
   * Finds the next testimonials of a shown list that need the change.
   * @param from where to begin: `searchStart`, then the position in the last result
   * @param needsChange returns true if a testimonial needs the change
   * @param size the maximum number to find; fifty by default
   * @returns undefined after a pass that found nothing. If `matching` is empty, the search continues
   * @throws {OtherEdition} if an import, an undo or a rebuild has ended since the list was shown
   */
  nextMatching(
    shown: ShownList,
    from: SearchCursor,
    needsChange: (testimonial: Testimonial) => boolean,
    size?: number,
  ): Promise<{ matching: SeenVersion[]; cursor: SearchCursor } | undefined>;
}

/** Returns the operations that change many testimonials, for one organization and request. */
type OpenListChanges = (organization: string, request?: RequestContext) => ListChanges;

interface ListChangeOptions extends ListOptions {
  now?: () => Date;
}

/**
 * Opens changes of many testimonials on a table, once for each process. The time is the database's by
 * default.
 */
export function openListChanges(
  table: Table,
  { now = table.now, memory = new ListMemory(), clock }: ListChangeOptions = {},
): OpenListChanges {
  const takeUnpaid = unpaidPostings(now);
  return (organization, { signal, payFor } = {}) => {
    const lists = { ...listStores(table, signal), memory, clock };
    const { testimonials } = lists;
    const deps = {
      testimonials,
      now,
      charge: chargeOf(takeUnpaid, organization, payFor),
    };
    return {
      changeMany: (seen, to, { by, ...options } = {}) =>
        to === 'erase'
          ? eraseEach(deps, organization, seen, { ...options, evenUnreadable: true })
          : changeEach(deps, organization, seen, to, { ...options, ...(by && { by }) }),
      showMatching: (filter) => showMatching(lists, organization, filter, now()),
      nextMatching: (shown, from, needsChange, size) =>
        nextMatching(lists, organization, shown, from, needsChange, size),
    };
  };
}
