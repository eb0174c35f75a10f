/** The rules of each field of a create: valid and invalid values at each limit. */
import assert from 'node:assert/strict';
import { firstPosition } from '../../../functions/domain/testimonial-order.ts';
import { expectEqual, invalid, listed, pendingOf, refused } from './expectations.ts';
import { createRequest, type ServiceResponse, testimonialBody } from './requests.ts';
import { each, rule, type Suite } from './suite.ts';

const emoji = '😀';
const composed = '\u00e9';
const decomposed = 'e\u0301';
const author = (overrides: Record<string, unknown>) => ({
  author: { name: 'Jane Doe', email: 'jane@example.com', ...overrides },
});
const tagList = (count: number) => Array.from({ length: count }, (_, index) => `tag ${index}`);
const label = (length: number) => 'd'.repeat(length);
/** Returns an address of 193 to 255 characters whose parts are within their own limits. */
const address = (length: number) =>
  `${label(63)}@${label(63)}.${label(63)}.${label(length - 63 - 1 - 64 - 64 - 4)}.com`;

type Fields = Record<string, unknown>;

/** Fields that the response contains as they were sent. */
const kept: [rule: string, sent: Fields][] = [
  ['content of 10 characters', { content: 'a'.repeat(10) }],
  ['content of 10,000 characters', { content: 'a'.repeat(10_000) }],
  ['content of 10 emoji', { content: emoji.repeat(10) }],
  ['content of 10,000 emoji', { content: emoji.repeat(10_000) }],
  ['no rating and no tags', {}],
  ['an empty list of tags', { tags: [] }],
  ['author.name of 1 character', author({ name: 'J' })],
  ['author.name of 200 characters', author({ name: 'n'.repeat(200) })],
  ['author.name of 200 emoji', author({ name: emoji.repeat(200) })],
  ['author.company of 1 character', author({ company: 'C' })],
  ['author.company of 200 characters', author({ company: 'c'.repeat(200) })],
  ['author.email of 254 characters', author({ email: address(254) })],
  [
    'author.email with a tag, an apostrophe and subdomains',
    author({ email: "j.o'hara+news@mail.example-site.co.uk" }),
  ],
  ['author.email with a local part of 64', author({ email: `${label(64)}@example.com` })],
  ['author.email in the case it was given', author({ email: 'Jane@x.Org' })],
  ...[1, 2, 3, 4, 5].map((rating): [string, Fields] => [`rating ${rating}`, { rating }]),
  ...['text', 'video', 'audio'].map((type): [string, Fields] => [`type ${type}`, { type }]),
  ['20 tags', { tags: tagList(20) }],
  ['20 tags of 50 characters', { tags: tagList(20).map((tag) => tag.padEnd(50, 't')) }],
  ['a tag of 1 character', { tags: ['t'] }],
  ['a tag of 50 emoji', { tags: [emoji.repeat(50)] }],
  ['a tag in the case it was given', { tags: ['OnBoarding'] }],
  ['author.email with a domain in Unicode', author({ email: 'jane@bücher.de' })],
  ['author.email with a domain in ASCII', author({ email: 'jane@xn--bcher-kva.de' })],
  ['content with soft hyphens and joiners', { content: 'Ge\u00adsamt\u00adkonzept 👩‍💻 نمی‌خواهم' }],
  ['author.name with joiners', author({ name: '👩‍👩‍👧‍👦\u200e' })],
  ['content of 10 characters with invisible ones', { content: `a\u200b${'a'.repeat(9)}\u3164` }],
  ['content of 10,000 characters with an invisible one', { content: `a\u200b${'a'.repeat(9999)}` }],
];

