/** What a list answers: filters, search and sorting, each as the specification defines it. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { moderate } from './moderation.ts';
import { stopClock } from './stopped-clock.ts';

const minute = 60_000;
const start = Date.parse('2026-03-01T10:00:00.000Z');

// In order of creation. The company is the letter by which the tests below speak of a testimonial. A and B are
// of the same millisecond, and so are C and D.
const seeds = [
  {
    company: 'A',
    at: 0,
    name: 'Jane Doe',
    content: 'Amazing product! It saved us weeks',
    rating: 5,
    type: 'text',
    tags: ['Onboarding', 'support'],
  },
  {
    company: 'B',
    at: 0,
    name: 'Zoë Müller',
    content: 'The Café and its naïve clerk',
    rating: 3,
    type: 'video',
    tags: ['Café'],
  },
  { company: 'C', at: 1, name: 'Kofi Mensah', content: 'Nothing to rate, only to say', type: 'audio' },
  {
    company: 'D',
    at: 1,
    name: 'Ana Lima',
    content: 'Products that amaze, support too',
    rating: 5,
    type: 'text',
    tags: ['SUPPORT', 'straße'],
  },
  {
    company: 'E',
    at: 2,
    name: 'Amazing Grace',
    content: 'Don’t buy the follow-up of 2024',
    rating: 1,
    type: 'text',
    tags: ['on boarding'],
  },
  { company: 'F', at: 3, name: 'Li Wei', content: '这个产品非常好用，我们很喜欢', type: 'text', tags: [] },
  {
    company: 'G',
    at: 4,
    name: '佐藤 花子',
    content: '本当に素晴らしい製品です',
    rating: 3,
    type: 'video',
    tags: ['製品'],
  },
  {
    company: 'H',
    at: 5,
    name: 'Jürgen Groß',
    content: 'ＦＵＬＬ width and a ﬁne ligature',
    rating: 4,
    type: 'audio',
    tags: ['onboarding', 'Support'],
  },
] as const;

// In order of moderation, which is not the order of creation: company, status, minute.
const moderations = [
  ['D', 'approved', 6],
  ['A', 'approved', 7],
  ['C', 'rejected', 8],
  ['H', 'approved', 9],
] as const;

let api: ApiClient;
beforeAll(async () => {
  api = await createApiClient();
  const ids = new Map<string, string>();
  for (const { company, at, name, ...fields } of seeds) {
    stopClock(api, start + at * minute);
    const author = { name, email: 'author@example.com', company };
    const created = await api.create(testimonialBody({ ...fields, author }));
    ids.set(company, created.body.id);
  }
  for (const [company, status, at] of moderations) {
    await moderate(api, 'acme', String(ids.get(company)), status, new Date(start + at * minute));
  }
});

/** The letters of the testimonials in an answer, in its order. */
const letters = ({ body }: Answer): string =>
  body.testimonials.map(({ author }: { author: { company: string } }) => author.company).join('');

const escaped = (parameters: Record<string, string>) => String(new URLSearchParams(parameters));

