/** The rules of each field of a create request: what is just inside them, and what is just outside. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { invalid, refusalOf } from './refusal.ts';

let api: ApiClient;
beforeAll(async () => {
  api = await createApiClient();
});

const emoji = '😀';
const composed = '\u00e9';
const decomposed = 'e\u0301';
const author = (overrides: Record<string, unknown>) => ({
  author: { name: 'Jane Doe', email: 'jane@example.com', ...overrides },
});
const tagList = (count: number) => Array.from({ length: count }, (_, index) => `tag ${index}`);
const label = (length: number) => 'd'.repeat(length);
/** A valid address of `length` characters, from 193 to 255: each of its parts within its own limit. */
const address = (length: number) =>
  `${label(63)}@${label(63)}.${label(63)}.${label(length - 63 - 1 - 64 - 64 - 4)}.com`;

type Fields = Record<string, unknown>;

describe('a create stores and answers', () => {
  test.each<[rule: string, sent: Fields, answered: Fields]>([
    ['content of 10 characters', { content: 'a'.repeat(10) }, { content: 'a'.repeat(10) }],
    ['content of 10,000 characters', { content: 'a'.repeat(10_000) }, { content: 'a'.repeat(10_000) }],
    ['content of 10 emoji', { content: emoji.repeat(10) }, { content: emoji.repeat(10) }],
    ['content of 10,000 emoji', { content: emoji.repeat(10_000) }, { content: emoji.repeat(10_000) }],
    ['content trimmed', { content: ` \n\t${'a'.repeat(10)}\t\n ` }, { content: 'a'.repeat(10) }],
    [
      'content of 10,000 characters between blanks',
      { content: `  ${'a'.repeat(10_000)}  ` },
      { content: 'a'.repeat(10_000) },
    ],
    ['newline and tab inside content', { content: 'first\n\tsecond' }, { content: 'first\n\tsecond' }],
    ['content in Unicode NFC', { content: decomposed.repeat(10) }, { content: composed.repeat(10) }],
    ['author.name of 1 character', author({ name: 'J' }), author({ name: 'J' })],
    ['author.name of 200 characters', author({ name: 'n'.repeat(200) }), author({ name: 'n'.repeat(200) })],
    ['author.name of 200 emoji', author({ name: emoji.repeat(200) }), author({ name: emoji.repeat(200) })],
    ['author.name trimmed and in Unicode NFC', author({ name: ` Zoe\u0308 ` }), author({ name: 'Zo\u00eb' })],
    ['author.company of 1 character', author({ company: 'C' }), author({ company: 'C' })],
    [
      'author.company of 200 characters',
      author({ company: 'c'.repeat(200) }),
      author({ company: 'c'.repeat(200) }),
    ],
    [
      'author.company trimmed and in Unicode NFC',
      author({ company: `\tCafe\u0301\n` }),
      author({ company: 'Caf\u00e9' }),
    ],
    ['author.email of 254 characters', author({ email: address(254) }), author({ email: address(254) })],
    ['author.email trimmed', author({ email: ' jane@example.com ' }), author({ email: 'jane@example.com' })],
    [
      'author.email with a tag, an apostrophe and subdomains',
      author({ email: "j.o'hara+news@mail.example-site.co.uk" }),
      author({ email: "j.o'hara+news@mail.example-site.co.uk" }),
    ],
    [
      'author.email in the case it was given',
      author({ email: 'Jane@x.Org' }),
      author({ email: 'Jane@x.Org' }),
    ],
    ['rating 1', { rating: 1 }, { rating: 1 }],
    ['rating 2', { rating: 2 }, { rating: 2 }],
    ['rating 3', { rating: 3 }, { rating: 3 }],
    ['rating 4', { rating: 4 }, { rating: 4 }],
    ['rating 5', { rating: 5 }, { rating: 5 }],
    ['type text', { type: 'text' }, { type: 'text' }],
    ['type video', { type: 'video' }, { type: 'video' }],
    ['type audio', { type: 'audio' }, { type: 'audio' }],
    ['20 tags', { tags: tagList(20) }, { tags: tagList(20) }],
    ['a tag of 1 character', { tags: ['t'] }, { tags: ['t'] }],
    ['a tag of 50 characters', { tags: ['t'.repeat(50)] }, { tags: ['t'.repeat(50)] }],
    ['a tag of 50 emoji', { tags: [emoji.repeat(50)] }, { tags: [emoji.repeat(50)] }],
    ['a tag trimmed and in Unicode NFC', { tags: [` ${decomposed} `] }, { tags: [composed] }],
    ['a tag in the case it was given', { tags: ['OnBoarding'] }, { tags: ['OnBoarding'] }],
    ['repeated tags once, in their order', { tags: ['b', 'a', 'b', 'a'] }, { tags: ['b', 'a'] }],
    ['tags once that are the same after trimming', { tags: ['a', ' a '] }, { tags: ['a'] }],
    ['tags once that are the same in Unicode NFC', { tags: [composed, decomposed] }, { tags: [composed] }],
  ])('%s', async (_rule, sent, answered) => {
    const created = await api.create(testimonialBody(sent));
    expect(created).toMatchObject({ status: 201, body: testimonialBody(answered) });
    const listed = await api.list('limit=1');
    expect(listed.body.testimonials).toEqual([{ ...created.body, tags: created.body.tags ?? [] }]);
  });
});

