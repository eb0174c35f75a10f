import { randomInt } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { hashToken, makeToken, type TokenRecord } from '../../../functions/domain/token.ts';
import { ApiError } from '../../../functions/http/api-error.ts';
import { authenticate } from '../../../functions/http/authenticate.ts';
import { type Access, ownAccess } from '../../../functions/http/operation.ts';
import { apiEvent, call } from './api-call.ts';

const now = new Date('2026-01-15T10:30:00.000Z');
const token = makeToken(randomInt);
const record: TokenRecord = {
  hash: hashToken(token),
  organization: 'acme',
  permissions: ['testimonials:read'],
  createdAt: '2026-01-01T00:00:00.000Z',
};

const inWebPages: Access = {
  permission: 'testimonials:read-published',
  budget: 'published',
  share: 1 / 2,
  refuses: { status: ['pending', 'rejected'], sort: ['updatedAt'] },
};

/** Authenticates with one known token; also returns which hashes were looked up. */
async function attempt(authorization: string | undefined, known: TokenRecord = record, rawQueryString = '') {
  const reads: string[] = [];
  const event = apiEvent({ headers: authorization === undefined ? {} : { authorization }, rawQueryString });
  const middleware = authenticate({
    findToken: async (hash) => {
      reads.push(hash);
      return hash === known.hash ? known : undefined;
    },
    now: () => now,
    accesses: [ownAccess('testimonials:read'), inWebPages],
  });
  const error = await call([middleware], event).then(
    () => undefined,
    (reason: unknown) => {
      if (reason instanceof ApiError) return reason;
      throw reason;
    },
  );
  return { caller: event.caller, access: event.access, error, reads };
}

test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('takes the scheme word %s', async (scheme) => {
  const { caller, error } = await attempt(`${scheme} ${token}`);
  expect(error).toBeUndefined();
  expect(caller).toEqual(record);
});

describe('answers 401', () => {
  const challenge = 'Bearer realm="testimonials"';

  test.each([undefined, '', 'Bearer', 'Bearer ', `Basic ${token}`, token, `Bearer${token}`])(
    'with a bare challenge when no token was sent (%j)',
    async (authorization) => {
      const { error, reads } = await attempt(authorization);
      expect(error?.status).toBe(401);
      expect(error?.headers).toEqual({ 'www-authenticate': challenge });
      expect(reads).toEqual([]);
    },
  );

  test.each([
    `Bearer ${token}x`,
    `Bearer ${token.slice(0, -1)}`,
    'Bearer nonsense',
    `Bearer ${token} ${token}`,
  ])('without a read when the token is malformed (%j)', async (authorization) => {
    const { error, reads } = await attempt(authorization);
    expect(error?.status).toBe(401);
    expect(error?.headers).toEqual({ 'www-authenticate': `${challenge}, error="invalid_token"` });
    expect(reads).toEqual([]);
  });

  test('when the token is unknown', async () => {
    const { error, reads } = await attempt(`Bearer ${makeToken(randomInt)}`);
    expect(error?.headers).toEqual({ 'www-authenticate': `${challenge}, error="invalid_token"` });
    expect(reads).toHaveLength(1);
  });

  test('when the token has expired, also if it lacks the permission', async () => {
    const expired: TokenRecord = {
      ...record,
      permissions: ['testimonials:write'],
      expiresAt: now.toISOString(),
    };
    const { error } = await attempt(`Bearer ${token}`, expired);
    expect(error?.status).toBe(401);
    expect(error?.headers).toEqual({ 'www-authenticate': `${challenge}, error="invalid_token"` });
  });
});

test('answers 403 with the scope when the token lacks the permission', async () => {
  const { error } = await attempt(`Bearer ${token}`, { ...record, permissions: ['testimonials:write'] });
  expect(error?.status).toBe(403);
  expect(error?.headers).toEqual({
    'www-authenticate': 'Bearer realm="testimonials", error="insufficient_scope", scope="testimonials:read"',
  });
});

describe('a permission that does not allow all that can be asked for', () => {
  const published: TokenRecord = { ...record, permissions: ['testimonials:read-published'] };
  const ask = (query: string) => attempt(`Bearer ${token}`, published, query);

  test('says what it allows', async () => {
    const { error, access } = await ask('status=approved&sort=rating');
    expect(error).toBeUndefined();
    expect(access).toEqual(inWebPages);
  });

  test.each([
    ['status=pending', 'status=pending'],
    ['status=rejected&page=x', 'status=rejected'],
    ['status=approved&status=rejected', 'status=rejected'],
    ['search=a&sort=%75pdatedAt', 'sort=updatedAt'],
  ])('answers 403 to %s with the scope of the one that does', async (query, named) => {
    const { error } = await ask(query);
    expect(error?.status).toBe(403);
    expect(error?.message).toBe(`With testimonials:read-published an API token may not ask for ${named}.`);
    expect(error?.headers).toEqual({
      'www-authenticate':
        'Bearer realm="testimonials", error="insufficient_scope", scope="testimonials:read"',
    });
  });
});
