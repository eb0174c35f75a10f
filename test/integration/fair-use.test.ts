/**
 * The budget of an organization over running functions that share a table, at no cost for any other
 * organization.
 */
import { beforeAll, expect, test } from '@jest/globals';
import { pathOfPage } from '../../functions/domain/page.ts';
import type { Payer } from '../../functions/domain/payer.ts';
import { costMeter } from '../../functions/dynamodb/cost-meter.ts';
import { openTable, type Table } from '../../functions/dynamodb/table.ts';
import { budgetStore, type OrganizationLimits } from '../../functions/fair-use/dynamodb-budget-store.ts';
import { budgetMinuteMs, syncEveryMs } from '../../functions/timing.ts';
import { localClientConfig } from '../../lib/local-runner/settings.ts';
import {
  type ApiClient,
  createApiClient,
  ownPermissions,
  type ServiceResponse,
  testimonialBody,
} from '../api-client.ts';
import { deskOf } from '../desk-client.ts';
import { testEndpoint } from '../dynamodb.ts';
import { failingDynamoDb, pass } from '../failing-dynamodb.ts';
import { seen } from '../forms.ts';
import { addPage, visitorOf } from '../page-visitor.ts';
import { storedItems } from '../stored-items.ts';
import { createTestTable } from '../test-table.ts';

// The tenth second of a minute.
const begin = Math.floor(Date.now() / budgetMinuteMs) * budgetMinuteMs + 10_000;
const minute = Math.floor(begin / budgetMinuteMs);

let table: Table;
beforeAll(async () => {
  table = await createTestTable();
});

/** Starts another function with its own connections. */
async function runningFunction(limits?: Partial<OrganizationLimits>, of = table): Promise<ApiClient> {
  const config = { ...localClientConfig(testEndpoint()), requestHandler: {} };
  const own = openTable(of.name, { config });
  const api = await createApiClient(own, limits);
  api.clock.stopped = begin;
  return api;
}

/** A body of different Chinese letters, each with a word pair and a beginning of its own. */
const hostile = (letters: number, nth = 0) =>
  testimonialBody({
    content: Array.from({ length: letters }, (_, i) =>
      String.fromCodePoint(0x20000 + nth * letters + i),
    ).join(''),
  });

test('all functions share the sum, and each refuses beyond the budget until the minute ends', async () => {
  const dollars = 0.001;
  const [one, other] = [await runningFunction({ dollars }), await runningFunction({ dollars })];
  expect((await other.list()).status).toBe(200);
  // Some three thousand postings.
  expect((await one.create(hostile(1500))).status).toBe(201);
  expect((await one.list()).status).toBe(429);
  // The other function learns the sum with its first request a second later, which does not wait.
  other.clock.stopped = begin + 2 * syncEveryMs;
  expect((await other.list()).status).toBe(200);
  const refused = await other.list();
  expect(refused).toMatchObject({
    status: 429,
    headers: { 'retry-after': '48' },
    body: { error: { code: 'rate_limited' } },
  });
  expect(refused.body.error.message).toMatch(/Try again in 48 seconds\.$/);
  for (const api of [one, other]) {
    api.clock.stopped = begin + budgetMinuteMs;
    expect((await api.list()).status).toBe(200);
  }

  const [first, second] = await budgetStore(table).listSpending(
    { organization: 'acme', budget: 'general' },
    minute,
    minute + 1,
  );
  expect(first).toMatchObject({ minute, requests: 3, budget: 1_000_000 });
  expect(first?.spent).toBeGreaterThan(2_000_000);
  expect(second).toMatchObject({ minute: minute + 1, requests: 2 });
  expect(second?.spent).toBeLessThan(100_000);
});

test('all functions share the sum of a day, and each refuses beyond its budget until midnight UTC', async () => {
  const own = await createTestTable();
  const noon = new Date(begin).setUTCHours(12, 0, 10, 0);
  const midnight = new Date(begin).setUTCHours(24, 0, 0, 0);
  const apis = await Promise.all([1, 2, 3].map(() => runningFunction({ dailyDollars: 0.004 }, own)));
  const [one, other, third] = apis as [ApiClient, ApiClient, ApiClient]; // as many as asked for
  const at = (time: number) => {
    for (const { clock } of apis) clock.stopped = time;
  };
  at(noon);
  // Each is more than half of the budget.
  expect((await one.create(hostile(1500))).status).toBe(201);
  expect((await one.list()).status).toBe(200);
  at(noon + budgetMinuteMs);
  expect((await other.create(hostile(1500, 1))).status).toBe(201);
  for (const api of [other, one, third]) {
    // The first request of a function runs while it reads the sum.
    await api.list();
    const refused = await api.list();
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    expect(refused.headers['retry-after']).toBe(String((midnight - noon - budgetMinuteMs) / 1000));
    expect(refused.body.error.message).toContain('budget for today');
  }
  await budgetStore(own).setBudgets('acme', { dailyBudget: 1_000_000_000 });
  at(noon + 2 * budgetMinuteMs);
  expect((await one.list()).status).toBe(200);
  await budgetStore(own).removeBudgets('acme');
  at(noon + 3 * budgetMinuteMs);
  await one.list();
  expect((await one.list()).status).toBe(429);
  at(midnight);
  expect((await one.list()).status).toBe(200);
});

