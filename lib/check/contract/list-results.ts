/** The results of lists: filters, search and sorting according to the specification. */
import type { Status } from '../../../functions/domain/testimonial.ts';
import { expectEqual, listed } from './expectations.ts';
import { updateIndex } from './list-index.ts';
import type { Organization } from './organization.ts';
import { queryOf, testimonialBody } from './requests.ts';
import { each, type Group, rule, type Suite } from './suite.ts';

// In the order of creation. The rules below identify a testimonial by its company, which is a letter. In
// process, all are created in the same millisecond.
const seeds: [company: string, name: string, content: string, more: object][] = [
  ['A', 'Jane Doe', 'Amazing product! It saved us weeks', { rating: 5, tags: ['Onboarding', 'support'] }],
  ['B', 'Zoë Müller', 'The Café and its naïve clerk', { rating: 3, type: 'video', tags: ['Café'] }],
  ['C', 'Kofi Mensah', 'Nothing in node.js to rate, only to say', { type: 'audio' }],
  ['D', 'Ana Lima', 'Products that amaze, support too', { rating: 5, tags: ['SUPPORT', 'straße'] }],
  ['E', 'Amazing Grace', 'Don’t buy the follow-up of 2024', { rating: 1, tags: ['on boarding'] }],
  ['F', 'Li Wei', '这个产品非常好用，我们很喜欢', { tags: [] }],
  [
    'G',
    '佐藤 花子',
    'デザインが\u200b素晴らしい\u200b製品です',
    { rating: 3, type: 'video', tags: ['製品'] },
  ],
  [
    'H',
    'Jürgen Groß',
    'ＦＵＬＬ width and a ﬁne ligature, a _great_ Ge\u00adsamt\u00adkonzept, צה״ל שָׁלוֹם ممـــتاز 최고ㄳ',
    { rating: 4, type: 'audio', tags: ['onboarding', 'Support'] },
  ],
];

// In the order of moderation, which differs from the order of creation.
const moderations: [company: string, Status][] = [
  ['D', 'approved'],
  ['A', 'approved'],
  ['C', 'rejected'],
  ['H', 'approved'],
];

/** Returns the letters of all matching testimonials, in the order of the list. */
async function lettersOf(api: Organization, parameters: Record<string, string>): Promise<string> {
  const query = queryOf({ order: 'asc', limit: '100', ...parameters });
  const { testimonials, pagination } = listed(await api.list(query));
  expectEqual('the total', pagination.total, testimonials.length);
  return testimonials.map(({ author }) => author.company).join('');
}

const reversed = (letters: string) => [...letters].reverse().join('');

const filtered: [Record<string, string>, string][] = [
  [{}, 'ABCDEFGH'],
  [{ status: 'all', type: 'all' }, 'ABCDEFGH'],
  [{ status: 'pending' }, 'BEFG'],
  [{ status: 'approved' }, 'ADH'],
  [{ status: 'rejected' }, 'C'],
  [{ type: 'text' }, 'ADEF'],
  [{ type: 'video' }, 'BG'],
  [{ type: 'audio' }, 'CH'],
  [{ rating: '1' }, 'ABDEGH'],
  [{ rating: '2' }, 'ABDGH'],
  [{ rating: '3' }, 'ABDGH'],
  [{ rating: '4' }, 'ADH'],
  [{ rating: '5' }, 'AD'],
  [{ status: 'approved', type: 'text' }, 'AD'],
  [{ status: 'pending', rating: '3' }, 'BG'],
  [{ status: 'approved', type: 'audio', rating: '4', tags: 'support', search: 'fine' }, 'H'],
  [{ status: 'approved', type: 'audio', rating: '5', tags: 'support', search: 'fine' }, ''],
  [{ status: 'rejected', type: 'text' }, ''],
];

