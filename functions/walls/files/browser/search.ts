/** Finds testimonials as the API's lists do: by the same words, of the same source. */
import { foldCase, wordFinder, wordsOfSearch } from '../../../domain/words.ts';
import type { WallTestimonial } from '../../browser/view.ts';

/** What visitors narrow the wall to; what is empty or 0 does not narrow. */
export interface Wanted {
  /** The smallest. */
  rating: number;
  tag: string;
  search: string;
}

/**
 * Prepares testimonials to be searched.
 * @returns finds those that match, in their order
 */
export function finderOf(
  testimonials: readonly WallTestimonial[],
): (wanted: Wanted) => readonly WallTestimonial[] {
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