test('a create, PATCH or DELETE beyond the sum writes nothing, even at functions that do not know the sum', async () => {
  const own = await createTestTable();
  const dollars = 0.001;
  const { body: created } = await (await runningFunction({}, own)).create(hostile(1500));
  const [one, ...others] = await Promise.all(
    Array.from({ length: 4 }, () => runningFunction({ dollars }, own)),
  );
  const allowed = { authorization: `Bearer ${await one?.issue(ownPermissions)}` };
  const moderation = (method: string) => ({
    routeKey: `${method} /v1/testimonials/{id}`,
    pathParameters: { id: created.id },
    headers: { ...allowed, 'content-type': 'application/json' },
  });
  const requests: ((api: ApiClient) => Promise<ServiceResponse>)[] = [
    (api) => api.create(hostile(1500, 2)),
    (api) => api.call({ ...moderation('PATCH'), body: JSON.stringify({ status: 'approved' }) }),
    (api) => api.call(moderation('DELETE')),
  ];
  expect((await one?.create(hostile(1500, 1)))?.status).toBe(201);
  const before = await storedItems(own);
  for (const [i, request] of requests.entries()) {
    const response = await request(others[i] as ApiClient); // as many as requests
    expect(response).toMatchObject({ status: 429, headers: { 'retry-after': '50' } });
    expect(await storedItems(own)).toEqual(before);
  }
  // A change touches no words, so that a flood of long texts can be moderated.
  const [, , last] = others as [ApiClient, ApiClient, ApiClient];
  last.clock.stopped = begin + budgetMinuteMs;
  expect((await requests[1]?.(last))?.status).toBe(200);
  expect((await last.list()).status).toBe(200);
  // The next minute pays in full: the refused request paid for no posting.
  last.clock.stopped += budgetMinuteMs;
  expect((await last.call(moderation('DELETE'))).status).toBe(204);
  expect((await last.list()).status).toBe(429);
});

test('a repeated create with its key reserves nothing', async () => {
  const own = await createTestTable();
  const key = { 'idempotency-key': 'k' };
  const first = await (await runningFunction({}, own)).create(hostile(1500), key);
  const api = await runningFunction({ dollars: 0.001 }, own);
  const replayed = { status: 201, headers: { 'idempotent-replayed': 'true' }, body: { id: first.body.id } };
  for (let nth = 0; nth < 2; nth += 1) expect(await api.create(hostile(1500), key)).toMatchObject(replayed);
});

test('a refusal reads the token only, and writes nothing', async () => {
  const dollars = 0.0005;
  const own = await createTestTable();
  const api = await runningFunction({ dollars }, own);
  await api.create(hostile(1000));
  const before = await storedItems(own);
  const meter = costMeter(api.table.client);
  for (const request of [
    () => api.list(),
    () => api.create(testimonialBody()),
    () => api.create('no object'),
  ]) {
    meter.reset();
    expect((await request()).status).toBe(429);
    expect(meter.cost()).toEqual({ rounds: 1, requests: 1, units: 1, writeUnits: 0 });
  }
  expect(await storedItems(own)).toEqual(before);
});

test('a budget adds no round to a request, except to an invalid one', async () => {
  const shared = await createTestTable();
  const apis = [await runningFunction(undefined, shared), await runningFunction({ dollars: 100 }, shared)];
  const meters = apis.map(({ table: { client } }) => costMeter(client));
  const key = (name: string) => ({ 'idempotency-key': name });
  const requests: [string, (api: ApiClient, nth: number) => Promise<ServiceResponse>][] = [
    ['a list of a function that has just started', (api) => api.list()],
    ['a list', (api) => api.list()],
    ['a search', (api) => api.list('search=amaz&sort=rating')],
    ['a create', (api) => api.create(testimonialBody())],
    ['a create with a key', (api, nth) => api.create(testimonialBody(), key(`key-${nth}`))],
    ['its replay', (api, nth) => api.create(testimonialBody(), key(`key-${nth}`))],
    ['a body that is not valid', (api) => api.create({})],
    ['a parameter that is not valid', (api) => api.list('limit=0')],
  ];
  const added: number[] = [];
  for (const [i, [name, request]] of requests.entries()) {
    // Each a second after the last: the budget has something to add.
    const costs = [];
    for (const [nth, api] of apis.entries()) {
      api.clock.stopped = begin + 2 * i * syncEveryMs;
      meters[nth]?.reset();
      await request(api, nth);
      costs.push(meters[nth]?.cost());
    }
    const [without, withBudget] = costs;
    const isRefused = name.includes('not valid');
    expect([name, withBudget?.rounds]).toEqual([name, Number(without?.rounds) + (isRefused ? 1 : 0)]);
    added.push(Number(withBudget?.requests) - Number(without?.requests));
  }
  // Two reads with the first request, then one write a second.
  expect(added).toEqual([2, 1, 1, 1, 1, 1, 1, 1]);
});

