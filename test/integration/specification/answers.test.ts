/** What all answers have in common, and the form of what they hold. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { ListMemory } from '../../../functions/list-index/read/memory.ts';
import { createHandler } from '../../../functions/list-testimonials/handler.ts';
import { costMeter } from '../../../functions/persistence/cost-meter.ts';
import { type Answer, type ApiClient, createApiClient, storesOf, testimonialBody } from '../../api-client.ts';
import { noBudgets } from '../../no-budgets.ts';
import { place } from '../../place.ts';
import { WatchedLogger } from '../../watched-logs.ts';
import { stopClock } from './stopped-clock.ts';
import { storedItems } from './stored-items.ts';
import { onTableCall } from './table-calls.ts';

let api: ApiClient;
let broken: ApiClient;
let readOnly: string;
beforeAll(async () => {
  api = await createApiClient();
  readOnly = await api.issue(['testimonials:read']);
  broken = await createApiClient();
  onTableCall(broken.table, (name) => {
    // The token is still found: the failure comes in the operation itself.
    if (name !== 'GetItemCommand') throw new Error('inside: table acme-secret is on fire');
  });
});

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const key = { 'idempotency-key': 'answers' };

type Case = [what: string, answer: () => Promise<Answer>, status: number, code: string];
const withDetails: Case[] = [
  ['a bad parameter', () => api.list('page=0'), 400, 'bad_request'],
  ['a body that is no object', () => api.create([]), 400, 'bad_request'],
  [
    'a malformed Idempotency-Key',
    () => api.create(testimonialBody(), { 'idempotency-key': 'a b' }),
    400,
    'bad_request',
  ],
  ['a body that breaks a rule', () => api.create({}), 422, 'validation_error'],
  [
    'a key used with another body',
    async () => {
      await api.create(testimonialBody(), key);
      return api.create(testimonialBody({ rating: 1 }), key);
    },
    422,
    'idempotency_key_reused',
  ],
];
const withoutDetails: Case[] = [
  ['a list without a token', () => api.list('', { authorization: '' }), 401, 'unauthorized'],
  ['a create without a token', () => api.create({}, { authorization: '' }), 401, 'unauthorized'],
  ['an unknown token', () => api.list('', { authorization: 'Bearer no' }), 401, 'unauthorized'],
  ['a missing permission', () => api.create({}, { authorization: `Bearer ${readOnly}` }), 403, 'forbidden'],
  ['an unknown route', () => api.call({ routeKey: '$default' }), 404, 'not_found'],
  ['a failing list', () => broken.list(), 500, 'internal_error'],
  ['a failing create', () => broken.create(testimonialBody()), 500, 'internal_error'],
];
const refusals = [...withDetails, ...withoutDetails];
const successes: [string, () => Promise<Answer>][] = [
  ['a create', () => api.create(testimonialBody())],
  ['a replayed create', () => api.create(testimonialBody(), key)],
  ['a list', () => api.list()],
  ['a page past the last', () => api.list('page=1000')],
];

describe('an error has its status, its code and the one shape:', () => {
  test.each(withDetails)('%s, with details', async (_what, call, status, code) => {
    const answer = await call();
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({
      error: {
        code,
        message: expect.stringMatching(/\w/),
        details: expect.any(Object),
        requestId: expect.any(String),
      },
    });
    const problems = Object.values(answer.body.error.details);
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) expect(problem).toEqual(expect.stringMatching(/\w/));
  });

  test.each(withoutDetails)('%s, without details', async (_what, call, status, code) => {
    const answer = await call();
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({
      error: { code, message: expect.stringMatching(/\w/), requestId: expect.any(String) },
    });
  });
});

describe('every answer is JSON and carries X-Request-Id:', () => {
  test.each([...successes, ...refusals.map(([what, call]) => [what, call] as const)])(
    '%s',
    async (_what, call) => {
      const { headers } = await call();
      expect(headers['content-type']).toMatch(/^application\/json\b/);
      expect(headers['x-request-id']).toMatch(/^[\w=-]+$/);
    },
  );

  test.each(refusals)('%s names the same id in its body', async (_what, call) => {
    const { headers, body } = await call();
    expect(body.error.requestId).toBe(headers['x-request-id']);
  });

  test('another one each time', async () => {
    const answers = [await api.list(), await api.list(), await api.list('page=0')];
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(3);
  });
});

describe('a 500 says nothing about the inside:', () => {
  test.each([
    ['list', () => broken.list()],
    ['create', () => broken.create(testimonialBody())],
  ])('%s', async (_operation, call) => {
    const { headers, body } = await call();
    expect(JSON.stringify({ headers, body })).not.toMatch(/inside|fire|secret|Error:|at .*\.ts/);
  });
});

test('the log has the reason of a 500 under the same request id', async () => {
  const logger = new WatchedLogger();
  const handler = createHandler({
    findToken: () => Promise.reject(new Error('the table is on fire')),
    logger,
    now: () => new Date(),
    stores: () => storesOf(api.table),
    memory: new ListMemory(),
    meter: costMeter(api.table.client),
    budgets: noBudgets,
  });
  const event = {
    routeKey: 'GET /v1/testimonials',
    headers: { authorization: `Bearer ${api.token}` },
    requestContext: { requestId: 'the-request' },
  } as unknown as APIGatewayProxyEventV2; // the handler reads no other part
  const context = { awsRequestId: 'lambda', getRemainingTimeInMillis: () => 10_000 } as Context;
  const { statusCode, body } = await handler(event, context);
  expect(statusCode).toBe(500);
  expect(JSON.parse(String(body)).error.requestId).toBe('the-request');
  expect(logger.lines).toHaveLength(1);
  expect(JSON.stringify(logger.lines)).toMatch(/"requestId":"the-request".*the table is on fire/);
  expect(JSON.stringify(logger.lines)).not.toContain(api.token);
});

describe('there are two operations, no more:', () => {
  test.each([
    ['with a token', () => ({ authorization: `Bearer ${api.token}` })],
    ['without a token', () => ({})],
  ])('another route is not_found %s', async (_what, headers) => {
    const answer = await api.call({ routeKey: '$default', headers: headers() });
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  test('another route stores nothing', async () => {
    const before = await storedItems(api.table);
    const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' };
    await api.call({ routeKey: '$default', headers, body: JSON.stringify(testimonialBody()) });
    expect(await storedItems(api.table)).toEqual(before);
  });
});

const author = { name: 'Jane Doe', email: 'jane@example.com' };
const always = ['author', 'content', 'createdAt', 'id', 'status', 'type', 'updatedAt'];

describe('a testimonial has exactly the fields', () => {
  test.each<[string, Record<string, unknown>, string[], string[]]>([
    ['that were given', {}, [], ['tags']],
    ['and rating', { rating: 3 }, ['rating'], ['rating', 'tags']],
    ['and tags', { tags: ['a'] }, ['tags'], ['tags']],
    ['and tags that are empty', { tags: [] }, ['tags'], ['tags']],
    ['and both', { rating: 3, tags: ['a'] }, ['rating', 'tags'], ['rating', 'tags']],
  ])('%s', async (_which, fields, created, listed) => {
    const answer = await api.create(testimonialBody(fields));
    expect(Object.keys(answer.body).sort()).toEqual([...always, ...created].sort());
    const { body } = await api.list('limit=1');
    expect(Object.keys(body.testimonials[0]).sort()).toEqual([...always, ...listed].sort());
    expect(body.testimonials[0].tags).toEqual(fields.tags ?? []);
  });

  test.each<[string, Record<string, unknown>]>([
    ['without a company', author],
    ['with a company', { ...author, company: 'Acme Inc.' }],
  ])('in an author %s', async (_which, given) => {
    const created = await api.create(testimonialBody({ author: given }));
    const { body } = await api.list('limit=1');
    expect(created.body.author).toEqual(given);
    expect(Object.keys(created.body.author)).toEqual(Object.keys(given));
    expect(body.testimonials[0].author).toEqual(given);
  });

  test('and none of them is null, nor a name of the table in the answer', async () => {
    await api.create(testimonialBody());
    const text = JSON.stringify((await api.list('limit=100')).body);
    expect(text).not.toMatch(/null|"PK"|"SK"|Sort"|statusPartition|acme|ORG#/);
  });
});

test('a list answers testimonials and pagination, no more', async () => {
  const { status, body } = await api.list();
  expect(status).toBe(200);
  expect(Object.keys(body).sort()).toEqual(['pagination', 'testimonials']);
  expect(Object.keys(body.pagination)).toEqual([
    'page',
    'limit',
    'total',
    'totalPages',
    'hasNext',
    'hasPrev',
  ]);
});

describe('ids and timestamps:', () => {
  let fresh: ApiClient;
  beforeAll(async () => {
    fresh = await createApiClient();
  });

  test('an id is test_, 12 random digits of which the first is not 0, and the ordinal', async () => {
    const ids: string[] = [];
    for (let ordinal = 1; ordinal <= 12; ordinal += 1) {
      const { id } = (await fresh.create(testimonialBody())).body;
      expect(id).toMatch(new RegExp(`^test_[1-9]\\d{11}${place(ordinal)}$`));
      ids.push(id.slice(0, 17));
    }
    expect(new Set(ids).size).toBe(12);
  });

  test('ordinals are counted in each organization', async () => {
    const authorization = `Bearer ${await fresh.issue(['testimonials:write'], 'globex')}`;
    const { id } = (await fresh.create(testimonialBody(), { authorization })).body;
    expect(id).toMatch(new RegExp(`^test_[1-9]\\d{11}${place(1)}$`));
  });

  test.each([
    ['some milliseconds', '2030-05-06T07:08:09.012Z'],
    ['no milliseconds', '2030-05-06T07:08:10.000Z'],
  ])('a timestamp is ISO 8601 in UTC with milliseconds and Z for %s', async (_what, time) => {
    // Half a millisecond keeps the client's sum of real time and offset from falling below the whole one.
    stopClock(fresh, Date.parse(time) + 0.5);
    const { createdAt, updatedAt } = (await fresh.create(testimonialBody())).body;
    expect(createdAt).toMatch(timestamp);
    expect(Math.abs(Date.parse(createdAt) - Date.parse(time))).toBeLessThan(1000);
    expect(updatedAt).toBe(createdAt);
  });

  test('createdAt never goes back when the clock does, and ordinals stay in its order', async () => {
    const time = Date.parse('2031-01-01T00:00:00.000Z');
    const created: { id: string; createdAt: string }[] = [];
    for (const offset of [0, -3_600_000, 1000, 500, 2000]) {
      stopClock(fresh, time + offset);
      created.push((await fresh.create(testimonialBody())).body);
    }
    const times = created.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort());
    expect(times[1]).toBe(times[0]);
    const { body } = await fresh.list('limit=5');
    expect(body.testimonials.map(({ id }: { id: string }) => id)).toEqual(
      created.map(({ id }) => id).reverse(),
    );
  });
});