const changed: [rule: string, sent: Fields, answered: Fields][] = [
  ['content trimmed', { content: ` \n\t${'a'.repeat(10)}\t\n ` }, { content: 'a'.repeat(10) }],
  [
    'content of 10,000 characters between blanks',
    { content: `  ${'a'.repeat(10_000)}  ` },
    { content: 'a'.repeat(10_000) },
  ],
  ['content in Unicode NFC', { content: decomposed.repeat(10) }, { content: composed.repeat(10) }],
  ['author.name trimmed and in Unicode NFC', author({ name: ` Zoe\u0308 ` }), author({ name: 'Zo\u00eb' })],
  [
    'author.company trimmed and in Unicode NFC',
    author({ company: `\tCafe\u0301\n` }),
    author({ company: 'Caf\u00e9' }),
  ],
  ['author.email trimmed', author({ email: ' jane@example.com ' }), author({ email: 'jane@example.com' })],
  ['a tag trimmed and in Unicode NFC', { tags: [` ${decomposed} `] }, { tags: [composed] }],
  ['repeated tags once, in their order', { tags: ['b', 'a', 'b', 'a'] }, { tags: ['b', 'a'] }],
  ['tags once that are the same after trimming', { tags: ['a', ' a '] }, { tags: ['a'] }],
  [
    'author.email in Unicode NFC',
    author({ email: 'jane@bu\u0308cher.de' }),
    author({ email: 'jane@bücher.de' }),
  ],
  [
    'author.email without invisible characters',
    author({ email: '\u202ajane\u200b@exam\u00adple.com\u2060' }),
    author({ email: 'jane@example.com' }),
  ],
  [
    'a tag without invisible characters',
    { tags: ['\ufeffsup\u200bport\u3164\u2800'] },
    { tags: ['support'] },
  ],
  ['tags once that look the same', { tags: ['a', 'a\u200b', '\u00ada', 'a\ufe0f'] }, { tags: ['a'] }],
  ['tags once that are the same in Unicode NFC', { tags: [composed, decomposed] }, { tags: [composed] }],
];

