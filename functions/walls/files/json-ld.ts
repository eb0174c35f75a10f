/** Tells search engines what the page shows: schema.org's `Review` and `AggregateRating`, by Google's rules for them. */
import { limits } from '../../domain/testimonial.ts';
import type { WallTestimonial } from '../browser/view.ts';

// What search engines show stars for, and needs no more than a name (Google Search Central, "Review snippet").
export const reviewedTypes = ['Organization', 'Product'] as const;

/** The thing that the testimonials are about, as schema.org names it. */
export interface ReviewedThing {
  type: (typeof reviewedTypes)[number];
  name: string;
}

export type Ratings = NonNullable<ReturnType<typeof ratingsOf>>;

/** What testimonials were rated: how many each rating, the unrated at 0; how many at all; and the mean. Undefined when nobody gave one. */
export function ratingsOf(testimonials: readonly WallTestimonial[]) {
  const counts = [0, 0, 0, 0, 0, 0];
  for (const { rating = 0 } of testimonials) counts[rating] = (counts[rating] ?? 0) + 1;
  const rated = testimonials.length - (counts[0] ?? 0);
  const sum = counts.reduce((all, count, rating) => all + rating * count, 0);
  return rated === 0 ? undefined : { counts, rated, average: sum / rated };
}

const { min: worstRating, max: bestRating } = limits.rating;

// Google takes no review whose author has a longer name.
const longestName = 99;

/**
 * The thing with its reviews and its average rating.
 * @param ratings of which the average is told; undefined where none is
 * @param shown the testimonials that the page itself shows: others must not be told
 * @returns undefined where there is neither
 */
export function jsonLdOf(
  { type, name }: ReviewedThing,
  ratings: Ratings | undefined,
  shown: readonly WallTestimonial[],
): object | undefined {
  // What has no rating is no review.
  const reviews = shown.filter(({ rating }) => rating !== undefined).map(reviewOf);
  if (!ratings && reviews.length === 0) return undefined;
  return {
    '@context': 'https://schema.org',
    '@type': type,
    name,
    ...(ratings && { aggregateRating: aggregateOf(ratings) }),
    ...(reviews.length > 0 && { review: reviews }),
  };
}

function aggregateOf({ counts, rated, average }: Ratings): object {
  return {
    '@type': 'AggregateRating',
    ratingValue: Number(average.toFixed(2)),
    bestRating,
    worstRating,
    ratingCount: rated,
    reviewCount: rated + (counts[0] ?? 0),
  };
}

function reviewOf({ content, name, rating, date }: WallTestimonial): object {
  return {
    '@type': 'Review',
    author: { '@type': 'Person', name: Array.from(name).slice(0, longestName).join('') },
    ...(date !== undefined && { datePublished: date }),
    reviewBody: content,
    reviewRating: { '@type': 'Rating', ratingValue: rating, bestRating, worstRating },
  };
}

/** JSON that can stand in a script element, and in whatever else is told what characters mean. */
export function inertJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
