/** The terms of a testimonial. The predicate compares them, and the list index has a posting for each. */
import type { Texts } from './fields.ts';
import { maskedAddress } from './mask-addresses.ts';
import { publicTexts } from './public-texts.ts';
import {
  limits,
  statuses,
  type Testimonial,
  type TestimonialInput,
  testimonialTypes,
} from './testimonial.ts';
import { foldLabel } from './visible-text.ts';
import { type WordFinder, wordFinder, wordsOfText } from './words.ts';

/**
 * The changes to the rules that make terms, one line per version, oldest first. The number of lines is the
 * version. A new kind of facet adds a line with its name. A change to the words of texts or to masking adds a
 * line with `texts`. Never change an existing line, because list indexes were built with it.
 */
export const termRules = [
  ['status', 'type', 'rating', 'texts'],
  ['texts'],
  ['texts'],
  ['texts'],
  ['tag'],
  ['texts'], // masked texts have their own terms
  ['texts'], // addresses spelt out in words are no longer masked
  ['texts'], // invisible characters are ignored, and in words also points and tatweel
] as const;

type RuleName = (typeof termRules)[number][number];

export type FacetKind = Exclude<RuleName, 'texts'>;

export const newestRules = termRules.length;

/** The version in which the rules for texts last changed. */
export const textRules = lastWith('texts');

function lastWith(name: RuleName): number {
  return termRules.findLastIndex((line: readonly RuleName[]) => line.includes(name)) + 1;
}

/** The fields of a testimonial that its terms come from. */
export type TermSource = TestimonialInput & Pick<Testimonial, 'status'>;

/** The source of the facets of one kind. */
export type FacetDefinition =
  /** Every testimonial has one of these values. Its postings are never deleted. */
  | {
      from: 'a closed set';
      values: readonly (string | number)[];
      valueOf: (testimonial: TermSource) => string | number;
    }
  /**
   * Folded values from the texts that people wrote. After an erasure only these texts are stored, until their
   * terms are out of the index. Only lists of the whole view find a value that contains an address.
   */
  | { from: 'texts'; valuesOf: (texts: Texts) => readonly string[] };

/**
 * Every kind of facet. A new kind is an entry here and a line in `termRules`; postings and erasures follow
 * from it.
 */
const facets: Record<FacetKind, FacetDefinition> = {
  status: { from: 'a closed set', values: statuses, valueOf: ({ status }) => status },
  type: { from: 'a closed set', values: testimonialTypes, valueOf: ({ type }) => type },
  /** 0 when unrated. */
  rating: {
    from: 'a closed set',
    values: Array.from({ length: limits.rating.max + 1 }, (_, rating) => rating),
    valueOf: ({ rating = 0 }) => rating,
  },
  tag: { from: 'texts', valuesOf: ({ tags = [] }) => tags.map(foldLabel) },
};

/** Returns the term of a facet's value. Values from texts must be folded. */
export function facetTerm(kind: FacetKind, value: string | number): string {
  return `${kind}=${value}`;
}

/** The term of every testimonial. */
export const everyTestimonial = 'all';

export const statusTerm = (status: string) => facetTerm('status', status);
export const typeTerm = (type: string) => facetTerm('type', type);
/** @param rating 0 when unrated */
export const ratingTerm = (rating: number) => facetTerm('rating', rating);
export const tagTerm = (tag: string) => facetTerm('tag', foldLabel(tag));

const definitions = Object.entries(facets) as [FacetKind, FacetDefinition][]; // of the table above

/** Returns the version of the rules that added a facet. The meaning of a facet never changes. */
export function sinceOfFacet(term: string): number {
  const [kind] = term.split('=', 1);
  return term === everyTestimonial ? 1 : lastWith(kind as FacetKind); // terms are made above
}

/** The facets of closed sets. Each testimonial has one facet of each kind, and `all`. */
export const commonFacets: readonly string[] = [
  everyTestimonial,
  ...definitions.flatMap(([kind, facet]) =>
    facet.from === 'texts' ? [] : facet.values.map((value) => facetTerm(kind, value)),
  ),
];

/** Returns the common facets of a testimonial: `all`, its status, its type and its rating. */
export function commonFacetsOf(testimonial: TermSource): string[] {
  const common = definitions.flatMap(([kind, facet]) =>
    facet.from === 'texts' ? [] : facetTerm(kind, facet.valueOf(testimonial)),
  );
  return [everyTestimonial, ...common];
}

/** The texts of a testimonial that a list searches: `published`, with addresses masked, or `whole`. */
export type View = 'published' | 'whole';

/** The terms of a testimonial's texts, computed on demand. */
export class TextTerms {
  readonly #texts: Texts;
  #publicTexts: Texts | undefined;
  #words: Set<string> | undefined;
  #finders: WordFinder[] | undefined;
  #publicFinders: WordFinder[] | undefined;

  constructor(texts: Texts) {
    this.#texts = texts;
  }

  /** Returns the facets of a view. The published view has no facet whose value contains an address. */
  facets(view: View): Set<string> {
    const texts = view === 'published' ? this.#masked() : this.#texts;
    const terms = definitions.flatMap(([kind, facet]) =>
      facet.from === 'texts' ? facet.valuesOf(texts).map((value) => facetTerm(kind, value)) : [],
    );
    return new Set(view === 'published' ? terms.filter((term) => !term.includes(maskedAddress)) : terms);
  }

  /**
   * Returns the folded words of the content and the author's name. The whole view includes all words of the
   * published view.
   */
  words(view: View): Set<string> {
    const published = wordTextsOf(this.#masked()).map(withoutMask);
    const whole = wordTextsOf(this.#texts);
    const isMasked = published.some((text, i) => text !== whole[i]);
    if (isMasked && view === 'published') return new Set(published.flatMap(wordsOfText));
    this.#words ??= new Set((isMasked ? [...whole, ...published] : whole).flatMap(wordsOfText));
    return this.#words;
  }

  /** True if a word of a view has this beginning. Many times faster than `words` for a few beginnings. */
  hasWord(view: View, beginning: string): boolean {
    if (view === 'whole') {
      this.#finders ??= wordTextsOf(this.#texts).map(wordFinder);
      const results = this.#finders.map((find) => find(beginning));
      if (results.includes('begins')) return true;
      // Masking never joins letters that were apart before.
      if (!results.includes('inside')) return false;
    }
    this.#publicFinders ??= wordTextsOf(this.#masked()).map((text) => wordFinder(withoutMask(text)));
    return this.#publicFinders.some((find) => find(beginning) === 'begins');
  }

  #masked(): Texts {
    this.#publicTexts ??= publicTexts(this.#texts);
    return this.#publicTexts;
  }
}

/** Removes the mask, because the testimonial does not contain its words. */
function withoutMask(text: string): string {
  return text.replaceAll(maskedAddress, '\n');
}

function wordTextsOf({ content, author: { name } }: Texts): string[] {
  return [content, name];
}
