/** Telling a file that was imported before, as it was then or corrected since, by testimonials that are there already. */
import type { TestimonialFilter } from '../../functions/domain/testimonial-filter.ts';
import { wordsOfSearch } from '../../functions/domain/text.ts';
import { type ListStores, listTestimonials } from '../../functions/list-index/list-testimonials.ts';
import type { ImportedLine } from './imported-line.ts';

// So many words of a text mostly tell it from every other; of short ones, which begin longer ones, more are found.
const wordsLooked = 8;
const mostFound = 100;

/** Lines that were looked for among the testimonials, and how many of them are there. */
export interface Repeated {
  there: number;
  looked: number;
}

/**
 * Looks for some lines among the testimonials of an organization.
 * @returns undefined unless at least half of them are there, with the same text and author
 */
export async function likelyRepeated(
  stores: ListStores & { clock?: () => number },
  organization: string,
  lines: readonly ImportedLine[],
): Promise<Repeated | undefined> {
  const deps = { ...stores, heads: new Map() };
  const found: Repeated = { there: 0, looked: 0 };
  for (const { content, author } of lines) {
    const filter = filterOf(content);
    if (!filter) continue;
    found.looked += 1;
    const query = { filter, sort: 'createdAt', order: 'desc', page: 1, limit: mostFound } as const;
    const { testimonials } = await listTestimonials(deps, organization, query);
    const isThere = testimonials.some(
      (each) =>
        each.content === content && each.author.name === author.name && each.author.email === author.email,
    );
    if (isThere) found.there += 1;
  }
  return found.there > 0 && found.there >= found.looked / 2 ? found : undefined;
}

/** A search for the first words of a text; undefined where it has none. */
function filterOf(content: string): TestimonialFilter | undefined {
  const words = wordsOfSearch(content).slice(0, wordsLooked).flat();
  return words.length > 0 ? { search: words.join(' ') } : undefined;
}
