/** Which postings a testimonial is in, which of them answer a prefix, and where they lie. */
import { commonFacets, facetsOf, statusTerm, type Texts, tagTerm, wordsOf } from '../domain/terms.ts';
import { statuses, type Testimonial } from '../domain/testimonial.ts';
import type { Axis } from '../domain/testimonial-order.ts';

/** A term on an axis: a facet, on the axis of creation also a short prefix; or one of the names below. */
export interface AxisTerm {
  axis: Axis;
  term: string;
}

/** What a posting is about: a term on an axis, or a word, which is on the axis of creation. */
export type PostingTerm = AxisTerm | { word: string };

/** Where postings lie: each term's on their own, those of words by their first letter. */
export type PostingPartition = AxisTerm | { letter: string };

/**
 * The rules by which postings are made: the number of ours, to be raised whenever a testimonial gets other postings
 * than before, and the version of Unicode, by which texts are folded and split.
 */
export const termsVersion = `2/${process.versions.unicode}`;

/** Not bits, but the ordinals of testimonials by their update ordinals (ordinal-block.ts). */
export const ordinalsTerm: AxisTerm = { axis: 'updatedAt', term: 'ordinals' };

/** Not bits, but how many testimonials chunks have (summary.ts): of one chunk, and of many together. */
export const summaryTerm = (axis: Axis, of: 'chunk' | 'chunks'): AxisTerm => ({
  axis,
  term: `summary of ${of}`,
});

/** True of what is not bits but counts. */
export function isSummary(posting: PostingPartition): boolean {
  return 'term' in posting && posting.term.startsWith('summary of');
}

// Prefixes of up to this many code points have a posting of their own: all words that begin with one or two letters
// would be megabytes to read.
export const shortPrefixLength = 2;

export const prefixTerm = (prefix: string) => `prefix=${prefix}`;

/** True when a prefix has a posting of its own; otherwise the postings of the words that begin with it are read. */
export function isShortPrefix(prefix: string): boolean {
  return Array.from(prefix).length <= shortPrefixLength;
}

/** The partition of a posting. */
export function partitionOf(posting: PostingTerm): PostingPartition {
  return 'term' in posting ? posting : { letter: firstLetter(posting.word) };
}

/** The partition of all words that begin with a prefix. */
export function partitionOfPrefix(prefix: string): PostingPartition {
  return { letter: firstLetter(prefix) };
}

function firstLetter(word: string): string {
  const [letter = ''] = word;
  return letter;
}

/** The facets of which a change can take a testimonial away, on the axis of creation. All else it keeps for ever. */
export const changeableTerms: string[] = statuses.map(statusTerm);

/**
 * True of postings whose keys have what people wrote: words, their short beginnings, tags. An erasure deletes them when
 * they are empty; those of common facets are never deleted, and tell for good which places are testimonials.
 */
export function isFromText(posting: PostingTerm): boolean {
  return !('term' in posting) || posting.term.startsWith(prefixTerm('')) || isTag(posting);
}

export function isTag(posting: PostingTerm | PostingPartition): posting is AxisTerm {
  return 'term' in posting && posting.term.startsWith(tagTerm(''));
}

/** True when a change can take a testimonial out of this posting: on the axis of updates it moves to another place. */
export function isChangeable(posting: PostingTerm): boolean {
  if (!('term' in posting)) return false;
  return posting.axis === 'updatedAt' || changeableTerms.includes(posting.term);
}

/**
 * The postings of a testimonial on an axis: its facets; where it was created also its words and their short
 * beginnings.
 */
export function postingsOn(axis: Axis, testimonial: Testimonial): PostingTerm[] {
  // Words take the longest, and are on one axis only.
  const words = axis === 'createdAt' ? wordsOf(testimonial) : [];
  return postingsOfTerms(axis, { facets: facetsOf(testimonial), words });
}

/** The postings on an axis that an erased testimonial can have been in: without its texts, those of common facets. */
export function postingsOfErased(axis: Axis, texts: Texts | undefined): PostingTerm[] {
  const words = texts && axis === 'createdAt' ? wordsOf(texts) : [];
  const tags = texts?.tags ?? [];
  return postingsOfTerms(axis, { facets: new Set([...commonFacets, ...tags.map(tagTerm)]), words });
}

function postingsOfTerms(
  axis: Axis,
  { facets, words }: { facets: Iterable<string>; words: Iterable<string> },
): PostingTerm[] {
  const ofFacets = Array.from(facets, (term) => ({ axis, term }));
  if (axis === 'updatedAt') return ofFacets;
  return [
    ...ofFacets,
    ...Array.from(shortPrefixesOf(words), (term) => ({ axis, term })),
    ...Array.from(words, (word) => ({ word })),
  ];
}

function shortPrefixesOf(words: Iterable<string>): Set<string> {
  const prefixes = new Set<string>();
  for (const word of words) {
    const letters = Array.from(word).slice(0, shortPrefixLength);
    for (let length = 1; length <= letters.length; length += 1) {
      prefixes.add(prefixTerm(letters.slice(0, length).join('')));
    }
  }
  return prefixes;
}
