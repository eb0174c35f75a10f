/**
 * A create request as a whole: the errors with 400 and 422, the order of checks, and that a refused request
 * stores nothing.
 */
import assert from 'node:assert/strict';
import { ordinalOf } from '../../../functions/domain/testimonial-id.ts';
import { created, expectEqual, expectStatus, malformed, pendingOf, refused } from './expectations.ts';
import type { Organization } from './organization.ts';
import { type ApiRequest, testimonialBody } from './requests.ts';
import { each, rule, type Suite } from './suite.ts';

const text = JSON.stringify(testimonialBody());
const json = { 'content-type': 'application/json' };

type Sent = Pick<ApiRequest, 'headers' | 'body' | 'bytes' | 'isBase64Encoded'>;

// The same code for both types.
const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes as string).toString('base64');

/** Sends a body unchanged, by default as JSON with the right token. */
const send = (api: Organization, { headers = {}, ...rest }: Sent, token?: string) =>
  api.send({
    method: 'POST',
    headers: { ...json, ...headers },
    ...rest,
    ...(token !== undefined && { token }),
  });

const typesOfJson = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  // RFC 9110, section 5.6.6: optional white space on both sides of the semicolon.
  'application/json ; charset=utf-8',
  'Application/JSON',
  'application/vnd.check+json',
];

const otherTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/jsonp',
];

const refusedBodies: [string, Sent, part: string][] = [
  ...otherTypes.map((type): [string, Sent, string] => [
    `Content-Type ${type}`,
    { headers: { 'content-type': type }, body: text },
    'Content-Type',
  ]),
  ['no body', {}, 'body'],
  ['an empty body', { body: '' }, 'body'],
  ['text that is not JSON', { body: 'content=Amazing' }, 'body'],
  ['JSON that is cut off', { body: text.slice(0, -1) }, 'body'],
  ['JSON followed by another character', { body: `${text}x` }, 'body'],
  ['JSON null', { body: 'null' }, 'body'],
  ['a JSON array', { body: `[${text}]` }, 'body'],
  ['a JSON string', { body: '"Amazing product"' }, 'body'],
  ['a JSON number', { body: '0' }, 'body'],
  ['two byte order marks', { body: `\uFEFF\uFEFF${text}` }, 'body'],
  // API Gateway replaces bytes that are not UTF-8 by U+FFFD.
  ['JSON that is not UTF-8', { body: text.replace('Amazing', 'Ama\ufffding') }, 'body'],
  ['an unknown field that is not UTF-8', { body: text.replace('{', '{"note":"Caf\ufffd",') }, 'body'],
];

const bytesOf = (encoding: 'latin1' | 'utf16le') =>
  Buffer.from(text.replace('Amazing', 'Amazing café'), encoding);

/** Bodies in encodings other than UTF-8. */
const otherEncodings: [string, Sent][] = [
  ['ISO-8859-1', { bytes: bytesOf('latin1') }],
  ['UTF-16', { bytes: bytesOf('utf16le') }],
  [
    'ISO-8859-1 that the gateway encodes',
    { bytes: bytesOf('latin1'), headers: { 'content-type': 'application/vnd.check+json' } },
  ],
];

// API Gateway passes on everything except text as Base64.
const encodedBodies: [string, Sent, part: string][] = [
  ['an empty Content-Type', { headers: { 'content-type': '' }, body: text }, 'Content-Type'],
  ['Base64 of text that is not JSON', { body: base64('Amazing'), isBase64Encoded: true }, 'body'],
  [
    'Base64 of bytes that are not UTF-8',
    { body: base64(Uint8Array.of(0x7b, 0xff, 0x7d)), isBase64Encoded: true },
    'body',
  ],
  [
    'Base64 of an unpaired surrogate in UTF-8',
    { body: base64(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)), isBase64Encoded: true },
    'body',
  ],
];

const author = { name: 'Jane Doe', email: 'jane@example.com', phone: '555', id: 7 };
const past = '2001-01-01T00:00:00.000Z';
const ofTable = { PK: 'ORG#other', SK: 'COUNTER', statusPartition: 'x', ratingSort: '9' };

const unknownFields: [string, body: string][] = [
  ...Object.entries({
    status: { status: 'approved' },
    id: { id: 'test_123456789' },
    createdAt: { createdAt: past },
    updatedAt: { updatedAt: past },
    organizationId: { organizationId: 'other' },
    'keys of the table': ofTable,
    'one inside author': { author },
    'any other': { colour: 'red', nested: { deep: [1] } },
  }).map(([name, unknown]): [string, string] => [name, JSON.stringify(testimonialBody(unknown))]),
  ['__proto__', `{"__proto__":{"rating":3},${text.slice(1)}`],
  ['constructor', `{"constructor":{"prototype":{"rating":3}},${text.slice(1)}`],
];

