/** The terms of a testimonial: what the predicate compares and what the index has postings for. */

import { maskedAddress, publicTexts, type Texts } from './public-texts.ts';
import {
  limits,
  statuses,
  type Testimonial,
  type TestimonialInput,
  testimonialTypes,
} from './testimonial.ts';
import { foldCase, type WordFinder, wordFinder, wordsOfText } from './words.ts';

export const termRules = [
  ['status', 'type', 'rating', 'texts'],
  ['texts'],
  ['texts'],
  ['texts'],
  ['tag'],
  ['texts'], // what is masked has terms of its own
] as const;

/** The names that a line can have. */
type Named = (typeof termRules)[number][number];

/** The kinds of facets. */
export type FacetKind = Exclude<Named, 'texts'>;

/** The number of the newest rules. */
export const newestRules = termRules.length;

/** The number of the rules by which texts become terms. */
export const textRules = lastWith('texts');

/** The number of the rules that a kind of facet came with; what it means never changes. */
export function sinceOf(kind: FacetKind): number {
  return lastWith(kind);
}

function lastWith(name: Named): number {
  return termRules.findLastIndex((line: readonly Named[]) => line.includes(name)) + 1;
}

/** The fields of a testimonial that its terms come from. */
export type TermSource = TestimonialInput & Pick<Testimonial, 'status'>;

/** A kind of facet, by which lists are filtered. */
export type FacetDefinition =
  /** Every testimonial has one of these values. Its postings are never deleted. */
  | {
      from: 'a closed set';
      values: readonly (string | number)[];
      valueOf: (testimonial: TermSource) => string | number;
    }
  /** The texts that people wrote, folded: an erasure takes them out of the index, and may read nothing else. Masked ones are found by nobody else. */
  | { from: 'texts'; valuesOf: (texts: Texts) => readonly string[] };

/** Every kind of facet: a new one is an entry here, and a line in term-rules.ts. Postings and erasures follow from it. */
const facets: Record<FacetKind, FacetDefinition> = {
  status: { from: 'a closed set', values: statuses, valueOf: ({ status }) => status },
  type: { from: 'a closed set', values: testimonialTypes, valueOf: ({ type }) => type },
  /** 0 when unrated. */
  rating: {
    from: 'a closed set',
    values: Array.from({ length: limits.rating.max + 1 }, (_, rating) => rating),
    valueOf: ({ rating = 0 }) => rating,
  },
  tag: { from: 'texts', valuesOf: ({ tags = [] }) => tags.map(foldCase) },
};

/** The term of a facet's value, which of texts is folded. */
export function facetTerm(kind: FacetKind, value: string | number): string {
  return `${kind}=${value}`;
}

/** The term that every testimonial has. */
export const everyTestimonial = 'all';

export const statusTerm = (status: string) => facetTerm('status', status);
export const typeTerm = (type: string) => facetTerm('type', type);
/** @param rating 0 when unrated */
export const ratingTerm = (rating: number) => facetTerm('rating', rating);
export const tagTerm = (tag: string) => facetTerm('tag', foldCase(tag));

const definitions = Object.entries(facets) as [FacetKind, FacetDefinition][]; // of the table above

/** The number of the rules that a facet came with. */
export function sinceOfFacet(term: string): number {
  const [kind] = term.split('=', 1);
  return term === everyTestimonial ? 1 : sinceOf(kind as FacetKind); // terms are made above
}

/** The facets that do not come from a testimonial's texts: each testimonial has some of them. */
export const commonFacets: readonly string[] = [
  everyTestimonial,
  ...definitions.flatMap(([kind, facet]) =>
    facet.from === 'texts' ? [] : facet.values.map((value) => facetTerm(kind, value)),
  ),
];

/** The common facets of a testimonial: `all`, its status, type and rating. */
export function commonFacetsOf(testimonial: TermSource): string[] {
  const common = definitions.flatMap(([kind, facet]) =>
    facet.from === 'texts' ? [] : facetTerm(kind, facet.valueOf(testimonial)),
  );
  return [everyTestimonial, ...common];
}

/** The part of a testimonial that is looked at: `published`, what everyone sees, where addresses are masked, or the `whole`. */
export type View = 'published' | 'whole';

/** The terms that come from a testimonial's texts, made when they are asked for. */
export class TextTerms {
  readonly #texts: Texts;
  #seen: Texts | undefined;
  #words: Set<string> | undefined;
  #finders: WordFinder[] | undefined;
  #shownFinders: WordFinder[] | undefined;

  constructor(texts: Texts) {
    this.#texts = texts;
  }

  /** The facets of a view. A value of which something is masked is nobody's in what everyone sees. */
  facets(view: View): Set<string> {
    const seen = view === 'published' ? this.#masked() : this.#texts;
    const terms = definitions.flatMap(([kind, facet]) =>
      facet.from === 'texts' ? facet.valuesOf(seen).map((value) => facetTerm(kind, value)) : [],
    );
    return new Set(view === 'published' ? terms.filter((term) => !term.includes(maskedAddress)) : terms);
  }

  /** The folded words of the content and the author's name. The whole view has those of what everyone sees, too. */
  words(view: View): Set<string> {
    const seen = wordTextsOf(this.#masked()).map(withoutMask);
    const all = wordTextsOf(this.#texts);
    const isMasked = seen.some((text, i) => text !== all[i]);
    if (isMasked && view === 'published') return new Set(seen.flatMap(wordsOfText));
    this.#words ??= new Set((isMasked ? [...all, ...seen] : all).flatMap(wordsOfText));
    return this.#words;
  }

  /** Whether a word of a view begins so. Asked for some beginnings, it is many times faster than to have all words. */
  hasWord(view: View, beginning: string): boolean {
    if (view === 'whole') {
      this.#finders ??= wordTextsOf(this.#texts).map(wordFinder);
      const found = this.#finders.map((find) => find(beginning));
      if (found.includes('begins')) return true;
      // The published view has no other letters beside each other.
      if (!found.includes('inside')) return false;
    }
    this.#shownFinders ??= wordTextsOf(this.#masked()).map((text) => wordFinder(withoutMask(text)));
    return this.#shownFinders.some((find) => find(beginning) === 'begins');
  }

  #masked(): Texts {
    this.#seen ??= publicTexts(this.#texts);
    return this.#seen;
  }
}

/** The mask is nobody's word. */
function withoutMask(text: string): string {
  return text.replaceAll(maskedAddress, '\n');
}

function wordTextsOf({ content, author: { name } }: Texts): string[] {
  return [content, name];
}

/** The texts that an erasure has to keep, until its terms are out of the index: no e-mail address has a term. */
export function textsOf({ content, author: { email: _, ...author }, tags }: Testimonial): Texts {
  return { content, author, ...(tags && { tags }) };
}
