import { expect, test } from '@jest/globals';
import type { Payer } from '../../../functions/domain/payer.ts';
import type { TokenRecord } from '../../../functions/domain/token.ts';
import type { Budgets, LimitExceeded } from '../../../functions/fair-use/budgets.ts';
import { costOf, costOfPostings } from '../../../functions/fair-use/prices.ts';
import { ApiError } from '../../../functions/http/api-error.ts';
import type { ApiEvent, ApiResponse } from '../../../functions/http/api-event.ts';
import { authenticate } from '../../../functions/http/authenticate.ts';
import { fairUse } from '../../../functions/http/fair-use.ts';
import { secretTokenAccess } from '../../../functions/http/operation.ts';
import { apiEvent, call } from './api-call.ts';

const caller: TokenRecord & { id: string } = {
  id: 'acme.hash',
  hash: 'hash',
  organization: 'acme',
  permissions: ['testimonials:read'],
  createdAt: '2026-01-01T00:00:00.000Z',
};

const access = secretTokenAccess('testimonials:read');
const payer: Payer = { organization: 'acme', budget: 'general', share: 1 };

// A hundred postings cost too little to be reserved.
const dear = costOfPostings(100);

/** Sends a request through the middleware; returns its error and the counted spending. */
async function attempt(options: {
  refusal?: LimitExceeded;
  /** The refusal once the sum is known, if the request waits for it. */
  lateRefusal?: LimitExceeded;
  /** Called with each reserved cost. */
  reserve?: (nanodollars: number) => LimitExceeded | undefined;
  event?: Partial<ApiEvent<unknown>>;
  operation?: () => Promise<ApiResponse>;
  postings?: number[];
  isRefusedAtToken?: boolean;
}) {
  const spent: [Payer, number][] = [];
  const events: string[] = [];
  const clock = { ms: 1000 };
  const units = { units: 1000, writeUnits: 500 };
  const budgets: Budgets = {
    refusal: () => options.refusal ?? (events.includes('share ends') ? options.lateRefusal : undefined),
    waitsForSum: () => options.lateRefusal !== undefined,
    mustReserve: (_, nanodollars) => nanodollars > dear,
    reserve: async (_, nanodollars) => {
      events.push(`reserve ${nanodollars}`);
      return options.reserve?.(nanodollars);
    },
    spend: (...each) => void spent.push(each),
    addLargeCost: async (_, nanodollars) => {
      events.push('share much');
      expect(spent.at(-1)?.[1]).toBe(nanodollars);
    },
    syncSpending: async () => {
      events.push('share begins');
      await new Promise((resolve) => setImmediate(resolve));
      events.push('share ends');
    },
  };
  const meter = {
    reset: () => void Object.assign(units, { units: 0, writeUnits: 0 }),
    cost: () => units,
  };
  const { admit, charge } = fairUse({ budgets, now: () => new Date(clock.ms), meter });
  const refusing = authenticate({
    findToken: async () => undefined,
    now: () => new Date(),
    accesses: [access],
  });
  const event = apiEvent({ caller, access, ...options.event });
  const error = await call(
    [charge, ...(options.isRefusedAtToken ? [refusing] : []), admit],
    event,
    async () => {
      events.push('operation');
      clock.ms += 20;
      Object.assign(units, { units: 9.5, writeUnits: 3 });
      for (const count of options.postings ?? []) {
        await event.payFor({ count, refund: () => void events.push(`refund ${count}`) });
      }
      if (options.postings) events.push('write');
      return options.operation?.() ?? { statusCode: 200 };
    },
  ).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, spent, events: [...events, 'answer'] };
}

const usage = { bytesIn: 0, bytesOut: 0, milliseconds: 20, readUnits: 6.5, writeUnits: 3, postings: 0 };

test('counts the cost of a request with its postings, without that of an earlier request', async () => {
  expect((await attempt({})).spent).toEqual([[payer, costOf(usage)]]);
  expect((await attempt({ postings: [35] })).spent).toEqual([[payer, costOf({ ...usage, postings: 35 })]]);
});

