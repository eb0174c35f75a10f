/** Generated testimonials and queries over a small vocabulary, so that they meet. */
import fc from 'fast-check';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import { statuses, type TestimonialInput, testimonialTypes } from '../../functions/domain/testimonial.ts';
import type { TestimonialFilter } from '../../functions/domain/testimonial-filter.ts';
import { directions, sortNames } from '../../functions/domain/testimonial-order.ts';

/** Published lists mask these. */
const addresses = ['jane@shop.test', 'bob@shop.test', 'bob@bü\u00adcher.test'];

const vocabulary = [
  ...'great greatly Grüße amazing a amaze produkt 製品がよい Straße x1 node.js jane'.split(' '),
  // Without their invisible characters, points and underscores, some are words above.
  '_great_',
  'ama\u200bzing',
  '製\u200b品',
  'שָׁלוֹם',
  'צה״ל',
  'ممـــتاز',
  '최고ㄳ',
  ...addresses,
];
export const tagNames = [
  'Support',
  'support',
  'UX',
  'ux',
  'price',
  'Größe',
  'GRÖSSE',
  'sup\u200bport',
  ...addresses,
];
const companies = ['Acme', 'ACME', 'Größe', 'GRÖSSE', ...addresses];
const prefixes = [
  ...'g gr gre great GRUS am ama a strass 製 品が 製品 zzz x jane js shop sh buch'.split(' '),
  'ama\u00adzing',
  '_great',
  'שלום',
  'צה"',
  'ممتاز',
  '최고',
];

/** An arbitrary for each member, so that the compiler asks for those of new fields and filters. */
type Arbitraries<Members> = { [Name in keyof Required<Members>]: fc.Arbitrary<Required<Members>[Name]> };

const author: Arbitraries<TestimonialInput['author']> = {
  name: fc.constantFrom('Jane Doe', 'José Amado', 'Greta'),
  email: fc.constant('jane@example.com'),
  company: fc.constantFrom(...companies),
  role: fc.constantFrom('CEO', 'Head of Müsli'),
};

const fields: Arbitraries<TestimonialInput> = {
  content: fc
    .array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 5 })
    .map((chosen) => chosen.join(' ')),
  author: fc.record(author, { requiredKeys: ['name', 'email'] }),
  type: fc.constantFrom(...testimonialTypes),
  rating: fc.integer({ min: 1, max: 5 }),
  tags: fc.uniqueArray(fc.constantFrom(...tagNames), { maxLength: 3 }),
};

/** Every field that a facet or a filter can read. */
export const input: fc.Arbitrary<TestimonialInput> = fc.record(fields, {
  requiredKeys: ['content', 'author', 'type'],
});

/** Values that match some testimonials of `input` and not others, as arbitraries.test.ts checks. */
export const filterValues: Arbitraries<TestimonialFilter> = {
  status: fc.constantFrom(...statuses),
  type: fc.constantFrom(...testimonialTypes),
  rating: fc.integer({ min: 1, max: 5 }),
  tags: fc.array(fc.constantFrom(...tagNames), { minLength: 1, maxLength: 3 }),
  search: fc
    .array(fc.constantFrom(...prefixes), { minLength: 1, maxLength: 3 })
    .map((chosen) => chosen.join(' ')),
};
const filter = fc.record(filterValues, { requiredKeys: [] });

/**
 * Values of each filter for lists that differ in how they are counted. A filter by texts needs an address,
 * which is masked.
 */
const oneFilter: { [Name in keyof Required<TestimonialFilter>]: Required<TestimonialFilter>[Name][] } = {
  status: ['pending'],
  type: ['text'],
  rating: [2],
  tags: [['ux'], ['jane@shop.test']],
  search: ['a', 'sh', 'shop', 'gre'],
};

/**
 * Counted by summaries, by one posting, by the posting of a beginning, by many words, and by several of
 * these.
 */
const kindsOfFilters: TestimonialFilter[] = [
  {},
  ...Object.entries(oneFilter).flatMap(([name, values]) => values.map((value) => ({ [name]: value }))),
  { type: 'text', rating: 2 },
  { tags: ['ux', 'jane@shop.test'], search: 'jane' },
  { search: 'am', status: 'approved' },
  { search: 'amaz jane', tags: ['support', 'price'] },
];

/** Each kind of filter in every order, of all the same page. */
export const onePageOfEach: fc.Arbitrary<ListQuery[]> = fc
  .record({ page: fc.integer({ min: 1, max: 4 }), limit: fc.integer({ min: 1, max: 4 }) })
  .map((page) =>
    kindsOfFilters.flatMap((filter) =>
      sortNames.flatMap((sort) => directions.map((order) => ({ filter, sort, order, ...page }))),
    ),
  );

export const query: fc.Arbitrary<ListQuery> = fc.record({
  filter: fc.oneof(filter, fc.constant({}), fc.record({ status: fc.constantFrom(...statuses) })),
  sort: fc.constantFrom(...sortNames),
  order: fc.constantFrom(...directions),
  page: fc.integer({ min: 1, max: 16 }),
  limit: fc.integer({ min: 1, max: 4 }),
  view: fc.constantFrom('whole', 'whole', 'published'),
});
