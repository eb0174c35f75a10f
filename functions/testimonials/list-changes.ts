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
import { Unreadable } from '../domain/unreadable.ts';
import { abortable, type Table } from '../persistence/table.ts';
import { openChanges } from './changes.ts';
import { ListMemory } from './list-index/read/memory.ts';
import { attemptEach } from './operations/attempts.ts';
import { nextMatching } from './operations/find-matching.ts';
import { indexStore } from './table/index-store.ts';
import { testimonialStore } from './table/testimonial-store.ts';

interface ManyOptions extends Pick<ChangeOptions, 'by'> {
  /** Called after each attempt. */
  onOutcome?: (seen: Seen, outcome: Changed | Erased) => void;
}

export interface ListChanges {
  /**
   * Changes or erases each testimonial, unless somebody changed it since it was seen. An unreadable one is erased as it is, because
   * nobody can look at it again. Starts no further attempt after an error.
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

/** Opens the changes of many testimonials of a table, once for each process. By default the time is the database's. */
export function openListChanges(
  table: Table,
  { now = table.now, memory = new ListMemory() }: Opening = {},
): OpenListChanges {
  const changes = openChanges(table, now);
  return (organization, request = {}) => {
    const { change, erase } = changes(organization, request);
    const ours = abortable(table, request.signal);
    const deps = { testimonials: testimonialStore(ours), index: indexStore(ours), memory };
    const attempt = async (
      { id, updatedAt }: Seen,
      to: TestimonialChange | 'erase',
      by: ChangeOptions['by'],
    ) => {
      if (to !== 'erase') return change(id, to, { ifUpdatedAt: updatedAt, ...(by && { by }) });
      return erase(id, { ifUpdatedAt: updatedAt }).catch((error: unknown) => {
        if (!(error instanceof Unreadable)) throw error;
        return erase(id);
      });
    };
    return {
      changeMany: (seen, to, { by, onOutcome = () => {} } = {}) =>
        attemptEach(seen, async () => async (each) => {
          const outcome = await attempt(each, to, by);
          onOutcome(each, outcome);
          return outcome;
        }),
      nextMatching: (shown, page, isOpen) => nextMatching(deps, organization, shown, page, isOpen),
    };
  };
}
