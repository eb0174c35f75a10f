/** A create request as a whole: what is a 400 and what a 422, which check comes first, what a refusal leaves. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Answer,
  type ApiClient,
  createApiClient,
  jsonHeaders,
  testimonialBody,
} from '../../api-client.ts';
import { malformed, refusalOf } from './refusal.ts';
import { storedItems } from './stored-items.ts';

const route = 'POST /v1/testimonials';
const text = JSON.stringify(testimonialBody());

let api: ApiClient;
let readOnly: string;
beforeAll(async () => {
  api = await createApiClient();
  readOnly = await api.issue(['testimonials:read']);
});

interface Sent {
  body?: string;
  isBase64Encoded?: boolean;
  headers?: Record<string, string>;
}

/** Sends a body as it is, by default as JSON with the right token. */
function send({ headers = {}, ...rest }: Sent): Promise<Answer> {
  const authorization = `Bearer ${api.token}`;
  return api.call({
    routeKey: route,
    headers: { authorization, 'content-type': 'application/json', ...headers },
    ...rest,
  });
}

const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes as string).toString('base64');

test('a create answers 201 with the testimonial as a bare object', async () => {
  const created = await api.create(testimonialBody());
  expect(created).toEqual({
    status: 201,
    headers: { ...jsonHeaders, 'x-request-id': expect.any(String) },
    body: {
      id: expect.any(String),
      ...testimonialBody(),
      status: 'pending',
      createdAt: expect.any(String),
      updatedAt: created.body.createdAt,
    },
  });
});

describe('a create accepts', () => {
  test.each<[string, Sent]>([
    ['Content-Type application/json', { headers: { 'content-type': 'application/json' }, body: text }],
    ['a charset', { headers: { 'content-type': 'application/json; charset=utf-8' }, body: text }],
    [
      'a charset without a blank',
      { headers: { 'content-type': 'application/json;charset=UTF-8' }, body: text },
    ],
    // RFC 9110, section 5.6.6: optional white space on both sides of the semicolon.
    [
      'a blank before the charset',
      { headers: { 'content-type': 'application/json ; charset=utf-8' }, body: text },
    ],
    ['Content-Type in any case', { headers: { 'content-type': 'Application/JSON' }, body: text }],
    ['white space around the JSON', { body: `\r\n ${text}\n` }],
    ['a body that the gateway encoded in Base64', { body: base64(text), isBase64Encoded: true }],
  ])('%s', async (_what, sent) => {
    expect((await send(sent)).status).toBe(201);
  });

  test('a header name in any case', async () => {
    const answer = await api.call({
      routeKey: route,
      headers: { AUTHORIZATION: `Bearer ${api.token}`, 'Content-Type': 'application/json' },
      body: text,
    });
    expect(answer.status).toBe(201);
  });

  test('Base64 with letters outside ASCII', async () => {
    const content = 'Très bien, 素晴らしい製品';
    const body = base64(JSON.stringify(testimonialBody({ content })));
    expect((await send({ body, isBase64Encoded: true })).body.content).toBe(content);
  });
});

describe('a create is refused with 400 for', () => {
  test.each<[string, Sent, field: string]>([
    ['Content-Type text/plain', { headers: { 'content-type': 'text/plain' }, body: text }, 'Content-Type'],
    [
      'Content-Type of a form',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: text },
      'Content-Type',
    ],
    [
      'a Content-Type that begins like JSON',
      { headers: { 'content-type': 'application/jsonp' }, body: text },
      'Content-Type',
    ],
    ['an empty Content-Type', { headers: { 'content-type': '' }, body: text }, 'Content-Type'],
    ['no body', {}, 'body'],
    ['an empty body', { body: '' }, 'body'],
    ['a body of blanks', { body: '  ' }, 'body'],
    ['text that is no JSON', { body: 'content=Amazing' }, 'body'],
    ['JSON that is cut off', { body: text.slice(0, -1) }, 'body'],
    ['JSON with something behind it', { body: `${text}x` }, 'body'],
    ['JSON with single quotes', { body: "{'content':'Amazing product'}" }, 'body'],
    ['JSON null', { body: 'null' }, 'body'],
    ['a JSON array', { body: `[${text}]` }, 'body'],
    ['a JSON string', { body: '"Amazing product"' }, 'body'],
    ['a JSON number', { body: '0' }, 'body'],
    ['JSON true', { body: 'true' }, 'body'],
    ['JSON false', { body: 'false' }, 'body'],
    ['Base64 of something else', { body: base64('Amazing'), isBase64Encoded: true }, 'body'],
    [
      'Base64 of bytes that are no UTF-8',
      { body: base64(Uint8Array.of(0x7b, 0xff, 0x7d)), isBase64Encoded: true },
      'body',
    ],
  ])('%s', async (_what, sent, field) => {
    expect(refusalOf(await send(sent))).toEqual(malformed(field));
  });

  test('a missing Content-Type', async () => {
    const authorization = `Bearer ${api.token}`;
    const answer = await api.call({ routeKey: route, headers: { authorization }, body: text });
    expect(refusalOf(answer)).toEqual(malformed('Content-Type'));
  });
});

