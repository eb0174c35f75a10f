/** The schemas of the document, as generators of clients and validators read them. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { idempotencyKey } from '../../../functions/create-testimonial/handler.ts';
import { testimonialInput } from '../../../functions/domain/testimonial.ts';
import { parameters } from '../../../functions/list-testimonials/parameters.ts';
import { changeRequest } from '../../../functions/moderate-testimonials/change-request.ts';
import { operationOf, problems } from '../../../lib/check/contract/documented.ts';
import { openApiDocument } from '../../../lib/openapi/document.ts';
import { runsOf } from '../../some-of.ts';

const document = openApiDocument('1.0.0');
const { schemas } = document.components;

/** Returns all values of a key in a part of the document. */
function valuesOf(key: string, part: unknown): unknown[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesOf(key, value),
  ]);
}

test('no name of a schema is a global of JavaScript', () => {
  expect(Object.keys(schemas).filter((name) => name in globalThis)).toEqual([]);
});

test('no reference has keywords beside it, which many programs ignore', () => {
  const beside = (part: unknown): unknown[] => {
    if (typeof part !== 'object' || part === null) return [];
    const own = '$ref' in part && Object.keys(part).length > 1 ? [part] : [];
    return [...own, ...Object.values(part).flatMap(beside)];
  };
  expect(beside(document)).toEqual([]);
});

test('no schema allows nothing, has an empty list of required fields, or an alternative without fields', () => {
  expect(valuesOf('not', document)).toEqual([]);
  expect(valuesOf('required', document).filter((each) => Array.isArray(each) && each.length === 0)).toEqual(
    [],
  );
  const alternatives = valuesOf('anyOf', document).flatMap((each) => Object.values(Object(each)));
  expect(alternatives.filter((each) => !('$ref' in Object(each) || 'properties' in Object(each)))).toEqual(
    [],
  );
});

const change = { $ref: '#/components/schemas/TestimonialChange' };

test.each([
  [{ status: 'approved' }],
  [{ addTags: ['ux'] }],
  [{ removeTags: ['ux'], ifUpdatedAt: '2026-01-15T10:30:00+02:00' }],
  [{ status: 'rejected', addTags: ['a'], removeTags: ['b'] }],
  [{}],
  [{ ifUpdatedAt: '2026-01-15T10:30:00Z' }],
  [{ status: 'archived' }],
  [{ addTags: ['a,b'] }],
  [{ addTags: 'a' }],
])('the schema of a change agrees with the API about %j', (body) => {
  expect(problems(change, body, 'open').length === 0).toBe(v.is(changeRequest, body));
});

test.each(['id', 'content', 'author', 'rating', 'type', 'tags', 'createdAt', 'updatedAt'])(
  'a change has no field %s, which the API refuses',
  (name) => {
    const body = { status: 'approved', [name]: 'x' };
    expect(v.is(changeRequest, body)).toBe(false);
    expect(problems(change, body, 'open')).toEqual([]);
    expect(problems(change, body, 'closed')).not.toEqual([]);
  },
);

const responses = Object.values(document.paths)
  .flatMap((operations) => Object.values(operations))
  .map((operation) => Object(operation).responses);

test('responses promise no rule of texts, which older texts may break, and no closed set of error codes', () => {
  const shown = ['Testimonial', 'ListedTestimonial', 'Author', 'PublishedTestimonial', 'PublishedAuthor'];
  const parts = [responses, ...shown.map((name) => schemas[name]), schemas.ErrorBody];
  for (const key of ['minLength', 'maxLength']) expect(valuesOf(key, parts)).toEqual([]);
  expect(new Set(valuesOf('format', parts))).toEqual(new Set(['date-time']));
  expect(new Set(valuesOf('pattern', parts))).toEqual(new Set(['^test_\\d+$', '^pub_[0-9A-Za-z]{20}$']));
  const error = { code: 'too_early', message: 'Later.', requestId: '1' };
  expect(problems({ $ref: '#/components/schemas/ErrorBody' }, { error }, 'closed')).toEqual([]);
});

const body = { content: 'Amazing product', author: { name: 'Jo', email: 'jo@example.com' }, type: 'text' };

/** The places of a text in a request, and whether the schema and the API accept it there. */
const places: Record<string, (text: string) => { schema: boolean; api: boolean }> = {
  content: (text) => created({ ...body, content: text }),
  name: (text) => created({ ...body, author: { ...body.author, name: text } }),
  company: (text) => created({ ...body, author: { ...body.author, company: text } }),
  tag: (text) => created({ ...body, tags: [text] }),
  search: (text) => ({
    schema: problems(schemaOfSearch, text, 'open').length === 0,
    api: text === '' || v.is(parameters.search.schema, text),
  }),
};

