/** Finds testimonials as the API's lists do: by the same words, of the same source. */
import { foldCase, foldText, wordsOfSearch, wordsOfText } from '../../../../functions/domain/words.ts';
import type { WallTestimonial } from './view.ts';

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
    hasWord: wordFinder(`${testimonial.content}\n${testimonial.name}`),
  }));
  return ({ rating, tag, search }) => {
    const words = wordsOfSearch(search).flat();
    return prepared
      .filter(({ testimonial }) => (testimonial.rating ?? 0) >= rating)
      .filter(({ tags }) => tag === '' || tags.includes(foldCase(tag)))
      .filter(({ hasWord }) => words.every(hasWord))
      .map(({ testimonial }) => testimonial);
  };
}

/** Whether a word of a text begins so. Thousands of texts are split into words only where their letters do not tell. */
function wordFinder(text: string): (beginning: string) => boolean {
  const folded = ` ${foldText(text).replaceAll('\n', ' ')}`;
  let words: string[] | undefined;
  return (beginning) => {
    if (folded.includes(` ${beginning}`)) return true;
    if (!folded.includes(beginning)) return false;
    words ??= wordsOfText(text);
    return words.some((word) => word.startsWith(beginning));
  };
}
