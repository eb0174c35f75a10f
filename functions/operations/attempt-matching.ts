/** Attempts with all testimonials that match a filter, in steps that are bounded and may stop anywhere. */
import type { Testimonial } from '../domain/testimonial.ts';
import type { TestimonialFilter } from '../domain/testimonial-filter.ts';
import type { Seen, Tally } from './attempts.ts';
import { type ListDependencies, listTestimonials } from './list-testimonials.ts';

/** The testimonials that one step attempts, and the pages of as many that it reads, at most. */
export const stepSize = 50;
const stepPages = 10;

export interface MatchingStep {
  filter: TestimonialFilter;
  /** When they were shown, ISO 8601: later testimonials and changes are left as they are. */
  until: string;
  /** The edition of the list that showed them. */
  edition: string;
  /** The page of the list by `updatedAt`, ascending, with which the step begins; 1 at first. */
  page: number;
  /** Whether there is anything to be done with a testimonial as it was found. */
  isOpen: (testimonial: Testimonial) => boolean;
  attempt: (some: readonly Seen[]) => Promise<Tally>;
}

/** An import, an undo or a rebuild has ended since testimonials were shown: others may match now, with times before. */
export class OtherEdition extends Error {
  override name = 'OtherEdition';

  constructor() {
    super('An import or an undo may have changed which testimonials match since they were shown.');
  }
}

/**
 * Takes the next step. What is done moves behind `until` in the order by `updatedAt`, and whoever changed a testimonial since keeps
 * what they decided. What stays in front is passed page by page; since others may take some of it away meanwhile, all is done once a
 * look from the first page on finds nothing.
 * @throws {OtherEdition} before anything is attempted
 * @returns what became of those that were attempted, and the page with which the next step begins; undefined where all is done
 */
export async function stepThroughMatching(
  deps: ListDependencies,
  organization: string,
  { filter, until, edition, page: first, isOpen, attempt }: MatchingStep,
): Promise<{ tally: Tally; page: number } | undefined> {
  const open: Seen[] = [];
  let next: number | undefined;
  for (let page = first; page < first + stepPages && open.length < stepSize; page += 1) {
    const query = { filter, sort: 'updatedAt', order: 'asc', page, limit: stepSize } as const;
    const listed = await listTestimonials(deps, organization, query);
    if (listed.edition !== edition) throw new OtherEdition();
    const before = listed.stored.filter(({ testimonial }) => testimonial.updatedAt <= until);
    // An import that is under way stores lines with times before.
    const shown = before.filter(({ writtenAt }) => writtenAt <= until);
    open.push(...shown.map(({ testimonial }) => testimonial).filter(isOpen));
    next = open.length > 0 ? (next ?? page) : page + 1;
    // A page is also shorter by what cannot be read.
    if (before.length === listed.stored.length && page * stepSize < listed.total) continue;
    if (open.length === 0 && first === 1) return undefined;
    next = 1;
    break;
  }
  return { tally: await attempt(open.slice(0, stepSize)), page: next ?? 1 };
}
