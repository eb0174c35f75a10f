/** Lists, counts and searches testimonials. Lists and counts are exact and strongly consistent, at a cost that does not grow with their number. */
import type { ListQuery, ListResult } from '../domain/list-query.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import type { ListStores } from '../list-index/index-store.ts';
import { ListMemory } from '../list-index/read/memory.ts';
import { nextMatching } from '../operations/find-matching.ts';
import { type FoundByAuthor, findByAuthor } from '../operations/find-testimonial.ts';
import {
  countsOf,
  countTestimonials,
  type ListExplanation,
  listTestimonials,
} from '../operations/list-testimonials.ts';
import { indexStore } from '../persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../persistence/dynamodb-testimonial-store.ts';
import { abortable, type Table } from '../persistence/table.ts';
import type { Counts, RequestContext, Seen, ShownList } from './testimonials.ts';

export { type ListExplanation, ListMemory };

/** A page of testimonials. */
export interface TestimonialList extends ListResult {
  /** Changes when an import, an undo or a rebuild ends, because lists then show other testimonials. */
  edition: string;
  /** Facts about the making of the list, for the request log. */
  explanation: ListExplanation;
}

/** The reads of one request to an organization. */
export interface Reads {
  /**
   * Lists one page.
   * @throws {ListTookTooLong}
   * @throws {NotReady} if the list index was built with rules that cannot answer the query
   */
  list(query: ListQuery): Promise<TestimonialList>;

  /**
   * Returns the counts of all testimonials, and then of those created before each time.
   * @throws {ListTookTooLong}
   */
  count(createdBefore?: readonly Date[]): Promise<{ all: Counts; before: Counts[] }>;

  /**
   * Reads testimonials in the order of creation and returns the ids of those by the given authors. Leaves out unreadable ones.
   * @param emails the addresses, in any case, with their domains in Unicode or in ASCII
   * @param options `after`: the id to continue after; `pages`: the most pages to read; `progress` gets the number read so far
   */
  findByAuthor(emails: readonly string[], options?: ByAuthorOptions): Promise<FoundByAuthor>;

  /**
   * Finds the next testimonials of a shown list to change, at most some fifty.
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

interface ByAuthorOptions {
  after?: string;
  pages?: number;
  progress?: (read: number) => void;
}

/** Opens the reads of a request. */
export type OpenReads = (organization: string, request?: Pick<RequestContext, 'signal'>) => Reads;

interface Opening {
  /** What lists keep until the process ends. */
  memory?: ListMemory;
  /** The clock of this machine, in milliseconds. */
  clock?: () => number;
}

/** Opens the reads of a table, once for each process: they keep what lists read. */
export function openReads(table: Table, opening: Opening = {}): OpenReads {
  const storesOf = (signal?: AbortSignal) => {
    const requestTable = signal ? abortable(table, signal) : table;
    return { testimonials: testimonialStore(requestTable), index: indexStore(requestTable) };
  };
  return readsOn(storesOf, opening);
}

/** Does the same on any stores. */
export function readsOn(
  storesOf: (signal?: AbortSignal) => ListStores,
  { memory = new ListMemory(), clock }: Opening = {},
): OpenReads {
  return (organization, { signal } = {}) => {
    const deps = { ...storesOf(signal), memory, clock };
    return {
      list: (query) => listTestimonials(deps, organization, query),
      async count(createdBefore = []) {
        const times = createdBefore.map((time) => time.getTime());
        const [all, ...before] = (await countTestimonials(deps, organization, times)).map(countsOf);
        return { all: all ?? [], before };
      },
      findByAuthor: (emails, options) => findByAuthor(deps.testimonials, organization, emails, options),
      nextMatching: (shown, page, isOpen) => nextMatching(deps, organization, shown, page, isOpen),
    };
  };
}
