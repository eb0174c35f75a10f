/** Telling a file that was imported before, as it was then or corrected since, by testimonials that are there already. */

import { wordsOfSearch } from '../../../functions/domain/words.ts';
import { ListMemory } from '../../../functions/list-index/read/memory.ts';
import { type ListStores, listTestimonials } from '../../../functions/operations/list-testimonials.ts';
import type { ImportedLine } from './imported-line.ts';

// The longest words of a line tell it from most others; testimonials that have all of them are compared with it.
const wordsLooked = 20;
const mostCompared = 100;

/** Lines that were looked for among the testimonials, and how many of them are there. */
export interface Repeated {
  there: number;
  looked: number;
}

/**
 * Looks for some lines among the testimonials of an organization.
 * @returns undefined when none of them is there, with the same text and author
 */
export async function likelyRepeated(
  stores: ListStores & { clock?: () => number },
  organization: string,
  lines: readonly ImportedLine[],
): Promise<Repeated | undefined> {
  const deps = { ...stores, memory: new ListMemory() };
  let there = 0;
  for (const { content, author } of lines) {
    const search = longestWords(`${content} ${author.name}`);
    if (search === '') continue;
    const query = {
      filter: { search },
      sort: 'createdAt',
      order: 'desc',
      page: 1,
      limit: mostCompared,
    } as const;
    const { testimonials } = await listTestimonials(deps, organization, query);
    const isThere = testimonials.some(
      (each) =>
        each.content === content && each.author.name === author.name && each.author.email === author.email,
    );
    if (isThere) there += 1;
  }
  return there > 0 ? { there, looked: lines.length } : undefined;
}

function longestWords(text: string): string {
  const words = wordsOfSearch(text).flat();
  const longest = words.toSorted((a, b) => b.length - a.length).slice(0, wordsLooked);
  return longest.join(' ');
}