function created(sent: unknown) {
  const schema = { $ref: '#/components/schemas/TestimonialInput' };
  return { schema: problems(schema, sent, 'open').length === 0, api: v.is(testimonialInput, sent) };
}

function schemaOfParameter(routeKey: string, parameter: string) {
  return operationOf(routeKey)?.parameters?.find(({ name }) => name === parameter)?.schema ?? {};
}

const schemaOfSearch = schemaOfParameter('GET /v1/testimonials', 'search');
const schemaOfKey = schemaOfParameter('POST /v1/testimonials', 'Idempotency-Key');

const invisible = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter((each) =>
  /[\p{Default_Ignorable_Code_Point}\u2800]/u.test(each),
);

test.each(Object.entries(places))(
  '%s: the schema refuses texts of each invisible character up to U+FFFF',
  (_, at) => {
    const basic = invisible.filter((each) => each.length === 1);
    expect(basic.length).toBeGreaterThan(60);
    const accepted = basic.filter((each) => at(each.repeat(12)).schema || at(` ${each}\n`.repeat(6)).schema);
    expect(accepted.map(escape)).toEqual([]);
    expect(invisible.filter((each) => at(each.repeat(12)).api).map(escape)).toEqual([]);
  },
);

test.each([
  ...['content', 'name', 'company', 'tag'].flatMap((place): [string, string, boolean][] => [
    [place, 'Amazing\u0000 product', false],
    [place, 'Amazing\u001b product', false],
    [place, 'Amazing\u0085 product', false],
    [place, 'Amaz\ufffdng product', false],
    [place, '\u000b\u000cAmazing\r\nproduct\t', true],
  ]),
  // Eight characters, which NFC makes ten.
  ['content', '\u0e44      \u{1D160}', false],
  ['tag', 'a,b', false],
  ['tag', ',', false],
  ['tag', 'node.js', true],
  ['search', '!', false],
  ['search', '_', false],
  ['search', '?!… —', false],
  ['search', '   ', false],
  ['search', '', true],
  ['search', '™', true],
  ['search', 'a', true],
  ['search', '7', true],
  ['search', '品', true],
])('%s: the schema and the API agree about “%s”', (place, text, isValid) => {
  expect(places[place]?.(text)).toEqual({ schema: isValid, api: isValid });
});

test.each([
  'a',
  '5f2c1a7e-0f43',
  '"quoted"',
  '!~',
  'two words',
  'é',
  '\n',
  '',
  'x'.repeat(255),
  'x'.repeat(256),
])('Idempotency-Key: the schema and the API agree about “%s”', (key) => {
  expect(problems(schemaOfKey, key, 'open').length === 0).toBe(v.is(idempotencyKey, key));
});

test('the schema refuses no text that the API accepts', () => {
  const unit = fc.oneof(
    fc.constantFrom(
      ...' \n\t\r\v\f,._!?-[]^\\`~aZ9é\0\u001b\u0085',
      '\u00a0',
      '™',
      '品',
      'ไ',
      '😀',
      '\u0301',
    ),
    fc.constantFrom(...invisible),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(places)),
      fc.string({ unit, maxLength: 30 }),
      (place, text) => {
        const { schema, api } = places[place]?.(text) ?? {};
        if (api) expect({ text, schema }).toEqual({ text, schema: true });
      },
    ),
    { numRuns: runsOf(600) },
  );
});

const patterns = [...new Set(valuesOf('pattern', document).map(String))];

test.each(patterns)(
  'the pattern means the same without the flag u, and against the whole text: %s',
  (pattern) => {
    expect(pattern).not.toMatch(/\\p\{|\(\?<|\\u\{/);
    const [unicode, plain, whole] = [
      new RegExp(pattern, 'u'),
      new RegExp(pattern),
      new RegExp(`^(?:${pattern})$`),
    ];
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom(...invisible, ...' \n,!_a1品😀') }),
      fc.constantFrom('test_12', 'pub_1aB2cD3eF4gH5iJ6kL7m'),
    );
    fc.assert(
      fc.property(text, (each) => {
        expect([plain.test(each), whole.test(each)]).toEqual([unicode.test(each), unicode.test(each)]);
      }),
      { numRuns: 500 },
    );
  },
);
