import { expect, test } from '@jest/globals';
import type { Payer } from '../../../functions/domain/stores.ts';
import type { TokenRecord } from '../../../functions/domain/token.ts';
import type { Budgets } from '../../../functions/fair-use/budgets.ts';
import { costOf } from '../../../functions/fair-use/prices.ts';
import { ApiError } from '../../../functions/http/api-error.ts';
import { authenticate } from '../../../functions/http/authenticate.ts';
import { fairUse } from '../../../functions/http/fair-use.ts';
import { ownAccess } from '../../../functions/http/operation.ts';
import { apiEvent, call } from './api-call.ts';

const caller: TokenRecord = {
  hash: 'hash',
  organization: 'acme',
  permissions: ['testimonials:read'],
  createdAt: '2026-01-01T00:00:00.000Z',
};

const access = ownAccess('testimonials:read');

/** Sends a request through the middleware; returns its error and what was counted. */
async function attempt(options: {
  seconds?: number;
  operation?: () => Promise<{ statusCode: number }>;
  postings?: number;
  isRefusedAtToken?: boolean;
}) {
  const spent: [Payer, number][] = [];
  const clock = { ms: 1000 };
  let units = { units: 0, writeUnits: 0 };
  const budgets: Budgets = {
    secondsToWait: () => options.seconds,
    spend: (...each) => void spent.push(each),
    share: async () => {},
  };
  const middleware = fairUse({
    budgets,
    now: () => new Date(clock.ms),
    meter: {
      // What an earlier request took is not this one's.
      reset: () => {
        units = { units: 0, writeUnits: 0 };
      },
      cost: () => units,
    },
  });
  const refusing = authenticate({
    findToken: async () => undefined,
    now: () => new Date(),
    accesses: [access],
  });
  units = { units: 1000, writeUnits: 500 };
  const event = apiEvent({ caller, access });
  const error = await call(
    options.isRefusedAtToken ? [refusing, middleware] : [middleware],
    event,
    async () => {
      clock.ms += 20;
      units = { units: 9.5, writeUnits: 3 };
      if (options.postings !== undefined) event.postings = options.postings;
      return options.operation?.() ?? { statusCode: 200 };
    },
  ).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, spent };
}

const usage = { milliseconds: 20, readUnits: 6.5, writeUnits: 3, postings: 0 };

test('counts what a request took, and nothing of the one before', async () => {
  expect((await attempt({})).spent).toEqual([
    [{ organization: 'acme', budget: 'general', share: 1 }, costOf(usage)],
  ]);
});

test('counts the postings that an update of the index writes because of it', async () => {
  const { spent } = await attempt({ postings: 35 });
  expect(spent).toEqual([
    [{ organization: 'acme', budget: 'general', share: 1 }, costOf({ ...usage, postings: 35 })],
  ]);
});

test('counts a request that fails', async () => {
  const { error, spent } = await attempt({ operation: () => Promise.reject(new Error('failed')) });
  expect(error).toEqual(new Error('failed'));
  expect(spent).toEqual([[{ organization: 'acme', budget: 'general', share: 1 }, costOf(usage)]]);
});

test('refuses with 429, says when to come again, and counts nothing', async () => {
  const { error, spent } = await attempt({ seconds: 42 });
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 429, code: 'rate_limited', headers: { 'retry-after': '42' } });
  expect(String(error)).toMatch(/Try again in 42 seconds\.$/);
  expect(String((await attempt({ seconds: 1 })).error)).toMatch(/Try again in 1 second\.$/);
  expect(spent).toEqual([]);
});

test('what is refused at the token is nobody’s', async () => {
  const { error, spent } = await attempt({ isRefusedAtToken: true });
  expect(error).toMatchObject({ status: 401 });
  expect(spent).toEqual([]);
});
