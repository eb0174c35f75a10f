/** The terms of a testimonial: what the predicate compares and what the index has postings for. */
import { limits, statuses, type Testimonial, testimonialTypes } from './testimonial.ts';
import { foldCase, wordFinder, wordsOfText } from './words.ts';

/** What people wrote of a testimonial: all from which its terms come, beside its facets of closed sets. */
export type Texts = Pick<Testimonial, 'content' | 'tags'> & { author: Omit<Testimonial['author'], 'email'> };

/**
 * A kind of facet, by which lists are filtered. `since` is the number of the rules that it came with, one more than the highest
 * before: an index that was made by lower ones does not have it yet. What a kind means never changes: its values by another rule
 * are another kind.
 */
export type FacetDefinition = {
  since: number;
} /** Every testimonial has one of these values. Its postings are never deleted. */ & (
  | {
      from: 'a closed set';
      values: readonly (string | number)[];
      valueOf: (testimonial: Testimonial) => string | number;
    }
  /** What people wrote, folded: an erasure takes it out of the index, and may read nothing else. */
  | { from: 'texts'; valuesOf: (texts: Texts) => readonly string[] }
);

/** Every kind of facet: a new one is an entry here. Postings and erasures follow from it. */
const facets = {
  status: { since: 1, from: 'a closed set', values: statuses, valueOf: ({ status }) => status },
  type: { since: 1, from: 'a closed set', values: testimonialTypes, valueOf: ({ type }) => type },
  /** 0 when unrated. */
  rating: {
    since: 1,
    from: 'a closed set',
    values: Array.from({ length: limits.rating.max + 1 }, (_, rating) => rating),
    valueOf: ({ rating = 0 }) => rating,
  },
  tag: { since: 5, from: 'texts', valuesOf: ({ tags = [] }) => tags.map(foldCase) },
} as const satisfies Record<string, FacetDefinition>;

/** The term of a facet's value, which of texts is folded. */
export function facetTerm(kind: keyof typeof facets, value: string | number): string {
  return `${kind}=${value}`;
}

/** The term that every testimonial has. */
export const everyTestimonial = 'all';

export const statusTerm = (status: string) => facetTerm('status', status);
export const typeTerm = (type: string) => facetTerm('type', type);
/** @param rating 0 when unrated */
export const ratingTerm = (rating: number) => facetTerm('rating', rating);
export const tagTerm = (tag: string) => facetTerm('tag', foldCase(tag));

// Of the table above.
const definitions = Object.entries<FacetDefinition>(facets) as [keyof typeof facets, FacetDefinition][];

/** The newest of the facets' rules. */
export const facetRules = Math.max(...definitions.map(([, { since }]) => since));

/** The rules that a facet came with. */
export function sinceOfFacet(term: string): number {
  const [kind] = term.split('=', 1);
  return definitions.find(([name]) => name === kind)?.[1].since ?? 1;
}

/** The facets that do not come from a testimonial's texts: each testimonial has some of them. */
export const commonFacets: readonly string[] = [
  everyTestimonial,
  ...definitions.flatMap(([kind, facet]) =>
    facet.from === 'texts' ? [] : facet.values.map((value) => facetTerm(kind, value)),
  ),
];

/** The facets that come from texts. */
export function facetsOfTexts(texts: Texts): string[] {
  return definitions.flatMap(([kind, facet]) =>
    facet.from === 'texts' ? facet.valuesOf(texts).map((value) => facetTerm(kind, value)) : [],
  );
}

/** The facets of a testimonial: `all`, its status, type and rating, and those of its texts. */
export function facetsOf(testimonial: Testimonial): Set<string> {
  const common = definitions.flatMap(([kind, facet]) =>
    facet.from === 'texts' ? [] : facetTerm(kind, facet.valueOf(testimonial)),
  );
  return new Set([everyTestimonial, ...common, ...facetsOfTexts(testimonial)]);
}

/** What an erasure has to keep, until its terms are out of the index: no e-mail address has a term. */
export function textsOf({ content, author: { email: _, ...author }, tags }: Testimonial): Texts {
  return { content, author, ...(tags && { tags }) };
}

/** The folded words of a testimonial's content and its author's name. */
export function wordsOf({ content, author }: Texts): Set<string> {
  return new Set([...wordsOfText(content), ...wordsOfText(author.name)]);
}

/** Whether one of these words begins so; asked for some beginnings of a search, it is many times faster than to have them all. */
export function wordFinderOf({ content, author }: Texts): (beginning: string) => boolean {
  const finders = [content, author.name].map(wordFinder);
  return (beginning) => finders.some((hasWord) => hasWord(beginning));
}
