/** The one predicate that decides whether a testimonial matches a list's filters. */
import type { Status, Testimonial, TestimonialType } from './testimonial.ts';
import { foldCase, words } from './text.ts';

/** What a list is narrowed to; an absent member does not narrow. */
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

/** Returns the predicate of a filter; what can be prepared once for many testimonials is. */
export function matcherOf(filter: TestimonialFilter): (testimonial: Testimonial) => boolean {
  const { status, type, minRating } = filter;
  const tags = filter.tags && new Set(filter.tags.map(foldCase));
  const prefixes = filter.search === undefined ? [] : [...new Set(words(filter.search))];

  return (testimonial) =>
    (status === undefined || testimonial.status === status) &&
    (type === undefined || testimonial.type === type) &&
    (minRating === undefined || (testimonial.rating ?? 0) >= minRating) &&
    (tags === undefined || (testimonial.tags ?? []).some((tag) => tags.has(foldCase(tag)))) &&
    (prefixes.length === 0 || hasEveryPrefix(testimonial, prefixes));
}

function hasEveryPrefix(testimonial: Testimonial, prefixes: readonly string[]): boolean {
  const found = new Set([...words(testimonial.content), ...words(testimonial.author.name)]);
  return prefixes.every((prefix) => found.has(prefix) || found.values().some((w) => w.startsWith(prefix)));
}