describe('a create is refused with 422 and names the field for', () => {
  test.each<[problem: string, sent: Fields, field: string]>([
    ['content missing', { content: undefined }, 'content'],
    ['content null', { content: null }, 'content'],
    ['content that is no string', { content: 1_234_567_890 }, 'content'],
    ['content that is an array', { content: ['long enough text'] }, 'content'],
    ['content of 9 characters', { content: 'a'.repeat(9) }, 'content'],
    ['content of 9 emoji, 18 UTF-16 units', { content: emoji.repeat(9) }, 'content'],
    ['content of 9 characters between blanks', { content: ` ${'a'.repeat(9)}\n ` }, 'content'],
    ['content of blanks', { content: ' '.repeat(20) }, 'content'],
    ['content of 10,001 characters', { content: 'a'.repeat(10_001) }, 'content'],
    ['author missing', { author: undefined }, 'author'],
    ['author null', { author: null }, 'author'],
    ['author that is a string', { author: 'Jane Doe' }, 'author'],
    ['author that is an array', { author: ['Jane Doe', 'jane@example.com'] }, 'author'],
    ['author.name missing', author({ name: undefined }), 'author.name'],
    ['author.name null', author({ name: null }), 'author.name'],
    ['author.name that is no string', author({ name: 7 }), 'author.name'],
    ['author.name empty', author({ name: '' }), 'author.name'],
    ['author.name of blanks', author({ name: ' \t ' }), 'author.name'],
    ['author.name of 201 characters', author({ name: 'n'.repeat(201) }), 'author.name'],
    ['author.email missing', author({ email: undefined }), 'author.email'],
    ['author.email null', author({ email: null }), 'author.email'],
    ['author.email that is no string', author({ email: 7 }), 'author.email'],
    ['author.email empty', author({ email: '' }), 'author.email'],
    ['author.email of 255 characters', author({ email: address(255) }), 'author.email'],
    ['author.email without @', author({ email: 'jane.example.com' }), 'author.email'],
    ['author.email with two @', author({ email: 'jane@doe@example.com' }), 'author.email'],
    ['author.email without a local part', author({ email: '@example.com' }), 'author.email'],
    ['author.email without a domain', author({ email: 'jane@' }), 'author.email'],
    ['author.email with a blank inside', author({ email: 'jane doe@example.com' }), 'author.email'],
    ['author.email with a newline inside', author({ email: 'jane@example.com\nx@y.org' }), 'author.email'],
    ['author.email with a display name', author({ email: 'Jane <jane@example.com>' }), 'author.email'],
    ['author.email with two dots in the local part', author({ email: 'j..d@example.com' }), 'author.email'],
    ['author.email with a leading dot', author({ email: '.jane@example.com' }), 'author.email'],
    ['author.email with a trailing dot', author({ email: 'jane.@example.com' }), 'author.email'],
    ['author.email with a local part of 65', author({ email: `${label(65)}@example.com` }), 'author.email'],
    ['author.email with a domain label of 64', author({ email: `j@${label(64)}.com` }), 'author.email'],
    ['author.email with a hyphen before a dot', author({ email: 'jane@example-.com' }), 'author.email'],
    ['author.email with an empty domain label', author({ email: 'jane@example..com' }), 'author.email'],
    ['author.company null', author({ company: null }), 'author.company'],
    ['author.company that is no string', author({ company: {} }), 'author.company'],
    ['author.company empty', author({ company: '' }), 'author.company'],
    ['author.company of blanks', author({ company: '   ' }), 'author.company'],
    ['author.company of 201 characters', author({ company: 'c'.repeat(201) }), 'author.company'],
    ['rating 0', { rating: 0 }, 'rating'],
    ['rating 6', { rating: 6 }, 'rating'],
    ['rating -1', { rating: -1 }, 'rating'],
    ['rating 4.5', { rating: 4.5 }, 'rating'],
    ['rating 5.0000001', { rating: 5.0000001 }, 'rating'],
    ['rating 0.9999999', { rating: 0.9999999 }, 'rating'],
    ['rating as a string', { rating: '5' }, 'rating'],
    ['rating null', { rating: null }, 'rating'],
    ['rating true', { rating: true }, 'rating'],
    ['type missing', { type: undefined }, 'type'],
    ['type null', { type: null }, 'type'],
    ['type unknown', { type: 'image' }, 'type'],
    ['type empty', { type: '' }, 'type'],
    ['type in upper case', { type: 'Text' }, 'type'],
    ['type that the list alone knows', { type: 'all' }, 'type'],
    ['tags null', { tags: null }, 'tags'],
    ['tags as a string', { tags: 'a,b' }, 'tags'],
    ['tags as an object', { tags: { 0: 'a' } }, 'tags'],
    ['21 tags', { tags: tagList(21) }, 'tags'],
    ['a tag that is no string', { tags: ['a', 7] }, 'tags.1'],
    ['a tag null', { tags: [null] }, 'tags.0'],
    ['a tag empty', { tags: ['a', 'b', ''] }, 'tags.2'],
    ['a tag of blanks', { tags: [' '] }, 'tags.0'],
    ['a tag of 51 characters', { tags: ['t'.repeat(51)] }, 'tags.0'],
    ['a tag with a comma inside', { tags: ['a,b'] }, 'tags.0'],
  ])('%s', async (_problem, sent, field) => {
    const answer = await api.create(testimonialBody(sent));
    expect(refusalOf(answer)).toEqual(invalid(field));
    expect(answer.body.error.details[field]).toEqual(expect.stringMatching(/\w/));
  });
});

