/** Changes and erases many testimonials: a selection, or all that match a shown list. */

import type {
  Changed,
  ChangeOptions,
  Erased,
  RequestContext,
  Seen,
  ShownList,
  Tally,
} from '../domain/outcomes.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import type { TestimonialChange } from '../domain/testimonial-change.ts';
import type { Table } from '../persistence/table.ts';
import { ListMemory } from './list-index/read/memory.ts';
import { changeEach } from './operations/change-testimonial.ts';
import { eraseEach } from './operations/erase-testimonial.ts';
import { nextMatching } from './operations/find-matching.ts';
import { newPostings, payingFor } from './operations/new-postings.ts';
import { listStores } from './table/list-stores.ts';

interface ManyOptions extends Pick<ChangeOptions, 'by'> {
  /** Called after each attempt, with all outcomes so far. */
  onOutcome?: (tally: Tally, id: string, outcome: Changed | Erased) => void;
}

export interface ListChanges {
  /**
   * Changes or erases each testimonial, unless somebody changed it since it was seen. An unreadable one is
   * erased as it is, because nobody can look at it again. Works and pays in blocks of a hundred. Starts no
   * further attempt after an error.
   */
  changeMany(seen: readonly Seen[], to: TestimonialChange | 'erase', options?: ManyOptions): Promise<Tally>;

  /**
   * Finds the next testimonials of a shown list to change, some fifty at most.
   * @param page the page to begin with: 1, then the page of the last result
   * @param isOpen returns true if a testimonial needs the change
   * @returns undefined if none is left
   * @throws {OtherEdition}
   */
  nextMatching(
    shown: ShownList,
    page: number,
    isOpen: (testimonial: Testimonial) => boolean,
  ): Promise<{ matching: Seen[]; page: number } | undefined>;
}

/** Opens the changes of many testimonials in a request to an organization. */
type OpenListChanges = (organization: string, request?: RequestContext) => ListChanges;

interface Opening {
  now?: () => Date;
  /** What lists keep until the process ends; shared with `openLists`. */
  memory?: ListMemory;
}

/**
 * Opens the changes of many testimonials of a table, once for each process. By default the time is the
 * database's.
 */
export function openListChanges(
  table: Table,
  { now = table.now, memory = new ListMemory() }: Opening = {},
): OpenListChanges {
  const postingsOf = newPostings(now);
  return (organization, { signal, payFor } = {}) => {
    const lists = { ...listStores(table, signal), memory };
    const { testimonials } = lists;
    const deps = {
      testimonials,
      now,
      ...(payFor && { beforeWrite: payingFor(postingsOf, organization, payFor) }),
    };
    return {
      changeMany: (seen, to, { by, ...options } = {}) =>
        to === 'erase'
          ? eraseEach(deps, organization, seen, { ...options, evenUnreadable: true })
          : changeEach(deps, organization, seen, to, { ...options, ...(by && { by }) }),
      nextMatching: (shown, page, isOpen) => nextMatching(lists, organization, shown, page, isOpen),
    };
  };
}