const tagged: [behaviour: string, tags: string, string][] = [
  ['finds a tag', 'café', 'B'],
  ['ignores case', 'support', 'ADH'],
  ['ignores case outside ASCII', 'CAFÉ', 'B'],
  ['finds any of two tags', 'onboarding,café', 'ABH'],
  ['finds a testimonial with both once', 'onboarding,support', 'ADH'],
  ['finds those that have one when the other is unknown', 'nothing,onboarding', 'AH'],
  ['does not ignore accents', 'cafe', ''],
  ['compares whole tags, not beginnings', 'onboard', ''],
  ['finds a tag with a blank inside', 'on boarding', 'E'],
  ['finds a tag in decomposed Unicode', 'cafe\u0301', 'B'],
  ['skips blank entries', ', ,support,,', 'ADH'],
  ['trims entries', ' support , café ', 'ABDH'],
  ['ignores invisible characters', 'sup\u200bport\ufe0f', 'ADH'],
  ['skips entries of invisible characters', '\u200b,\u3164,support', 'ADH'],
  ['with nothing but blank entries is no filter', ' , ,', 'ABCDEFGH'],
  ['finds nothing for an unknown tag', 'nothing', ''],
];

const searched: [behaviour: string, search: string, string][] = [
  ['finds beginnings of words', 'amaz prod', 'AD'],
  ['finds whole words', 'amazing product', 'A'],
  ['needs every word', 'amazing support', ''],
  ['reads the content and the name of the author', 'amazing', 'AE'],
  ['finds one word in the content and one in the name', 'jane saved', 'A'],
  ['does not find the inside of a word', 'mazing', ''],
  ['does not read other fields', 'example', ''],
  ['does not read tags', 'onboarding', ''],
  ['ignores case', 'AMAZ', 'ADE'],
  ['ignores accents of the content', 'cafe', 'B'],
  ['ignores accents of the search', 'ámäzing', 'AE'],
  ['ignores accents of the name', 'zoe muller', 'B'],
  ['ignores case even if it changes the length', 'GROSS', 'H'],
  ['ignores punctuation', '"amazing", (product)!', 'A'],
  ['splits at a hyphen', 'up', 'E'],
  ['finds digits', '202', 'E'],
  ['finds the beginning of a word with an apostrophe', 'don', 'E'],
  ['finds full-width letters', 'full', 'H'],
  ['finds a ligature with its letters', 'fine', 'H'],
  ['does not count a repeated word', 'amaz amaz', 'ADE'],
  ['does not count blanks', '  amaz \t prod  ', 'AD'],
  ['finds a Chinese word', '产品', 'F'],
  ['finds the beginning of a Chinese word', '非', 'F'],
  ['finds a letter before another and at the end of a run', '品', 'FG'],
  ['finds a Japanese word', '製品', 'G'],
  ['finds a Japanese word with its beginning', '素', 'G'],
  ['finds a part of a run of Japanese', '晴らしい', 'G'],
  ['finds a Japanese name', '花子', 'G'],
  // The index decomposes and composes ザ.
  ['finds letters that have marks', 'ザイン', 'G'],
  ['does not find a run if a pair of it is missing', 'しい製晴', ''],
  ['finds a part of a word', 'js', 'C'],
  ['finds the beginning of a word with a dot', 'node.j', 'C'],
  ['ignores invisible characters of the content', 'gesamtkonzept', 'H'],
  ['ignores invisible characters of the search', '\u200eama\u00adzing\u200b', 'AE'],
  ['finds a run over invisible characters', 'しい製', 'G'],
  ['ignores underscores around a word of the content', 'great', 'H'],
  ['ignores underscores around a word of the search', '_amazing_', 'AE'],
  ['finds Hebrew quotation marks of any kind', 'צה"ל', 'H'],
  ['ignores Hebrew points of the content', 'שלום', 'H'],
  ['ignores Hebrew points of the search', 'שְׁלֹום', 'H'],
  ['ignores tatweel', 'ممتـاز', 'H'],
  ['finds a syllable before a Hangul letter that stands alone', '최고', 'H'],
  ['finds nothing for an unknown word', 'zebra', ''],
];

// By updatedAt, testimonials that were never moderated come first. By rating, unrated ones come first.
const sorted: Record<string, string> = { createdAt: 'ABCDEFGH', updatedAt: 'BEFGDACH', rating: 'CFEBGHAD' };

