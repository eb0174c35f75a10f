/** Who may call: tokens that are refused with 401, permissions that are missing with 403. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { tokenStore } from '../../../functions/persistence/dynamodb-token-store.ts';
import { type Answer, type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { refusalOf } from './refusal.ts';
import { onTableCall } from './table-calls.ts';

const day = 24 * 60 * 60 * 1000;
const challenge = 'Bearer realm="testimonials"';
const invalidToken = `${challenge}, error="invalid_token"`;

let api: ApiClient;
let reads: string[];
beforeAll(async () => {
  api = await createApiClient();
  onTableCall(api.table, (name) => reads?.push(name));
});

const operations = ['GET /v1/testimonials', 'POST /v1/testimonials'] as const;

/** Calls an operation with a request that is right but, perhaps, for its Authorization header. */
const call = (routeKey: string, authorization: string | undefined): Promise<Answer> =>
  api.call({
    routeKey,
    headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
    ...(routeKey.startsWith('POST') && { body: JSON.stringify(testimonialBody()) }),
  });

const unauthorized = { status: 401, code: 'unauthorized', fields: undefined };

/** Replaces the character at `index` by another one of the same kind. */
const altered = (token: string, index: number) =>
  token.slice(0, index) + (token[index] === 'x' ? 'y' : 'x') + token.slice(index + 1);

describe.each(operations)('%s', (operation) => {
  const success = operation.startsWith('POST') ? 201 : 200;

  describe('is refused with 401, without error and without a read, for', () => {
    test.each<[string, string | undefined]>([
      ['no Authorization header', undefined],
      ['an empty header', ''],
      ['the scheme word alone', 'Bearer'],
      ['the scheme word and a blank', 'Bearer '],
    ])('%s', async (_what, authorization) => {
      reads = [];
      const answer = await call(operation, authorization);
      expect(refusalOf(answer)).toEqual(unauthorized);
      expect(answer.headers['www-authenticate']).toBe(challenge);
      expect(reads).toEqual([]);
    });
  });

  describe('is refused with 401 and invalid_token, without a read, for', () => {
    test.each<[string, (token: string) => string]>([
      ['another text', () => 'secret'],
      ['another prefix', (token) => token.replace('tst_', 'tok_')],
      ['the prefix in upper case', (token) => token.replace('tst_', 'TST_')],
      ['no prefix', (token) => token.slice(4)],
      ['a character too few', (token) => token.slice(0, -1)],
      ['a character too many', (token) => `${token}0`],
      ['a character outside base 62', (token) => `${token.slice(0, 10)}-${token.slice(11)}`],
      ['another first random character', (token) => altered(token, 4)],
      ['another last random character', (token) => altered(token, 33)],
      ['another first character of the checksum', (token) => altered(token, 34)],
      ['another last character of the checksum', (token) => altered(token, 39)],
      ['the token in quotes', (token) => `"${token}"`],
      ['something behind the token', (token) => `${token} x`],
      ['the token twice', (token) => `${token}, ${token}`],
    ])('%s', async (_what, change) => {
      reads = [];
      const answer = await call(operation, `Bearer ${change(api.token)}`);
      expect(refusalOf(answer)).toEqual(unauthorized);
      expect(answer.headers['www-authenticate']).toBe(invalidToken);
      expect(reads).toEqual([]);
    });
  });

  test('is refused with 401 for another scheme', async () => {
    const answer = await call(operation, `Basic ${Buffer.from(`x:${api.token}`).toString('base64')}`);
    expect(refusalOf(answer)).toEqual(unauthorized);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="testimonials"/);
  });

  test('is refused with 401 for the token without the scheme word', async () => {
    expect(refusalOf(await call(operation, api.token))).toEqual(unauthorized);
  });

  test('is refused with 401 and invalid_token for a well-formed token that is unknown', async () => {
    const other = await createApiClient();
    const answer = await call(operation, `Bearer ${other.token}`);
    expect(refusalOf(answer)).toEqual(unauthorized);
    expect(answer.headers['www-authenticate']).toBe(invalidToken);
  });

  test('is refused with 401 and invalid_token for a token from its expiry on, not before', async () => {
    const token = await api.issue(['testimonials:read', 'testimonials:write'], 'acme', 1);
    api.clock.offset = day - 60_000;
    const before = await call(operation, `Bearer ${token}`);
    api.clock.offset = day;
    const after = await call(operation, `Bearer ${token}`);
    api.clock.offset = 0;
    expect(before.status).toBe(success);
    expect(refusalOf(after)).toEqual(unauthorized);
    expect(after.headers['www-authenticate']).toBe(invalidToken);
  });

  test('is refused with 401 and invalid_token for a revoked token', async () => {
    const tokens = tokenStore(api.table);
    const token = await api.issue(['testimonials:read', 'testimonials:write'], 'revoked');
    expect((await call(operation, `Bearer ${token}`)).status).toBe(success);
    for (const { id } of await tokens.list('revoked')) await tokens.revoke(id);
    const answer = await call(operation, `Bearer ${token}`);
    expect(refusalOf(answer)).toEqual(unauthorized);
    expect(answer.headers['www-authenticate']).toBe(invalidToken);
  });

  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('takes the scheme word as %s', async (scheme) => {
    expect((await call(operation, `${scheme} ${api.token}`)).status).toBe(success);
  });

  test('honours a token without an expiry after ten years', async () => {
    api.clock.offset = 3650 * day;
    const answer = await call(operation, `Bearer ${api.token}`);
    api.clock.offset = 0;
    expect(answer.status).toBe(success);
  });
});

describe('permissions:', () => {
  const read = 'testimonials:read';
  const write = 'testimonials:write';
  const [list, create] = operations;

  test.each([
    ['read alone lets list', [read], list, 200],
    ['write alone lets create', [write], create, 201],
    ['both let list', [read, write], list, 200],
    ['both let create', [read, write], create, 201],
  ] as const)('%s', async (_what, permissions, operation, status) => {
    expect((await call(operation, `Bearer ${await api.issue([...permissions])}`)).status).toBe(status);
  });

  test.each([
    ['read alone does not let create', read, create, write],
    ['write alone does not let list', write, list, read],
  ] as const)('%s', async (_what, permission, operation, needed) => {
    const answer = await call(operation, `Bearer ${await api.issue([permission])}`);
    expect(refusalOf(answer)).toEqual({ status: 403, code: 'forbidden', fields: undefined });
    expect(answer.headers['www-authenticate']).toBe(
      `${challenge}, error="insufficient_scope", scope="${needed}"`,
    );
  });

  test('an expired token without the permission is a 401, not a 403', async () => {
    const token = await api.issue([read], 'acme', 1);
    api.clock.offset = day;
    const answer = await call(create, `Bearer ${token}`);
    api.clock.offset = 0;
    expect(answer.status).toBe(401);
  });
});

test('an answer other than 401 and 403 has no WWW-Authenticate', async () => {
  const answers = [await api.list(), await api.list('page=0'), await api.create({})];
  for (const { headers } of answers) expect(headers).not.toHaveProperty('www-authenticate');
});
