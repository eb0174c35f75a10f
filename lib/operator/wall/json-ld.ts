/** Tells search engines what the page shows: schema.org's `Review` and `AggregateRating`, by Google's rules for them. */
import { limits } from '../../../functions/domain/testimonial.ts';
import type { WallTestimonial } from './site/view.ts';
import type { Ratings, ReviewedThing } from './wall.ts';

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
  const aggregate = ratings && aggregateOf(ratings);
  const reviews = shown.flatMap(reviewOf);
  if (!aggregate && reviews.length === 0) return undefined;
  return {
    '@context': 'https://schema.org',
    '@type': type,
    name,
    ...(aggregate && { aggregateRating: aggregate }),
    ...(reviews.length > 0 && { review: reviews }),
  };
}

/** Undefined when nobody gave a rating. */
function aggregateOf({ counts, rated, average }: Ratings): object | undefined {
  if (average === undefined) return undefined;
  return {
    '@type': 'AggregateRating',
    ratingValue: Number(average.toFixed(2)),
    bestRating,
    worstRating,
    ratingCount: rated,
    reviewCount: counts.reduce((sum, count) => sum + count, 0),
  };
}

/** A review has a rating: what has none is not one. */
function reviewOf({ content, name, rating, date }: WallTestimonial): object[] {
  if (rating === undefined) return [];
  return [
    {
      '@type': 'Review',
      author: { '@type': 'Person', name: Array.from(name).slice(0, longestName).join('') },
      datePublished: date,
      reviewBody: content,
      reviewRating: { '@type': 'Rating', ratingValue: rating, bestRating, worstRating },
    },
  ];
}