test('an empty JSON object is a 422, not a 400', async () => {
  expect((await send({ body: '{}' })).status).toBe(422);
});

describe('unknown fields have no effect:', () => {
  test.each<[string, Record<string, unknown>]>([
    ['status', { status: 'approved' }],
    ['id', { id: 'test_123456789' }],
    ['createdAt', { createdAt: '2001-01-01T00:00:00.000Z' }],
    ['updatedAt', { updatedAt: '2001-01-01T00:00:00.000Z' }],
    ['organizationId', { organizationId: 'other' }],
    ['the keys of the table', { PK: 'ORG#other', SK: 'COUNTER', statusPartition: 'x', ratingSort: '9' }],
    ['any other', { colour: 'red', nested: { deep: [1] } }],
  ])('%s', async (_name, unknown) => {
    const { status, body } = await api.create(testimonialBody(unknown));
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.not.stringMatching(/^test_123456789$/),
      ...testimonialBody(),
      status: 'pending',
      createdAt: expect.not.stringMatching(/^2001/),
      updatedAt: body.createdAt,
    });
  });

  test('one inside author', async () => {
    const author = { name: 'Jane Doe', email: 'jane@example.com' };
    const { body } = await api.create(testimonialBody({ author: { ...author, phone: '555', id: 7 } }));
    expect(body.author).toEqual(author);
  });

  test.each([
    ['__proto__', `{"__proto__":{"rating":3},${text.slice(1)}`],
    ['constructor', `{"constructor":{"prototype":{"rating":3}},${text.slice(1)}`],
  ])('%s', async (_name, body) => {
    const created = await send({ body });
    expect(created.status).toBe(201);
    expect(created.body).not.toHaveProperty('rating');
  });

  test('none is stored', async () => {
    const fresh = await createApiClient();
    await fresh.create(testimonialBody({ secretField: 'secret-value', author: janeWithPhone }));
    const items = JSON.stringify(await storedItems(fresh.table));
    expect(items).not.toContain('secretField');
    expect(items).not.toContain('secret-value');
    expect(items).not.toContain('555-0100');
  });
});

const janeWithPhone = { name: 'Jane Doe', email: 'jane@example.com', phone: '555-0100' };

describe('checks come in the order 401, 403, 400, 422:', () => {
  const unparseable = '{';
  const invalidText = '{}';
  type Caller = 'nobody' | 'a reader' | 'a writer';

  test.each<[caller: Caller, sent: Sent, status: number]>([
    ['nobody', { body: text }, 401],
    ['nobody', { body: invalidText }, 401],
    ['nobody', { body: unparseable, headers: { 'content-type': 'text/plain' } }, 401],
    ['nobody', { body: text, headers: { 'idempotency-key': 'a b' } }, 401],
    ['a reader', { body: text }, 403],
    ['a reader', { body: invalidText }, 403],
    ['a reader', { body: unparseable, headers: { 'content-type': 'text/plain' } }, 403],
    ['a reader', { headers: { 'idempotency-key': 'a b' } }, 403],
    ['a writer', { body: invalidText, headers: { 'content-type': 'text/plain' } }, 400],
    ['a writer', { body: invalidText, headers: { 'idempotency-key': 'a b' } }, 400],
    ['a writer', { body: '[]', headers: { 'idempotency-key': 'fine' } }, 400],
    ['a writer', { body: invalidText, headers: { 'idempotency-key': 'fine' } }, 422],
  ])('%s sending %j is answered %d', async (caller, sent, status) => {
    const authorization = { nobody: '', 'a reader': `Bearer ${readOnly}`, 'a writer': `Bearer ${api.token}` };
    const answer = await send({
      ...sent,
      headers: { authorization: authorization[caller], ...sent.headers },
    });
    expect(answer.status).toBe(status);
  });
});

describe('a refused create stores nothing and takes no ordinal:', () => {
  test.each<[string, () => Sent]>([
    ['401 without a token', () => ({ body: text, headers: { authorization: '' } })],
    ['403 without the permission', () => ({ body: text, headers: { authorization: `Bearer ${readOnly}` } })],
    ['400 for the Content-Type', () => ({ body: text, headers: { 'content-type': 'text/plain' } })],
    ['400 for the body', () => ({ body: '[]', headers: { 'idempotency-key': 'refused' } })],
    ['400 for the Idempotency-Key', () => ({ body: text, headers: { 'idempotency-key': 'a b' } })],
    ['422 for a field', () => ({ body: '{}' })],
    ['422 for a field, with a key', () => ({ body: '{}', headers: { 'idempotency-key': 'refused' } })],
  ])('%s', async (_why, sent) => {
    const before = await storedItems(api.table);
    expect((await send(sent())).status).toBeGreaterThanOrEqual(400);
    expect(await storedItems(api.table)).toEqual(before);
  });
});