// Soon after the last write a list reads what is new from the table; an hour later everything from the index.
describe.each([
  ['soon after', 9 * minute + 1],
  ['an hour after', 60 * minute],
])('%s the last write', (_when, elapsed) => {
  beforeAll(() => stopClock(api, start + elapsed));

  const found = async (parameters: Record<string, string>): Promise<string> => {
    const answer = await api.list(escaped({ order: 'asc', limit: '100', ...parameters }));
    expect(answer.status).toBe(200);
    expect(answer.body.pagination.total).toBe(answer.body.testimonials.length);
    return letters(answer);
  };

  describe('a filter finds exactly the testimonials that match:', () => {
    test.each<[Record<string, string>, string]>([
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
    ])('%j finds "%s"', async (parameters, expected) => {
      expect(await found(parameters)).toBe(expected);
    });
  });

  describe('the tags filter', () => {
    test.each([
      ['finds a tag', 'café', 'B'],
      ['ignores case', 'support', 'ADH'],
      ['ignores case the other way round', 'SUPPORT', 'ADH'],
      ['ignores case outside ASCII', 'CAFÉ', 'B'],
      ['finds any of two tags', 'onboarding,café', 'ABH'],
      ['finds a testimonial once that has both', 'onboarding,support', 'ADH'],
      ['finds those that have one when the other is unknown', 'nothing,onboarding', 'AH'],
      ['does not ignore accents', 'cafe', ''],
      ['compares whole tags, not beginnings', 'onboard', ''],
      ['finds a tag with a blank inside', 'on boarding', 'E'],
      ['finds a tag in CJK', '製品', 'G'],
      ['finds a tag in decomposed Unicode', 'cafe\u0301', 'B'],
      ['skips blank entries', ', ,support,,', 'ADH'],
      ['trims entries', ' support , café ', 'ABDH'],
      ['with nothing but blank entries is no filter', ' , ,', 'ABCDEFGH'],
      ['finds nothing for an unknown tag', 'nothing', ''],
    ])('%s: "%s" finds "%s"', async (_behaviour, tags, expected) => {
      expect(await found({ tags })).toBe(expected);
    });
  });

  describe('the search', () => {
    test.each([
      ['finds beginnings of words', 'amaz prod', 'AD'],
      ['finds words in any order', 'prod amaz', 'AD'],
      ['finds whole words', 'amazing product', 'A'],
      ['needs every word', 'amazing support', ''],
      ['reads the content and the name of the author', 'amazing', 'AE'],
      ['finds one word in the content and one in the name', 'jane saved', 'A'],
      ['reads the name of the author alone', 'kofi', 'C'],
      ['does not find the inside of a word', 'mazing', ''],
      ['does not find the end of a word', 'duct', ''],
      ['does not read other fields', 'example', ''],
      ['does not read tags', 'onboarding', ''],
      ['ignores case', 'AMAZ', 'ADE'],
      ['ignores accents of the content', 'cafe', 'B'],
      ['ignores accents of the search', 'ámäzing', 'AE'],
      ['ignores accents of both in different forms', 'nai\u0308ve', 'B'],
      ['ignores accents of the name', 'zoe muller', 'B'],
      ['ignores case with accents', 'JÜRGEN', 'H'],
      ['ignores case where it changes the length', 'GROSS', 'H'],
      ['ignores punctuation', '"amazing", (product)!', 'A'],
      ['splits at a hyphen', 'up', 'E'],
      ['finds digits', '202', 'E'],
      ['finds the beginning of a word with an apostrophe', 'don', 'E'],
      ['finds full-width letters', 'full', 'H'],
      ['finds letters for full-width ones', 'ｗｉｄｔｈ', 'H'],
      ['finds a ligature by its letters', 'fine', 'H'],
      ['does not count a repeated word', 'amaz amaz', 'ADE'],
      ['does not count blanks', '  amaz \t prod  ', 'AD'],
      ['finds a Chinese word', '产品', 'F'],
      ['finds two Chinese words that stand apart', '喜欢 产品', 'F'],
      ['finds the beginning of a Chinese word', '非', 'F'],
      ['finds a letter before another and at the end of a run', '品', 'FG'],
      ['finds a Japanese word', '製品', 'G'],
      ['finds a Japanese word by its beginning', '素', 'G'],
      ['finds a part of a run of Japanese', '晴らしい', 'G'],
      ['finds a Japanese name', '花子', 'G'],
      ['does not find a word that is nowhere', 'zebra', ''],
    ])('%s: "%s" finds "%s"', async (_behaviour, search, expected) => {
      expect(await found({ search })).toBe(expected);
    });
  });

  describe('the sort', () => {
    test.each([
      // Creation: A and B, as C and D, are of the same millisecond.
      ['createdAt', 'ABCDEFGH'],
      // Never moderated ones stand by creation; the others moved behind them in order of moderation.
      ['updatedAt', 'BEFGDACH'],
      // Unrated first, and equal ratings in order of creation.
      ['rating', 'CFEBGHAD'],
    ])('%s ascending is %s, and descending its exact reverse', async (sort, ascending) => {
      expect(await found({ sort, order: 'asc' })).toBe(ascending);
      expect(await found({ sort, order: 'desc' })).toBe([...ascending].reverse().join(''));
      expect(await found({ sort, order: '' })).toBe([...ascending].reverse().join(''));
    });

    test.each<[Record<string, string>, string]>([
      [{ sort: 'updatedAt', status: 'approved' }, 'DAH'],
      [{ sort: 'rating', status: 'approved' }, 'HAD'],
      [{ sort: 'rating', status: 'pending' }, 'FEBG'],
      [{ sort: 'rating', type: 'text' }, 'FEAD'],
      [{ sort: 'rating', search: 'amaz' }, 'EAD'],
      [{ sort: 'updatedAt', tags: 'support' }, 'DAH'],
      [{ sort: 'createdAt', tags: 'support' }, 'ADH'],
      [{ sort: 'updatedAt', rating: '3' }, 'BGDAH'],
    ])('with the filter %j is "%s", and descending its exact reverse', async (parameters, ascending) => {
      expect(await found({ ...parameters, order: 'asc' })).toBe(ascending);
      expect(await found({ ...parameters, order: 'desc' })).toBe([...ascending].reverse().join(''));
    });

    test.each(['createdAt', 'updatedAt', 'rating'])(
      'by %s is cut into pages without a gap or an overlap',
      async (sort) => {
        for (const order of ['asc', 'desc']) {
          const pages = [];
          for (const page of ['1', '2', '3']) {
            pages.push(letters(await api.list(escaped({ sort, order, page, limit: '3' }))));
          }
          expect(pages.map(({ length }) => length)).toEqual([3, 3, 2]);
          expect(pages.join('')).toBe(await found({ sort, order }));
        }
      },
    );
  });
});

