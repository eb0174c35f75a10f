import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { textsOf } from '../../../functions/domain/fields.ts';
import { TextTerms } from '../../../functions/domain/terms.ts';
import {
  commonPostings,
  facetPosting,
  formerFacetsOf,
  isHidden,
  nameOf,
  partitionOf,
  partitions,
  postingsNamed,
  postingsOfWords,
  postingsOn,
} from '../../../functions/testimonials/list-index/index-terms.ts';
import { termsVersion } from '../../../functions/testimonials/list-index/terms-version.ts';
import { testimonialOf } from '../../testimonials.ts';

// Stored postings stay as they were made. If this test needs other postings, add a line to domain/terms.ts,
// so that indexes are rebuilt.
test('the postings of texts by rules 8', () => {
  expect(termsVersion).toMatch(/^\d+\.8\//);
  const testimonial = testimonialOf({
    content: 'Node.js at Łódź’s Straße: 東\u200b京駅 — ราคา 24/7, ﬁne! _Ge\u00adsamt_ צה״ל מְאֹד ممـتاز 최고ㄳ',
    author: { name: 'Zoë O’Neil-Æbli', email: 'zoe@example.com', company: 'Œuvre & Co' },
    rating: 4,
    tags: ['Case-Stu\u200bdy', 'ÉTÉ'],
  });
  const postings = postingsOn('createdAt', testimonial);
  const of = (kind: string) =>
    postings
      .filter((posting) => posting.kind === kind)
      .map((posting) => String(Object.values(posting).at(-1)))
      .toSorted()
      .join(' ');
  expect(of('facet')).toBe('all rating=4 status=pending type=text');
  // The beginnings of the SHA-256 of `tag=case-study` and `tag=été`.
  expect(of('facet of texts')).toBe('2b572cae44b89047 2ead5e47dc8a1652');
  expect(of('beginning')).toBe(
    `2 24 7 a ae at f fi g ge j js l lo n ne no o o' s st z zo ל מ מא צ צה م مم ค คา ร รา า าค ㄳ 京 京駅 東 東京 駅 최 최고`,
  );
  // A word of one or two letters has only the posting of its beginning.
  expect(of('word')).toBe(`aebli fine gesamt lodz's neil node.js o'neil strasse zoe מאד צה"ל ممتاز`);
  expect(postingsOn('updatedAt', testimonial)).toEqual(
    ['all', 'status=pending', 'type=text', 'rating=4', 'tag=case-study', 'tag=été'].map((term) =>
      facetPosting('updatedAt', term),
    ),
  );
});

test('masked texts have hidden postings, apart from the published ones', () => {
  const testimonial = testimonialOf({
    content: 'Write to jane.doe@example.com, says Jane',
    author: { name: 'Bob', email: 'bob@example.com' },
    tags: ['ux', 'bob@shop.test'],
  });
  const postings = postingsOn('createdAt', testimonial);
  const words = (hidden: boolean) =>
    postings
      .flatMap((each) => (each.kind === 'word' && isHidden(each) === hidden ? each.word : []))
      .toSorted();
  expect(words(false)).toEqual(['bob', 'jane', 'says', 'write']);
  expect(words(true)).toEqual(['com', 'doe', 'example.com', 'jane.doe']);
  const facets = postings.filter(({ kind }) => kind === 'facet of texts');
  expect(facets).toEqual([
    facetPosting('createdAt', 'tag=ux'),
    facetPosting('createdAt', 'tag=bob@shop.test', { isHidden: true }),
  ]);
  // An erasure removes it from the same postings: its marker names the facets, its texts give the words.
  const { formerFacets = [] } = formerFacetsOf(testimonial);
  expect(formerFacets.join()).not.toMatch(/ux|bob/);
  const erased = [
    ...commonPostings('createdAt'),
    ...postingsNamed('createdAt', formerFacets),
    ...postingsOfWords(new TextTerms(textsOf(testimonial))),
  ].map(nameOf);
  expect(postings.filter((each) => !erased.includes(nameOf(each)))).toEqual([]);
});

test('every posting is in one of the partitions, and every partition has some', () => {
  const known = new Set(partitions.map((each) => JSON.stringify(each)));
  const met = new Set<string>();
  const posting = fc.oneof(
    fc.string({ minLength: 1, maxLength: 4 }).map((word) => ({ kind: 'word' as const, word })),
    fc.string({ minLength: 1, maxLength: 2 }).map((letters) => ({ kind: 'beginning' as const, letters })),
    fc
      .tuple(fc.constantFrom('createdAt', 'updatedAt'), fc.string())
      .map(([axis, tag]) => facetPosting(axis, `tag=${tag}`)),
  );
  fc.assert(
    fc.property(posting, (each) => {
      met.add(JSON.stringify(partitionOf(each)));
      expect(known).toContain(JSON.stringify(partitionOf(each)));
    }),
    { numRuns: 5000 },
  );
  // Words and facets of texts use all of their partitions.
  expect(met.size).toBe(
    partitions.filter(({ kind }) => kind === 'words' || kind === 'facets of texts').length,
  );
});
