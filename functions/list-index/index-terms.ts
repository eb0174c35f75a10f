/** Which postings a testimonial is in, which of them answer a prefix, and where they lie. */
import { facetsOf, statusTerm, wordsOf } from '../domain/terms.ts';
import { statuses, type Testimonial } from '../domain/testimonial.ts';

/** What a posting is about: a term (a facet or a short prefix) or a word. */
export type PostingTerm = { term: string } | { word: string };

/** Where postings lie: each term's on their own, those of words by their first letter. */
export type PostingPartition = { term: string } | { letter: string };

/**
 * The rules by which postings are made: the number of ours, to be raised whenever a testimonial gets other postings
 * than before, and the version of Unicode, by which texts are folded and split.
 */
export const termsVersion = `1/${process.versions.unicode}`;

// Prefixes of up to this many code points have a posting of their own: all words that begin with one letter
// would be megabytes to read. With two letters, folding a single testimonial would write a third more.
export const shortPrefixLength = 1;

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

/** The terms of which a change can take a testimonial away. All others it keeps for ever. */
export const changeableTerms: string[] = statuses.map(statusTerm);

/** True when a change can take a testimonial out of this posting. */
export function isChangeable(posting: PostingTerm): boolean {
  return 'term' in posting && changeableTerms.includes(posting.term);
}

/** The postings of a testimonial: its facets, words and the short beginnings of its words. */
export function postingTermsOf(testimonial: Testimonial): PostingTerm[] {
  const found = wordsOf(testimonial);
  const prefixes = new Set<string>();
  for (const word of found) {
    const letters = Array.from(word).slice(0, shortPrefixLength);
    for (let length = 1; length <= letters.length; length += 1) {
      prefixes.add(prefixTerm(letters.slice(0, length).join('')));
    }
  }
  return [
    ...[...facetsOf(testimonial), ...prefixes].map((term) => ({ term })),
    ...Array.from(found, (word) => ({ word })),
  ];
}