const tokensOf = {
  nobody: async () => '',
  'a reader': (api: Organization) => api.token('testimonials:read'),
  'a writer': (api: Organization) => api.token('testimonials:write'),
};

const plain = { 'content-type': 'text/plain' };
const withKey = (key: string) => ({ 'idempotency-key': key });

const requests: [name: string, Sent][] = [
  ['a valid body', { body: text }],
  ['an invalid body', { body: '{}' }],
  ['malformed JSON', { body: '{', headers: plain }],
  ['a malformed key', { body: text, headers: withKey('a b') }],
];

const order: [caller: keyof typeof tokensOf, name: string, Sent, status: number][] = [
  ...requests.map(([name, sent]): (typeof order)[number] => ['nobody', name, sent, 401]),
  ...requests.map(([name, sent]): (typeof order)[number] => ['a reader', name, sent, 403]),
  ['a writer', 'a valid body as text', { body: text, headers: plain }, 400],
  ['a writer', 'a valid body with a malformed key', { body: text, headers: withKey('a b') }, 400],
  ['a writer', 'an invalid body as text', { body: '{}', headers: plain }, 400],
  ['a writer', 'an invalid body with a malformed key', { body: '{}', headers: withKey('a b') }, 400],
  ['a writer', 'an array with a key', { body: '[]', headers: withKey('fine') }, 400],
  ['a writer', 'an invalid body with a key', { body: '{}', headers: withKey('fine') }, 422],
];

export const createRequests: Suite = {
  name: 'Create',
  rules: [
    each(
      'a create accepts Content-Type',
      typesOfJson.map((type) => [type] as const),
      async (api, type) =>
        expectStatus(await send(api, { headers: { 'content-type': type }, body: text }), 201),
    ),
    rule('a create accepts white space around the JSON', async (api) =>
      expectStatus(await send(api, { body: `\r\n ${text}\n` }), 201),
    ),
    rule('a create ignores a byte order mark before the JSON', async (api) =>
      expectEqual(
        'the content',
        created(await send(api, { body: `\uFEFF${text}` })).content,
        testimonialBody().content,
      ),
    ),
    rule('a create accepts a header name in any case', async (api) => {
      const authorization = `Bearer ${await api.token('testimonials:write')}`;
      const headers = { AUTHORIZATION: authorization, 'Content-Type': 'application/json' };
      expectStatus(await api.send({ method: 'POST', headers, body: text, token: '' }), 201);
    }),
    each('a create is refused with 400 for', refusedBodies, async (api, _, sent, part) =>
      refused(await send(api, sent), malformed(part)),
    ),
    rule('a create is refused with 400 for a missing Content-Type', async (api) =>
      refused(await api.send({ method: 'POST', body: text }), malformed('Content-Type')),
    ),
    each(
      'a create that the gateway passes on is refused with 400:',
      encodedBodies,
      async (api, _, sent, part) => refused(await send(api, sent), malformed(part)),
      'process',
    ),
    each(
      'a create is refused with 400 for a body in',
      otherEncodings,
      async (api, _, sent) => refused(await send(api, sent), malformed('body')),
      'gateway',
    ),
    each('an unknown field has no effect:', unknownFields, async (api, _, body) => {
      const testimonial = created(await send(api, { body }));
      const { id, createdAt } = testimonial;
      expectEqual('the testimonial', testimonial, pendingOf(testimonial, testimonialBody()));
      assert(id !== 'test_123456789' && createdAt !== past, `${id}, ${createdAt}`);
    }),
    rule(
      'checks come in the order 401, 403, 400, 422, and a refusal stores nothing and uses no ordinal',
      async (api) => {
        const before = await api.created(testimonialBody());
        const total = await api.total();
        for (const tokenOf of Object.values(tokensOf)) await tokenOf(api);
        const items = await api.service.items();
        for (const [caller, name, sent, status] of order) {
          const response = await send(api, sent, await tokensOf[caller](api));
          expectEqual(`the status for ${caller} sending ${name}`, response.status, status);
        }
        expectEqual('the stored items', await api.service.items(), items);
        expectEqual('the total', await api.total(), total);
        const after = await api.created(testimonialBody());
        expectEqual('the next ordinal', ordinalOf(after.id), ordinalOf(before.id) + 1);
      },
    ),
  ],
};
