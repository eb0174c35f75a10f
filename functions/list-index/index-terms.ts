/** Which postings a testimonial is in, which of them answer a prefix, and where they lie. */
import { createHash } from 'node:crypto';
import type { Texts } from '../domain/public-texts.ts';
import { commonFacets, commonFacetsOf, statusTerm, type TermSource, TextTerms } from '../domain/terms.ts';
import { statuses } from '../domain/testimonial.ts';
import { type Axis, axes } from '../domain/testimonial-order.ts';

/** The chunks that a summary counts: one, or many together. */
const summarised = ['chunk', 'chunks'] as const;
export type Summarised = (typeof summarised)[number];

/** A term that comes from texts. `isHidden`: from what is masked for everyone, and read for no list that everyone may ask for. */
type OfTexts = { isHidden?: true };

/** The term of a posting. Words and their beginnings are on the axis of creation only. */
export type PostingTerm =
  /** A common facet. */
  | { kind: 'facet'; axis: Axis; term: string }
  /** A facet that comes from what people wrote, by a digest: no key has the words of anybody, and none is ever deleted. */
  | ({ kind: 'facet of texts'; axis: Axis; digest: string } & OfTexts)
  | ({ kind: 'word'; word: string } & OfTexts)
  /** All words that begin with one or two letters. */
  | ({ kind: 'beginning'; letters: string } & OfTexts)
  /** Not bits, but how many testimonials there are (summary.ts). */
  | { kind: 'summary'; axis: Axis; of: Summarised }
  /** Not bits, but the ordinals of testimonials by their update ordinals (ordinal-block.ts). */
  | { kind: 'ordinals' };

export const ordinalsTerm: PostingTerm = { kind: 'ordinals' };

export const summaryTerm = (axis: Axis, of: Summarised): PostingTerm => ({ kind: 'summary', axis, of });

/** The posting of a facet on an axis. */
export function facetPosting(axis: Axis, term: string, { isHidden }: OfTexts = {}): PostingTerm {
  return commonFacets.includes(term)
    ? { kind: 'facet', axis, term }
    : { kind: 'facet of texts', axis, digest: digestOf(term), ...(isHidden && { isHidden }) };
}

/** Whether it has what is masked for everyone. */
export function isHidden(posting: PostingTerm): boolean {
  return 'isHidden' in posting;
}

// 64 bits: no two of a million tags are likely to share one.
const digestLength = 16;

function digestOf(term: string): string {
  return createHash('sha256').update(term).digest('hex').slice(0, digestLength);
}

/** The axis whose numbers a posting has. */
export function axisOf(posting: PostingTerm): Axis {
  if ('axis' in posting) return posting.axis;
  return posting.kind === 'ordinals' ? 'updatedAt' : 'createdAt';
}

/** Tells a posting from every other. */
export function nameOf(posting: PostingTerm): string {
  return JSON.stringify(Object.values(posting));
}

// Prefixes of up to this many code points have a posting of their own: all words that begin with one or two letters
// would be megabytes to read.
const beginningLength = 2;

/** True when a prefix has a posting of its own; otherwise the postings of the words that begin with it are read. */
export function isBeginning(prefix: string): boolean {
  return Array.from(prefix).length <= beginningLength;
}

/**
 * Where postings lie: common facets, summaries and blocks of ordinals each on their own; words, with their beginnings, and
 * facets of texts in a fixed number of partitions. The set is closed, so that whoever walks all postings knows where they are.
 */
export type PostingPartition =
  | Extract<PostingTerm, { kind: 'facet' | 'summary' | 'ordinals' }>
  | { kind: 'facets of texts'; axis: Axis; number: number }
  | { kind: 'words'; number: number };

// Each takes a thousand writes a second, and costs whoever walks all of them a query.
const wordPartitions = 64;
const textFacetPartitions = 8;

/** All partitions of a generation. */
export const partitions: readonly PostingPartition[] = [
  ...axes.flatMap((axis): PostingPartition[] => [
    ...commonFacets.map((term) => ({ kind: 'facet' as const, axis, term })),
    ...summarised.map((of) => ({ kind: 'summary' as const, axis, of })),
    ...Array.from({ length: textFacetPartitions }, (_, number) => ({
      kind: 'facets of texts' as const,
      axis,
      number,
    })),
  ]),
  { kind: 'ordinals' },
  ...Array.from({ length: wordPartitions }, (_, number) => ({ kind: 'words' as const, number })),
];

/** The partition of a posting. */
export function partitionOf(posting: PostingTerm): PostingPartition {
  switch (posting.kind) {
    case 'facet of texts':
      return {
        kind: 'facets of texts',
        axis: posting.axis,
        number: hash(posting.digest) % textFacetPartitions,
      };
    case 'word':
      return partitionOfWords(posting.word);
    case 'beginning':
      return partitionOfWords(posting.letters);
    default:
      return posting;
  }
}

