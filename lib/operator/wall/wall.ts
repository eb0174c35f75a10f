/** What a wall is made of, beside its testimonials. */
import type { WallTestimonial } from './site/view.ts';

export interface WallOptions {
  title: string;
  about: ReviewedThing;
  /** Whether the page tells the average, and how many gave which rating. */
  hasSummary: boolean;
  /** Whether its testimonials were chosen by their rating: then their average is nothing to tell search engines. */
  isChosenByRating: boolean;
}

// What search engines show stars for, and needs no more than a name (Google Search Central, "Review snippet").
export const reviewedTypes = ['Organization', 'Product'] as const;

/** The thing that the testimonials are about, as schema.org names it. */
export interface ReviewedThing {
  type: (typeof reviewedTypes)[number];
  name: string;
}

/** What testimonials were rated. */
export interface Ratings {
  /** How many there are of each rating; the unrated at 0. */
  counts: number[];
  /** How many gave a rating. */
  rated: number;
  /** The mean rating; undefined when nobody gave one. */
  average: number | undefined;
}

export function ratingsOf(testimonials: readonly Pick<WallTestimonial, 'rating'>[]): Ratings {
  const counts = [0, 0, 0, 0, 0, 0];
  for (const { rating = 0 } of testimonials) counts[rating] = (counts[rating] ?? 0) + 1;
  const rated = testimonials.length - (counts[0] ?? 0);
  const sum = counts.reduce((all, count, rating) => all + rating * count, 0);
  return { counts, rated, average: rated === 0 ? undefined : sum / rated };
}

/** What a page has that shows a wall in an iframe. The frame says its height, and that changes this frame only. */
export const frameSnippet = `<iframe src="https://example.com/wall/" title="Testimonials" width="100%" height="900" style="border: 0"></iframe>
<script>
  addEventListener('message', ({ source, data }) => {
    for (const frame of document.querySelectorAll('iframe'))
      if (frame.contentWindow === source && data?.testimonialsWallHeight > 0)
        frame.height = data.testimonialsWallHeight;
  });
</script>`;