const sortedAndFiltered: [Record<string, string>, string][] = [
  [{ sort: 'updatedAt', status: 'approved' }, 'DAH'],
  [{ sort: 'rating', status: 'approved' }, 'HAD'],
  [{ sort: 'rating', status: 'pending' }, 'FEBG'],
  [{ sort: 'rating', type: 'text' }, 'FEAD'],
  [{ sort: 'rating', search: 'amaz' }, 'EAD'],
  [{ sort: 'updatedAt', tags: 'support' }, 'DAH'],
  [{ sort: 'createdAt', tags: 'support' }, 'ADH'],
  [{ sort: 'updatedAt', rating: '3' }, 'BGDAH'],
];

const resultRules: Group[] = [
  each(
    'a filter finds exactly the matching testimonials:',
    filtered.map(
      ([parameters, letters]) =>
        [`${JSON.stringify(parameters)} finds "${letters}"`, parameters, letters] as const,
    ),
    async (api, _, parameters, letters) => expectEqual('found', await lettersOf(api, parameters), letters),
  ),
  each('the tags filter', tagged, async (api, _, tags, letters) =>
    expectEqual('found', await lettersOf(api, { tags }), letters),
  ),
  each('the search', searched, async (api, _, search, letters) =>
    expectEqual('found', await lettersOf(api, { search }), letters),
  ),
  each('the sort', Object.entries(sorted), async (api, sort, ascending) => {
    expectEqual('ascending', await lettersOf(api, { sort }), ascending);
    expectEqual('descending', await lettersOf(api, { sort, order: 'desc' }), reversed(ascending));
    expectEqual('without an order', await lettersOf(api, { sort, order: '' }), reversed(ascending));
  }),
  each(
    'filtered testimonials are sorted, and descending is the exact reverse:',
    sortedAndFiltered.map(
      ([parameters, letters]) => [JSON.stringify(parameters), parameters, letters] as const,
    ),
    async (api, _, parameters, ascending) => {
      expectEqual('ascending', await lettersOf(api, parameters), ascending);
      expectEqual('descending', await lettersOf(api, { ...parameters, order: 'desc' }), reversed(ascending));
    },
  ),
  each(
    'pages have no gap and no overlap, sorted by',
    Object.entries(sorted),
    async (api, sort, ascending) => {
      for (const order of ['asc', 'desc']) {
        const pages: string[] = [];
        for (const page of ['1', '2', '3']) {
          const { testimonials } = listed(await api.list(queryOf({ sort, order, page, limit: '3' })));
          pages.push(testimonials.map(({ author }) => author.company).join(''));
        }
        const all = order === 'asc' ? ascending : reversed(ascending);
        expectEqual('the pages', pages, [all.slice(0, 3), all.slice(3, 6), all.slice(6)]);
      }
    },
  ),
];

/** Returns the rules with a prefix in their names. */
const named = (prefix: string): Group[] =>
  resultRules.map(({ name, rules }) => ({ name: `${prefix}${name}`, rules }));

export const listResults: Suite = {
  name: 'Lists',
  async prepare(api) {
    const ids = new Map<string, string>();
    const { clock } = api.service.driver.process ?? {};
    if (clock) clock.stopped = api.service.driver.operator.clock();
    for (const [company, name, content, more] of seeds) {
      const author = { name, email: 'author@example.com', company };
      ids.set(company, (await api.created(testimonialBody({ content, author, ...more }))).id);
    }
    for (const [company, status] of moderations) await api.change(String(ids.get(company)), { status });
    if (clock) clock.stopped = undefined;
  },
  rules: [
    ...named('unindexed: '),
    rule('an index update takes everything', updateIndex),
    ...named('indexed: '),
    rule('an organization lists only its own testimonials', async (api) => {
      const other = await api.neighbour();
      await other.created(testimonialBody());
      await other.expectPage('');
      await api.expectPage('');
    }),
    rule('a list contains a testimonial as soon as its create has returned', async (api) => {
      const before = await api.total();
      for (let i = 1; i <= 5; i += 1) {
        const { id } = await api.created(testimonialBody({ content: `Testimonial number ${i}` }));
        const { testimonials, pagination } = listed(await api.list('limit=1'));
        expectEqual('the first', testimonials[0]?.id, id);
        expectEqual('the total', pagination.total, before + i);
      }
    }),
  ],
};
