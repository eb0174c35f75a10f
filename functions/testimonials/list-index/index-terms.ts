/** Names the postings of a testimonial, the postings to read for a prefix, and the partition of each. */
import { createHash } from 'node:crypto';
import type { Texts } from '../../domain/fields.ts';
import { commonFacets, commonFacetsOf, statusTerm, type TermSource, TextTerms } from '../../domain/terms.ts';
import { statuses } from '../../domain/testimonial.ts';
import { type Axis, axes } from '../../domain/testimonial-order.ts';

/** The chunks that a summary counts: one, or 64 together. */
const summarySpans = ['chunk', 'chunks'] as const;
export type SummarySpan = (typeof summarySpans)[number];

/**
 * The options of a term that comes from texts. `isHidden`: the text is masked in public, so published lists
 * do not read the term.
 */
type HiddenOption = { isHidden?: true };

/** The term of a posting. Words and their beginnings are on the axis of creation only. */
export type PostingName =
  /** A common facet. */
  | { kind: 'facet'; axis: Axis; term: string }
  /**
   * A facet of texts, such as a tag, by its digest. So no key contains a person's words, and no such posting
   * is ever deleted.
   */
  | ({ kind: 'facet of texts'; axis: Axis; digest: string } & HiddenOption)
  | ({ kind: 'word'; word: string } & HiddenOption)
  /** All words that begin with one or two letters. */
  | ({ kind: 'beginning'; letters: string } & HiddenOption)
  /** Counts instead of bits (summary.ts). */
  | { kind: 'summary'; axis: Axis; of: SummarySpan }
  /** Ordinals by update ordinals instead of bits (posting-codec.ts). */
  | { kind: 'ordinals' };

export const ordinalsTerm: PostingName = { kind: 'ordinals' };

export const summaryTerm = (axis: Axis, span: SummarySpan): PostingName => ({
  kind: 'summary',
  axis,
  of: span,
});

export function facetPosting(axis: Axis, term: string, { isHidden }: HiddenOption = {}): PostingName {
  return commonFacets.includes(term)
    ? { kind: 'facet', axis, term }
    : { kind: 'facet of texts', axis, digest: digestOf(term), ...(isHidden && { isHidden }) };
}

/** True if published lists do not read a posting. */
export function isHidden(posting: PostingName): boolean {
  return 'isHidden' in posting;
}

// 64 bits: no two of a million tags are likely to share one.
const digestLength = 16;

function digestOf(term: string): string {
  return createHash('sha256').update(term).digest('hex').slice(0, digestLength);
}

/** Returns the axis of a posting's positions. */
export function axisOf(posting: PostingName): Axis {
  if ('axis' in posting) return posting.axis;
  return posting.kind === 'ordinals' ? 'updatedAt' : 'createdAt';
}

/** Returns a unique name of a posting. */
export function nameOf(posting: PostingName): string {
  return JSON.stringify(Object.values(posting));
}

// Prefixes of up to this many code points have their own posting. Reading all words that begin with one or
// two letters would be megabytes.
const beginningLength = 2;

/**
 * True if a prefix has its own posting. Otherwise a list reads the postings of all words that begin with it.
 */
export function isBeginning(prefix: string): boolean {
  return Array.from(prefix).length <= beginningLength;
}

/**
 * A partition of postings. Common facets, summaries and blocks of ordinals have one partition each. Words
 * with their beginnings share a fixed number of partitions, and so do facets of texts. The set is closed, so
 * that a rebuild or a removal finds all postings (rule 31).
 */
export type PostingPartition =
  | Extract<PostingName, { kind: 'facet' | 'summary' | 'ordinals' }>
  | { kind: 'facets of texts'; axis: Axis; number: number }
  | { kind: 'words'; number: number };

// Each accepts a thousand writes a second, and costs one query when all postings are read.
const wordPartitions = 64;
const textFacetPartitions = 8;

export const partitions: readonly PostingPartition[] = [
  ...axes.flatMap((axis): PostingPartition[] => [
    ...commonFacets.map((term) => ({ kind: 'facet' as const, axis, term })),
    ...summarySpans.map((span) => ({ kind: 'summary' as const, axis, of: span })),
    ...Array.from({ length: textFacetPartitions }, (_, number) => ({
      kind: 'facets of texts' as const,
      axis,
      number,
    })),
  ]),
  { kind: 'ordinals' },
  ...Array.from({ length: wordPartitions }, (_, number) => ({ kind: 'words' as const, number })),
];