const places: [field: string, put: (text: string) => Fields][] = [
  ['content', (text) => ({ content: `long enough ${text} text` })],
  ['author.name', (text) => author({ name: `Jane${text}Doe` })],
  ['author.company', (text) => author({ company: `Ac${text}me` })],
  ['tags.0', (text) => ({ tags: [`on${text}boarding`] })],
];

describe.each(places)('%s', (field, put) => {
  test.each([
    ['NUL', '\u0000'],
    ['backspace', '\b'],
    ['vertical tab', '\v'],
    ['escape', '\u001b'],
    ['delete', '\u007f'],
    ['the C1 control U+0085', '\u0085'],
    ['the C1 control U+009F', '\u009f'],
  ])('refuses the control character %s', async (_name, character) => {
    expect(refusalOf(await api.create(testimonialBody(put(character))))).toEqual(invalid(field));
  });

  test.each([
    ['newline', '\n'],
    ['tab', '\t'],
    ['no-break space', '\u00a0'],
    ['zero-width joiner', '\u200d'],
  ])('keeps %s', async (_name, character) => {
    const created = await api.create(testimonialBody(put(character)));
    expect(created).toMatchObject({ status: 201, body: put(character) });
  });

  test.each([
    ['of Windows', '\r\n'],
    ['of old Macs', '\r'],
  ])('stores the line ends %s as newlines', async (_name, lineEnd) => {
    const created = await api.create(testimonialBody(put(lineEnd)));
    expect(created).toMatchObject({ status: 201, body: put('\n') });
  });
});

describe('all failing fields are reported at once', () => {
  test('when everything that is required is missing', async () => {
    expect(refusalOf(await api.create({}))).toEqual(invalid('author', 'content', 'type'));
  });

  test('when the author is empty', async () => {
    const answer = await api.create(testimonialBody({ author: {} }));
    expect(refusalOf(answer)).toEqual(invalid('author.email', 'author.name'));
  });

  test('when every field is wrong', async () => {
    const answer = await api.create({
      content: 'short',
      author: { name: '', email: 'jane', company: '' },
      rating: 6,
      type: 'image',
      tags: ['fine', '', 'a,b', 7],
    });
    expect(refusalOf(answer)).toEqual(
      invalid(
        'author.company',
        'author.email',
        'author.name',
        'content',
        'rating',
        'tags.1',
        'tags.2',
        'tags.3',
        'type',
      ),
    );
  });

  test('and none that is right', async () => {
    const answer = await api.create(testimonialBody({ content: 'short', rating: 5, type: 'image' }));
    expect(refusalOf(answer)).toEqual(invalid('content', 'type'));
  });
});
