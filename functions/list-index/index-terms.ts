/** Which postings a testimonial is in, and which of them answer a prefix. */
import { facetsOf, statusTerm, wordsOf } from '../domain/terms.ts';
import { statuses, type Testimonial } from '../domain/testimonial.ts';

/** What a posting is about: a term (a facet or a short prefix) or a word. */
export type PostingTerm = { term: string } | { word: string };

// Prefixes of up to this many code points have a posting of their own: all words that begin with one letter
// would be megabytes to read. With two letters, folding a single testimonial would write a third more.
export const shortPrefixLength = 1;

export const prefixTerm = (prefix: string) => `prefix=${prefix}`;

/** True when a prefix has a posting of its own; otherwise the postings of the words that begin with it are read. */
export function isShortPrefix(prefix: string): boolean {
  return Array.from(prefix).length <= shortPrefixLength;
}

/** The terms of which a change of status can take a testimonial away. All others it keeps for ever. */
export const mutableTerms: string[] = statuses.map(statusTerm);

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