test('counts the request body and the response as sent', async () => {
  const response = {
    statusCode: 200,
    headers: { 'content-type': 'a/b' },
    body: Buffer.from('12345').toString('base64'),
    isBase64Encoded: true,
  };
  const large = 'é'.repeat(512 * 1024);
  const { spent } = await attempt({ event: { body: large }, operation: async () => response });
  const bytes = { bytesIn: 1024 * 1024, bytesOut: 5 + 'content-type: a/b\r\n'.length };
  expect(spent.map(([, cost]) => cost)).toEqual([costOf({ ...usage, ...bytes })]);
  const encoded = await attempt({
    event: { body: Buffer.from(large).toString('base64'), isBase64Encoded: true },
  });
  expect(encoded.spent.map(([, cost]) => cost)).toEqual([costOf({ ...usage, bytesIn: 1024 * 1024 })]);
});

test('shares spending in parallel with the operation and before the response, even for an invalid request', async () => {
  const order = ['share begins', 'operation', 'share ends'];
  expect((await attempt({})).events).toEqual([...order, 'share much', 'answer']);
  const refusing = () => Promise.reject(new ApiError('validation_error', 'No.'));
  expect((await attempt({ operation: refusing })).events).toEqual([...order, 'answer']);
});

test('near a limit a request waits for the sum, which may refuse it', async () => {
  const lateRefusal: LimitExceeded = { of: 'spent', seconds: 42 };
  const { error, spent, events } = await attempt({ lateRefusal });
  expect(error).toMatchObject({ status: 429, headers: { 'retry-after': '42' } });
  expect([spent, events]).toEqual([[], ['share begins', 'share ends', 'answer']]);
});

test('cheap postings are counted with the request, and expensive ones reserved before the write', async () => {
  expect(await attempt({ postings: [100] })).toMatchObject({
    spent: [[payer, costOf({ ...usage, postings: 100 })]],
    events: ['share begins', 'operation', 'write', 'share ends', 'share much', 'answer'],
  });
  const { spent, events } = await attempt({ postings: [101] });
  const reserved = costOfPostings(101);
  expect(events.slice(1)).toEqual([
    'operation',
    'share ends',
    `reserve ${reserved}`,
    'write',
    'share much',
    'answer',
  ]);
  // Not twice.
  expect(spent).toEqual([[payer, costOf(usage)]]);
});

test('several writes of a request are reserved as soon as their sum is expensive', async () => {
  const { spent, events } = await attempt({ postings: [60, 60, 60, 30, 200] });
  const reservations = events.filter((event) => event.startsWith('reserve'));
  expect(reservations).toEqual([120, 290].map((postings) => `reserve ${costOfPostings(postings)}`));
  expect(spent).toEqual([[payer, costOf(usage)]]);
});

test('a refused reservation prevents the write, and the request pays for its cost so far', async () => {
  const reserve = () => ({ of: 'spent', seconds: 42 }) as const;
  const { error, spent, events } = await attempt({ postings: [60, 101], reserve });
  expect(error).toMatchObject({ status: 429 });
  expect(events).toContain('refund 101');
  expect(events).not.toContain('write');
  expect(spent).toEqual([[payer, costOf({ ...usage, postings: 60 })]]);
});

test('a request that fails is counted, also after a reservation, because its writes may have succeeded', async () => {
  const operation = () => Promise.reject(new Error('failed'));
  for (const postings of [[], [101]]) {
    const { error, spent, events } = await attempt({ postings, operation });
    expect([error, spent]).toEqual([new Error('failed'), [[payer, costOf(usage)]]]);
    expect(events.includes(`reserve ${costOfPostings(101)}`)).toBe(postings.length > 0);
  }
});

test.each([
  ['spent', 42, 'used up its budget for this minute. Try again in 42 seconds.'],
  ['requests', 1, 'reached its request limit for this minute. Try again in 1 second.'],
  // One text, by which the log can be filtered.
  ['day', 26_400, 'used up its budget for today. Try again after midnight UTC.'],
] as const)(
  'a 429 names the limit (%s) and the time to wait, and counts nothing',
  async (of, seconds, text) => {
    const { error, spent, events } = await attempt({ refusal: { of, seconds } });
    const message = `Your organization has ${text}`;
    expect(error).toEqual(new ApiError('rate_limited', message, { retryAfterSeconds: seconds }));
    expect([spent, events]).toEqual([[], ['answer']]);
  },
);

test('a request without a valid token has no payer', async () => {
  const { error, spent } = await attempt({ isRefusedAtToken: true });
  expect(error).toMatchObject({ status: 401 });
  expect(spent).toEqual([]);
});
