/** The terms of a testimonial: what the predicate compares and what the index has postings for. */
import { limits, statuses, type Testimonial, testimonialTypes } from './testimonial.ts';
import { foldCase, wordsOfText } from './text.ts';

/** What people wrote of a testimonial that has terms. */
export type Texts = Pick<Testimonial, 'content' | 'tags'> & { author: Pick<Testimonial['author'], 'name'> };

/** The term that every testimonial has. */
export const everyTestimonial = 'all';

export const statusTerm = (status: string) => `status=${status}`;
export const typeTerm = (type: string) => `type=${type}`;
/** @param rating 0 when unrated */
export const ratingTerm = (rating: number) => `rating=${rating}`;
export const tagTerm = (tag: string) => `tag=${foldCase(tag)}`;

/** The facets of a testimonial: `all`, its status, type and rating, and its tags without regard to case. */
export function facetsOf({ status, type, rating, tags = [] }: Testimonial): Set<string> {
  return new Set([
    everyTestimonial,
    statusTerm(status),
    typeTerm(type),
    ratingTerm(rating ?? 0),
    ...tags.map(tagTerm),
  ]);
}

/** The facets that do not come from a testimonial's text: each testimonial has some of them. */
export const commonFacets: readonly string[] = [
  everyTestimonial,
  ...statuses.map(statusTerm),
  ...testimonialTypes.map(typeTerm),
  ...Array.from({ length: limits.rating.max + 1 }, (_, rating) => ratingTerm(rating)),
];

/** The folded words of a testimonial's content and its author's name. */
export function wordsOf({ content, author }: Texts): Set<string> {
  return new Set([...wordsOfText(content), ...wordsOfText(author.name)]);
}