const refusedFields: [problem: string, sent: Fields, field: string][] = [
  ['content missing', { content: undefined }, 'content'],
  ['content null', { content: null }, 'content'],
  ['content that is no string', { content: 1_234_567_890 }, 'content'],
  ['content that is an array', { content: ['long enough text'] }, 'content'],
  ['content of 9 characters', { content: 'a'.repeat(9) }, 'content'],
  ['content of 9 emoji, 18 UTF-16 units', { content: emoji.repeat(9) }, 'content'],
  ['content of 9 characters between blanks', { content: ` ${'a'.repeat(9)}\n ` }, 'content'],
  ['content of blanks', { content: ' '.repeat(20) }, 'content'],
  ['content of 12 zero-width spaces', { content: '\u200b'.repeat(12) }, 'content'],
  ['content of 12 Hangul fillers', { content: '\u3164'.repeat(12) }, 'content'],
  ['content of 12 blank Braille patterns', { content: '\u2800'.repeat(12) }, 'content'],
  ['content of 9 characters and invisible ones', { content: `${'a\u00ad'.repeat(9)}\u200b` }, 'content'],
  ['content of 10,001 characters', { content: 'a'.repeat(10_001) }, 'content'],
  ['author missing', { author: undefined }, 'author'],
  ['author null', { author: null }, 'author'],
  ['author that is a string', { author: 'Jane Doe' }, 'author'],
  ['author that is a number', { author: 7 }, 'author'],
  ['author that is an array', { author: ['Jane Doe', 'jane@example.com'] }, 'author'],
  ['author.name missing', author({ name: undefined }), 'author.name'],
  ['author.name null', author({ name: null }), 'author.name'],
  ['author.name that is no string', author({ name: 7 }), 'author.name'],
  ['author.name empty', author({ name: '' }), 'author.name'],
  ['author.name of blanks', author({ name: ' \t ' }), 'author.name'],
  ...['\u200b', '\u3164', '\uffa0', '\u2800', '\u00ad \u2060', '\u{e0061}'].map(
    (name): [string, Fields, string] => [
      `author.name of ${Array.from(name, (each) => `U+${each.codePointAt(0)?.toString(16)}`).join(' ')}`,
      author({ name }),
      'author.name',
    ],
  ),
  ['author.name of 201 characters', author({ name: 'n'.repeat(201) }), 'author.name'],
  ...(
    [
      ['missing', undefined],
      ['null', null],
      ['that is no string', 7],
      ['empty', ''],
      ['of 255 characters', address(255)],
      ['without @', 'jane.example.com'],
      ['with two @', 'jane@doe@example.com'],
      ['without a local part', '@example.com'],
      ['without a domain', 'jane@'],
      ['with a blank inside', 'jane doe@example.com'],
      ['without a top-level domain', 'jane@example'],
      ['with a hyphen behind @', 'jane@-example.com'],
      ['with a newline inside', 'jane@example.com\nx@y.org'],
      ['with a display name', 'Jane <jane@example.com>'],
      ['with two dots in the local part', 'j..d@example.com'],
      ['with a leading dot', '.jane@example.com'],
      ['with a trailing dot', 'jane.@example.com'],
      ['with a local part of 65', `${label(65)}@example.com`],
      ['with a domain label of 64', `j@${label(64)}.com`],
      ['with a hyphen before a dot', 'jane@example-.com'],
      ['with an empty domain label', 'jane@example..com'],
      ['with a domain of four numbers', 'jane@999.999.999.999'],
      ['with a domain of two numbers', 'jane@1.1'],
      ['with a number as the last part', 'jane@example.123'],
      ['with a domain in Unicode without a dot', 'jane@bücher'],
      ['with a hyphen behind @ in Unicode', 'jane@-bücher.de'],
      ['with a local part in Unicode', 'jäne@example.com'],
      ['of invisible characters', '\u200b'],
    ] as const
  ).map(([what, email]): [string, Fields, string] => [
    `author.email ${what}`,
    author({ email }),
    'author.email',
  ]),
  ['author.company null', author({ company: null }), 'author.company'],
  ['author.company that is no string', author({ company: {} }), 'author.company'],
  ['author.company empty', author({ company: '' }), 'author.company'],
  ['author.company of blanks', author({ company: '   ' }), 'author.company'],
  ['author.company of invisible characters', author({ company: '\u200b\u3164' }), 'author.company'],
  ['author.company of 201 characters', author({ company: 'c'.repeat(201) }), 'author.company'],
  ...[0, 6, -1, 4.5, 5.0000001, 0.9999999, '5', null, true].map((rating): [string, Fields, string] => [
    `rating ${JSON.stringify(rating)}`,
    { rating },
    'rating',
  ]),
  ['type missing', { type: undefined }, 'type'],
  ['type null', { type: null }, 'type'],
  ['type unknown', { type: 'image' }, 'type'],
  ['type empty', { type: '' }, 'type'],
  ['type in upper case', { type: 'Text' }, 'type'],
  ['type that only a list accepts', { type: 'all' }, 'type'],
  ['tags null', { tags: null }, 'tags'],
  ['tags as a string', { tags: 'a,b' }, 'tags'],
  ['tags as an object', { tags: { 0: 'a' } }, 'tags'],
  ['21 tags', { tags: tagList(21) }, 'tags'],
  ['a tag that is no string', { tags: ['a', 7] }, 'tags.1'],
  ['a tag null', { tags: [null] }, 'tags.0'],
  ['a tag empty', { tags: ['a', 'b', ''] }, 'tags.2'],
  ['a tag of blanks', { tags: [' '] }, 'tags.0'],
  ['a tag of invisible characters', { tags: ['a', '\u200b \u2800'] }, 'tags.1'],
  ['a tag of 51 characters', { tags: ['t'.repeat(51)] }, 'tags.0'],
  ['a tag with a comma inside', { tags: ['a,b'] }, 'tags.0'],
];