export function partitionOf(posting: PostingName): PostingPartition {
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

/** Returns the partition of all words that begin with a prefix of two letters or more. */
export function partitionOfWords(prefix: string): PostingPartition {
  return { kind: 'words', number: hash(beginningOf(prefix)) % wordPartitions };
}

function beginningOf(word: string): string {
  return Array.from(word).slice(0, beginningLength).join('');
}

/** Computes FNV-1a with 32 bits (draft-eastlake-fnv) over UTF-16 code units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/** The common facets that a change can remove: the statuses. */
export const changeableTerms: string[] = statuses.map(statusTerm);

/**
 * True for postings whose keys come from texts: words and their beginnings. An erasure deletes the ones that
 * it empties. Postings of facets are never deleted (rule 30).
 */
export function isOfWord({ kind }: PostingName): boolean {
  return kind === 'word' || kind === 'beginning';
}

/** True if a change can remove a testimonial from a posting. On the axis of updates every change moves it. */
export function isChangeable(posting: PostingName): boolean {
  if (axisOf(posting) === 'updatedAt') return true;
  return posting.kind === 'facet' && changeableTerms.includes(posting.term);
}

/**
 * Returns the postings of a testimonial on an axis: its facets and, on the axis of creation, its words and
 * their beginnings.
 */
export function postingsOn(axis: Axis, testimonial: TermSource): PostingName[] {
  const terms = new TextTerms(testimonial);
  return [
    ...commonFacetsOf(testimonial).map((term) => facetPosting(axis, term)),
    ...facetPostings(axis, terms),
    ...(axis === 'createdAt' ? postingsOfWords(terms) : []),
  ];
}

export function commonPostings(axis: Axis): PostingName[] {
  return commonFacets.map((term) => facetPosting(axis, term));
}

// Precedes the digest of a hidden facet.
const hiddenFacet = '!';

/**
 * Returns the names of a testimonial's facets of texts, as change markers store them: digests without any
 * text.
 */
export function facetNames(texts: Texts): string[] {
  return facetPostings('createdAt', new TextTerms(texts)).flatMap((posting) =>
    posting.kind === 'facet of texts' ? `${posting.isHidden ? hiddenFacet : ''}${posting.digest}` : [],
  );
}

/**
 * Returns the member of a change marker that names the facets before the change. The object is empty if there
 * is no facet of texts.
 */
export function formerFacetsOf(testimonial: Texts): { formerFacets?: string[] } {
  const formerFacets = facetNames(testimonial);
  return formerFacets.length > 0 ? { formerFacets } : {};
}

/** Returns the postings on an axis for names from change markers. */
export function postingsNamed(axis: Axis, names: readonly string[]): PostingName[] {
  return names.map((name) =>
    name.startsWith(hiddenFacet)
      ? { kind: 'facet of texts', axis, digest: name.slice(hiddenFacet.length), isHidden: true }
      : { kind: 'facet of texts', axis, digest: name },
  );
}

/** Returns the postings of all words and their beginnings, which exist on the axis of creation only. */
export function postingsOfWords(terms: TextTerms): PostingName[] {
  const published = terms.words('published');
  const hidden = terms.words('whole').difference(published);
  return [...wordPostings(published, {}), ...wordPostings(hidden, { isHidden: true })];
}

function facetPostings(axis: Axis, terms: TextTerms): PostingName[] {
  const published = terms.facets('published');
  const hidden = terms.facets('whole').difference(published);
  return [
    ...Array.from(published, (term) => facetPosting(axis, term)),
    ...Array.from(hidden, (term) => facetPosting(axis, term, { isHidden: true })),
  ];
}

/**
 * Returns the postings of words and of their beginnings. A word of one or two letters has only the posting of
 * its beginning.
 */
function wordPostings(words: ReadonlySet<string>, options: HiddenOption): PostingName[] {
  const beginnings = new Set<string>();
  for (const word of words) {
    const [first = ''] = word;
    beginnings.add(first).add(beginningOf(word));
  }
  return [
    ...[...words]
      .filter((word) => !isBeginning(word))
      .map((word) => ({ kind: 'word' as const, word, ...options })),
    ...Array.from(beginnings, (letters) => ({ kind: 'beginning' as const, letters, ...options })),
  ];
}