// Folding takes ザ, ビ and ำ apart and puts them together again.
describe('the search finds parts of scripts without spaces:', () => {
  const japanese = 'デザインとサービスがすばらしい';
  const thai = 'พนักงานทำงานดีมาก';
  let client: ApiClient;
  beforeAll(async () => {
    client = await createApiClient();
    for (const content of [japanese, thai]) await client.create(testimonialBody({ content }));
  });

  test.each([
    ['a Japanese word', 'デザイン', [japanese]],
    ['a Japanese word', 'すばらしい', [japanese]],
    ['the beginning of a Japanese word', 'サービ', [japanese]],
    ['a Thai word', 'พนักงาน', [thai]],
    ['a Thai word', 'มาก', [thai]],
    ['the end of デザイン', 'ザイン', [japanese]],
    ['the end of พนักงาน and of ทำงาน', 'งาน', [thai]],
    ['pairs that are not there', 'デイ', []],
    ['a word whose pairs are not all there', 'サービン', []],
  ])('%s, %s, finds %j', async (_what, search, contents) => {
    const { body } = await client.list(escaped({ search }));
    expect(body.testimonials.map(({ content }: { content: string }) => content)).toEqual(contents);
  });
});

describe('a list', () => {
  test('shows an organization only its own testimonials', async () => {
    const token = await api.issue(['testimonials:read', 'testimonials:write'], 'globex');
    const authorization = `Bearer ${token}`;
    expect((await api.list('', { authorization })).body.testimonials).toEqual([]);
    const created = await api.create(testimonialBody(), { authorization });
    const theirs = await api.list('', { authorization });
    expect(theirs.body.testimonials).toEqual([{ ...created.body, tags: [] }]);
    expect((await api.list()).body.pagination.total).toBe(seeds.length);
  });

  test('shows an organization nothing of one whose name begins the same', async () => {
    const authorization = `Bearer ${await api.issue(['testimonials:read'], 'acme-2')}`;
    expect((await api.list('', { authorization })).body.pagination.total).toBe(0);
  });

  test('has every testimonial whose create was answered, at once', async () => {
    const fresh = await createApiClient();
    for (let total = 1; total <= 5; total += 1) {
      const created = await fresh.create(testimonialBody({ content: `Testimonial number ${total}` }));
      const { body } = await fresh.list('limit=1');
      expect(body.testimonials[0].id).toBe(created.body.id);
      expect(body.pagination.total).toBe(total);
    }
  });
});
