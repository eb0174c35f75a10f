/** What a list is narrowed to, and the one predicate that decides whether a testimonial matches. */
import { everyTestimonial, facetsOf, ratingTerm, statusTerm, tagTerm, typeTerm, wordsOf } from './terms.ts';
import { limits, type Status, type Testimonial, type TestimonialType } from './testimonial.ts';
import { words } from './text.ts';

/** An absent member does not narrow. */
export interface TestimonialFilter {
  status?: Status;
  type?: TestimonialType;
  /** Smallest rating; an unrated testimonial never matches. */
  minRating?: number;
  /** Any of these, compared without regard to case. */
  tags?: readonly string[];
  /** Every word must be the beginning of a word of the content or the author's name. */
  search?: string;
}

/** A condition on terms: any of some facets, or any word that begins with a prefix. */
export type Clause = { anyFacet: string[] } | { prefix: string };

/** The clauses of a filter, all of which must hold; at least one. */
export function clausesOf({ status, type, minRating, tags, search }: TestimonialFilter): Clause[] {
  const clauses: Clause[] = [];
  if (status !== undefined) clauses.push({ anyFacet: [statusTerm(status)] });
  if (type !== undefined) clauses.push({ anyFacet: [typeTerm(type)] });
  if (minRating !== undefined) {
    const ratings = Array.from({ length: limits.rating.max - minRating + 1 }, (_, i) => minRating + i);
    clauses.push({ anyFacet: ratings.map(ratingTerm) });
  }
  if (tags !== undefined) clauses.push({ anyFacet: [...new Set(tags.map(tagTerm))] });
  clauses.push(...prefixesOf(search ?? '').map((prefix) => ({ prefix })));
  return clauses.length > 0 ? clauses : [{ anyFacet: [everyTestimonial] }];
}

/** Returns the predicate of a filter. */
export function matcherOf(filter: TestimonialFilter): (testimonial: Testimonial) => boolean {
  const clauses = clausesOf(filter);
  return (testimonial) => {
    const facets = facetsOf(testimonial);
    let found: Set<string> | undefined;
    return clauses.every((clause) => {
      if ('anyFacet' in clause) return clause.anyFacet.some((facet) => facets.has(facet));
      // Splitting the text into words is the dearest part: only once the facets hold.
      found ??= wordsOf(testimonial);
      return found.has(clause.prefix) || found.values().some((word) => word.startsWith(clause.prefix));
    });
  };
}

/** The words of a search without those that begin another: what begins with `amazing` begins with `ama`. */
function prefixesOf(search: string): string[] {
  const all = [...new Set(words(search))];
  return all.filter((word) => !all.some((other) => other !== word && other.startsWith(word)));
}
