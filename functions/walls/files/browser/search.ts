/** Searches testimonials with the word rules of the API's lists. */
import { foldCase, wordFinder, wordsOfSearch } from '../../../domain/words.ts';
import type { WallTestimonial } from '../../browser/view.ts';

/** A visitor's criteria; empty and 0 match everything. */
export interface Criteria {
  /** The minimum rating. */
  rating: number;
  tag: string;
  search: string;
}

/** Returns a function that finds the matching testimonials, in their order. */
export function finderOf(
  testimonials: readonly WallTestimonial[],
): (criteria: Criteria) => readonly WallTestimonial[] {
  const prepared = testimonials.map((testimonial) => ({
    testimonial,
    tags: testimonial.tags.map(foldCase),
    whereIs: wordFinder(`${testimonial.content}\n${testimonial.name}`),
  }));
  return ({ rating, tag, search }) => {
    const words = wordsOfSearch(search).flat();
    return prepared
      .filter(({ testimonial }) => (testimonial.rating ?? 0) >= rating)
      .filter(({ tags }) => tag === '' || tags.includes(foldCase(tag)))
      .filter(({ whereIs }) => words.every((word) => whereIs(word) === 'begins'))
      .map(({ testimonial }) => testimonial);
  };
}