const places: [field: string, put: (text: string) => Fields][] = [
  ['content', (text) => ({ content: `long enough ${text} text` })],
  ['author.name', (text) => author({ name: `Jane${text}Doe` })],
  ['author.company', (text) => author({ company: `Ac${text}me` })],
  ['tags.0', (text) => ({ tags: [`on${text}boarding`] })],
];

const everyFieldWrong = {
  content: 'short',
  author: { name: '', email: 'jane', company: '' },
  rating: 6,
  type: 'image',
  tags: ['fine', '', 'a,b', 7],
};

/** Returns a recently created testimonial from a list. */
function shownIn(list: ServiceResponse, id: string) {
  return listed(list).testimonials.find((each) => each.id === id);
}

// Enough, because only a few concurrent creates come between a create and its list.
const recent = 'limit=25';

export const createFields: Suite = {
  name: 'Fields of a create',
  rules: [
    each<[Fields, Fields?]>(
      'a create stores and returns',
      [...kept, ...changed],
      async (api, _, sent, answered = sent) => {
        const testimonial = await api.created(testimonialBody(sent));
        expectEqual('the testimonial', testimonial, pendingOf(testimonial, testimonialBody(answered)));
        expectEqual('the list', shownIn(await api.list(recent), testimonial.id), {
          tags: [],
          ...testimonial,
        });
      },
    ),
    each(
      'a create is refused with 422 that names the field, for',
      refusedFields,
      async (api, _, sent, field) => refused(await api.create(testimonialBody(sent)), invalid(field)),
    ),
    each('a create refuses a control character in', places, async (api, field, put) =>
      refused(await api.create(testimonialBody(put('\u001b'))), invalid(field)),
    ),
    each('a create refuses the sign of a wrong encoding, escaped in', places, async (api, field, put) => {
      const { body = '', ...request } = createRequest(testimonialBody(put('\ufffd')));
      refused(await api.send({ ...request, body: body.replace('\ufffd', '\\ufffd') }), invalid(field));
    }),
    each(
      'a create keeps newlines (in Unix form), tabs, other spaces and, but for tags, joiners in',
      places,
      async (api, field, put) => {
        const testimonial = await api.created(testimonialBody(put('\r\n\t\u00a0\u200d')));
        const kept = field === 'tags.0' ? '\n\t\u00a0' : '\n\t\u00a0\u200d';
        expectEqual('the testimonial', testimonial, pendingOf(testimonial, testimonialBody(put(kept))));
      },
    ),
    each<[unknown, string[]]>(
      'a create reports all failing fields at once',
      [
        ['when everything that is required is missing', {}, ['author', 'content', 'type']],
        [
          'when every field is wrong',
          everyFieldWrong,
          [
            'author.company',
            'author.email',
            'author.name',
            'content',
            'rating',
            'tags.1',
            'tags.2',
            'tags.3',
            'type',
          ],
        ],
      ],
      async (api, _, body, fields) => refused(await api.create(body), invalid(...fields)),
    ),
    rule(
      'an id is test_, 12 random digits that do not begin with 0, and the ordinal in its organization',
      async ({ service }) => {
        const api = await service.begin();
        const random = new Set<string>();
        for (let i = 0; i < 12; i += 1) {
          const { id } = await api.created();
          assert(new RegExp(`^test_[1-9]\\d{11}${firstPosition + i}$`).test(id), `${id} after ${i} others`);
          random.add(id.slice(0, 17));
        }
        expectEqual('different random digits', random.size, 12);
      },
    ),
    rule(
      'createdAt is the time of the create, in ISO 8601 with UTC, milliseconds and Z',
      async ({ service }) => {
        const api = await service.begin();
        const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
        const { createdAt } = await api.created();
        assert(form.test(createdAt), createdAt);
        if (!service.driver.process) return;
        for (const time of ['2030-05-06T07:08:09.012Z', '2030-05-06T07:08:10.000Z']) {
          expectEqual('createdAt', (await service.at(Date.parse(time), () => api.created())).createdAt, time);
        }
      },
    ),
  ],
};
