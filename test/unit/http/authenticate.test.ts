import { randomInt } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { hashSecret, makeSecret, type TokenRecord } from '../../../functions/domain/token.ts';
import { authenticate } from '../../../functions/http/authenticate.ts';
import { type Access, ownAccess } from '../../../functions/http/operation.ts';
import { apiEvent, call, refusalOf } from './api-call.ts';

const now = new Date('2026-01-15T10:30:00.000Z');
const token = makeSecret('tst', randomInt);
const record: TokenRecord = {
  hash: hashSecret(token),
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
  const error = await refusalOf(call([middleware], event));
  return { caller: event.caller, access: event.access, error, reads };
}

test('an unknown token costs one read', async () => {
  expect((await attempt(`Bearer ${makeSecret('tst', randomInt)}`)).reads).toHaveLength(1);
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