/** The partition of all words that begin with a prefix of two letters or more. */
export function partitionOfWords(prefix: string): PostingPartition {
  return { kind: 'words', number: hash(beginningOf(prefix)) % wordPartitions };
}

function beginningOf(word: string): string {
  return Array.from(word).slice(0, beginningLength).join('');
}

/** FNV-1a of 32 bits (draft-eastlake-fnv), over UTF-16 code units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/** The common facets that a change can take away: the statuses. */
export const changeableTerms: string[] = statuses.map(statusTerm);

/**
 * True of postings whose keys have what people wrote: words and their beginnings. An erasure deletes them when they are empty; those
 * of facets are never deleted, and tell for good which testimonials have them.
 */
export function isFromText({ kind }: PostingTerm): boolean {
  return kind === 'word' || kind === 'beginning';
}

/** True when a change can take a testimonial out of this posting: on the axis of updates it moves to another place. */
export function isChangeable(posting: PostingTerm): boolean {
  if (axisOf(posting) === 'updatedAt') return true;
  return posting.kind === 'facet' && changeableTerms.includes(posting.term);
}

/**
 * The postings of a testimonial on an axis: its facets; where it was created also its words and their beginnings.
 */
export function postingsOn(axis: Axis, testimonial: TermSource): PostingTerm[] {
  return [
    ...commonFacetsOf(testimonial).map((term) => facetPosting(axis, term)),
    ...postingsOfTexts(axis, testimonial),
  ];
}

/** The postings of common facets on an axis. */
export function commonPostings(axis: Axis): PostingTerm[] {
  return commonFacets.map((term) => facetPosting(axis, term));
}

// Before the digest of a facet that is hidden.
const hiddenFacet = '!';

/** The names of the facets that come from a testimonial's texts, as change markers keep them: digests, and no text. */
export function facetNames(texts: Texts): string[] {
  return facetPostings('createdAt', new TextTerms(texts)).flatMap((posting) =>
    posting.kind === 'facet of texts' ? `${posting.isHidden ? hiddenFacet : ''}${posting.digest}` : [],
  );
}

/** Returns the facets that the marker of a change keeps; none if no facet comes from the testimonial's texts. */
export function formerFacetsOf(testimonial: Texts): { formerFacets?: string[] } {
  const formerFacets = facetNames(testimonial);
  return formerFacets.length > 0 ? { formerFacets } : {};
}

/** The postings on an axis of facets with these names. */
export function postingsNamed(axis: Axis, names: readonly string[]): PostingTerm[] {
  return names.map((name) =>
    name.startsWith(hiddenFacet)
      ? { kind: 'facet of texts', axis, digest: name.slice(hiddenFacet.length), isHidden: true }
      : { kind: 'facet of texts', axis, digest: name },
  );
}

function postingsOfTexts(axis: Axis, texts: Texts): PostingTerm[] {
  const terms = new TextTerms(texts);
  const facets = facetPostings(axis, terms);
  // Words take the longest, and are on one axis only.
  return axis === 'createdAt' ? [...facets, ...postingsOfWords(terms)] : facets;
}

/** The postings of all words and their beginnings, which have no axis but that of creation. */
export function postingsOfWords(terms: TextTerms): PostingTerm[] {
  const published = terms.words('published');
  const hidden = terms.words('whole').difference(published);
  return [...wordPostings(published, {}), ...wordPostings(hidden, { isHidden: true })];
}

function facetPostings(axis: Axis, terms: TextTerms): PostingTerm[] {
  const published = terms.facets('published');
  const hidden = terms.facets('whole').difference(published);
  return [
    ...Array.from(published, (term) => facetPosting(axis, term)),
    ...Array.from(hidden, (term) => facetPosting(axis, term, { isHidden: true })),
  ];
}

/** The postings of words and of their beginnings. A word that is no longer than its beginning has no other: no search would read it. */
function wordPostings(words: Iterable<string>, options: OfTexts): PostingTerm[] {
  const found: PostingTerm[] = [];
  const beginnings = new Set<string>();
  for (const word of words) {
    const letters = Array.from(word).slice(0, beginningLength);
    for (let length = 1; length <= letters.length; length += 1) {
      beginnings.add(letters.slice(0, length).join(''));
    }
    if (!isBeginning(word)) found.push({ kind: 'word', word, ...options });
  }
  return [
    ...found,
    ...Array.from(beginnings, (letters) => ({ kind: 'beginning' as const, letters, ...options })),
  ];
}