/** A desk of functions that have just started, in the tenth second of a minute. */
async function deskWith(dollars: number, of: Table) {
  const desk = await deskOf(of, { limits: { dollars } });
  desk.clock.offset = begin - of.now().getTime();
  return desk;
}

test('callers of each kind have a budget of their own, which the flood of others leaves alone', async () => {
  const own = await createTestTable();
  const dollars = 0.0005;
  const flooding = await runningFunction({ dollars }, own);
  const statuses: number[] = [];
  for (let nth = 0; nth < 20; nth += 1) statuses.push((await flooding.create(hostile(100, nth))).status);
  expect(statuses).toContain(429);
  const token = await flooding.issue(['testimonials:read-published']);
  const { get } = await (await deskWith(dollars, own)).signedIn();
  const form = pathOfPage(await addPage(own));
  const visitor = visitorOf(own, { now: () => new Date(begin), limits: { dollars } });
  // With the second request the functions know of the flood.
  for (let nth = 0; nth < 2; nth += 1) {
    expect((await flooding.list('', { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await get('/desk/queue')).status).toBe(200);
    expect((await visitor.get(form)).status).toBe(200);
  }
  flooding.clock.stopped = begin + 2 * syncEveryMs;
  await flooding.list('', { authorization: `Bearer ${token}` });
  const budgetOf = async (budget: Payer['budget']) => {
    const all = await budgetStore(own).listSpending({ organization: 'acme', budget }, minute, minute);
    return all.map((each) => each.budget);
  };
  expect(await budgetOf('general')).toEqual([500_000]);
  expect(await budgetOf('published')).toEqual([250_000]);
  expect(await budgetOf('desk')).toEqual([125_000]);
  expect(await budgetOf('forms')).toEqual([125_000]);
});

test('the desk erases nothing beyond a quarter of the budget, and says when to try again', async () => {
  const own = await createTestTable();
  const free = await runningFunction({}, own);
  const texts: string[] = [];
  for (let nth = 0; nth < 2; nth += 1) {
    const { body } = await free.create(hostile(500, nth));
    texts.push(seen(body));
  }
  // A quarter is half of what one of the texts costs.
  const desk = await deskWith(0.0015, own);
  const [first, second] = [await desk.signedIn(), await desk.signedIn()];
  const erase = (text = '') => ({ action: 'erase', seen: text });
  expect((await first.post('/desk/list', erase(texts[0]))).status).toBe(303);
  expect((await free.list()).body.pagination.total).toBe(1);
  const refused = await second.post('/desk/list', erase(texts[1]));
  expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
  expect(refused.text).toContain('used up its budget for this minute');
  expect((await free.list()).body.pagination.total).toBe(1);
});

test('a flood of one organization costs another no read, no round and no refusal of the same function', async () => {
  const api = await runningFunction({ dollars: 0.01 });
  const authorization = `Bearer ${await api.issue(['testimonials:read', 'testimonials:write'], 'globex')}`;
  for (let i = 0; i < 3; i += 1) await api.create(testimonialBody(), { authorization });
  await api.list('', { authorization });
  const meter = costMeter(api.table.client);
  const list = async () => {
    meter.reset();
    const { status } = await api.list('status=pending&search=amaz', { authorization });
    return { status, ...meter.cost() };
  };
  const alone = await list();
  expect(alone.status).toBe(200);
  const statuses: number[] = [];
  // Each create needs some two thousand postings, a seventh of the budget.
  for (let nth = 1; nth < 12; nth += 1) {
    statuses.push((await api.create(hostile(1000, nth))).status);
    expect(await list()).toEqual(alone);
  }
  expect(statuses.at(-1)).toBe(429);
});

test('a request is answered although the budget’s partition does not answer', async () => {
  const { name } = await createTestTable();
  const { state, endpoint } = await failingDynamoDb();
  let tries = 0;
  state.fault = async (call, forward) => {
    if (!call.body.includes('#BUDGET')) return pass(call, forward);
    tries += 1;
    return 'hang';
  };
  const table = openTable(name, { config: localClientConfig(endpoint) });
  const api = await createApiClient(table, { dollars: 0.5 });
  expect((await api.create(testimonialBody())).status).toBe(201);
  api.clock.offset += syncEveryMs;
  const listed = await api.list();
  expect([listed.status, listed.body.pagination.total]).toEqual([200, 1]);
  // Both requests read the limits and add the spending, and end these calls during the first try.
  expect(tries).toBe(2 * 2);
});
