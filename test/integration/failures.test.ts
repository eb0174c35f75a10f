/** Responses and items when DynamoDB throttles, hangs, loses responses or responds in part. */

import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { cachedLookup, tokenReader } from '../../functions/accounts/dynamodb-token-store.ts';
import { abortable, openTable } from '../../functions/dynamodb/table.ts';
import { noIndex } from '../../functions/testimonials/list-index/index-store.ts';
import { updateIndex, wholeTail } from '../../functions/testimonials/list-index/write/update-index.ts';
import { verifyIndex } from '../../functions/testimonials/list-index/write/verify.ts';
import { clientOptions, responseReserveMs, settledMs } from '../../functions/timing.ts';
import { localClientConfig } from '../../lib/local-runner/settings.ts';
import {
  callHandler,
  contextOf,
  createApiClient,
  handlersOf,
  jsonHeaders,
  type ServiceResponse,
  storesOf,
  testimonialBody,
} from '../api-client.ts';
import type { EngineAnswer } from '../dynamodb.ts';
import { type Fault, failingDynamoDb, pass, refusal } from '../failing-dynamodb.ts';
import { markerOf, storedAt, testimonialOf } from '../testimonials.ts';
import { memoryWithHeads } from '../world/known-heads.ts';

// Retries do not wait.
beforeEach(() => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
});

/**
 * The two handlers on a DynamoDB whose failures the test controls, and a client that bypasses the failures.
 */
async function service(requestHandler?: object) {
  const truth = await createApiClient();
  const { state, endpoint } = await failingDynamoDb();
  const config = { ...localClientConfig(endpoint), ...(requestHandler && { requestHandler }) };
  const table = openTable(truth.table.name, { config });
  // Warm: as if a list had met the head of an index before, so that a list begins with all its reads at once.
  const memory = memoryWithHeads([['acme', { ...noIndex, revision: 1 }]]);
  const handlers = handlersOf(table, { findToken: cachedLookup(tokenReader(table)), memory });

  const call = async (
    method: 'GET' | 'POST',
    {
      headers,
      body,
      timeMs = 10_000,
    }: { headers?: Record<string, string>; body?: unknown; timeMs?: number } = {},
  ) => {
    const deadline = Date.now() + timeMs;
    const timeLeftMs = () => deadline - Date.now();
    const request = {
      routeKey: `${method} /v1/testimonials`,
      headers: { authorization: `Bearer ${truth.token}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    return callHandler(handlers, request, contextOf(timeLeftMs));
  };
  const create = (headers: Record<string, string> = {}) => call('POST', { headers, body: testimonialBody() });

  // The token is in the function's memory, as in a warm one, before anything fails.
  await call('GET');
  state.calls.length = 0;
  return { truth, state, endpoint, stores: storesOf(table), table, call, create };
}

/** Expects an answer that says nothing about the inside, and all that it says. */
function expectFailure(
  { status, headers, body }: ServiceResponse,
  expected: { status: number; code: string; message: string; headers?: Record<string, string> },
) {
  const requestId = headers['x-request-id'];
  const { code, message } = expected;
  expect({ status, headers, body }).toEqual({
    status: expected.status,
    headers: { ...jsonHeaders, 'x-request-id': expect.any(String), ...expected.headers },
    body: { error: { code, message: `The service ${message}.`, requestId } },
  });
  expect(JSON.stringify(body)).not.toMatch(
    /dynamo|inside|exception|throttl|127\.0\.0\.1|test-|ORG#|stack|timeout/i,
  );
}
const expectBareFailure = (response: ServiceResponse) =>
  expectFailure(response, { status: 500, code: 'internal_error', message: 'failed. Try again later' });
const expectUnavailable = (response: ServiceResponse) =>
  expectFailure(response, {
    status: 503,
    code: 'unavailable',
    message: 'is overloaded. Try again after the seconds in Retry-After',
    headers: { 'retry-after': '5' },
  });

test.each(['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded'])(
  '%s once for each operation is overcome by retries, in every try it ends in a 503 with Retry-After',
  async (type) => {
    const { state, truth, create } = await service();
    state.fault = async () => refusal(type);
    expectUnavailable(await create());
    expect(state.calls).toEqual(Array(4).fill('UpdateItem'));
    const throttled = new Set<string>();
    state.fault = async (call, forward) => {
      if (throttled.has(call.operation)) return pass(call, forward);
      throttled.add(call.operation);
      return refusal(type);
    };
    const created = await create({ 'idempotency-key': 'k' });
    expect(created.status).toBe(201);
    expect([...throttled]).toEqual(['GetItem', 'UpdateItem', 'PutItem']);
    expect((await truth.list()).body.testimonials).toEqual([{ ...created.body, tags: [] }]);
  },
);

test.each<[string, EngineAnswer]>([
  ['a refusal', refusal('AccessDeniedException')],
  ['an answer that is no JSON', { status: 400, body: '<html>inside</html>' }],
])('%s at the read of a token is a bare 500, is not tried again and not remembered', async (_, response) => {
  const { state, truth, call } = await service();
  const headers = { authorization: `Bearer ${await truth.issue(['testimonials:read'])}` };
  state.fault = async () => response;
  expectBareFailure(await call('GET', { headers }));
  expect(state.calls).toEqual(['GetItem']);
  state.fault = pass;
  expect((await call('GET', { headers })).status).toBe(200);
});

describe('a hanging DynamoDB', () => {
  const quickService = (callTimeoutMs = 500) =>
    service({ ...clientOptions.requestHandler, requestTimeout: callTimeoutMs });

  test.concurrent.each<['GET' | 'POST', string, string[]]>([
    ['GET', 'Query', []],
    ['POST', 'UpdateItem', []],
    ['POST', 'PutItem', ['UpdateItem']],
  ])('ends a %s at %s in a 500 before the function ends, and calls nothing afterwards', async (...row) => {
    const [method, hanging, before] = row;
    const body = method === 'POST' ? testimonialBody() : undefined;
    let callTimeoutMs = 250;
    let made: Awaited<ReturnType<typeof service>>;
    // A busy machine needs more time to reach the call that hangs.
    do {
      callTimeoutMs *= 2;
      made = await quickService(callTimeoutMs);
      made.state.fault = async (each, forward) => (each.operation === hanging ? 'hang' : pass(each, forward));
      const timeMs = responseReserveMs + callTimeoutMs - 50;
      expectBareFailure(await made.call(method, { body, timeMs }));
    } while (!made.state.calls.includes(hanging));
    const { state, truth } = made;
    state.fault = pass;
    // Longer than the timeout of the call, after which the client would try again.
    await wait(2 * callTimeoutMs);
    expect(state.calls).toEqual([...before, hanging]);
    expect((await truth.list()).body.pagination.total).toBe(0);
  });

  test.concurrent('at every try of the first read of a token ends in a 500', async () => {
    const { state, truth, call } = await quickService();
    const authorization = `Bearer ${await truth.issue(['testimonials:read'])}`;
    state.fault = async () => 'hang';
    expectBareFailure(await call('GET', { headers: { authorization } }));
    expect(state.calls).toEqual(Array(4).fill('GetItem'));
  });

  test.concurrent('once is overcome by a retry', async () => {
    // With the timeout of the product.
    const { state, call } = await service();
    let hung = false;
    state.fault = async (each, forward) => {
      if (hung) return pass(each, forward);
      hung = true;
      return 'hang';
    };
    expect((await call('GET')).status).toBe(200);
  });
});

describe('stores whose signal is already aborted', () => {
  test('write nothing', async () => {
    const { state, table } = await service();
    const { testimonials, idempotencyKeys } = storesOf(abortable(table, AbortSignal.abort()));
    const { id: testimonialId, createdAt } = testimonialOf();
    const record = { fingerprint: 'f', testimonialId, createdAt, updateOrdinal: 1 };
    const writes = [
      testimonials.reserveOrdinals('acme', new Date()),
      testimonials.insert('acme', storedAt(1)),
      testimonials.putChangeMarkers('acme', [markerOf(2, 1)]),
      idempotencyKeys.claim('acme', 'k', record, new Date()),
    ];
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    expect(state.calls).toEqual([]);
  });
});

describe('an index update', () => {
  test('retries calls that fail once, and repeats nothing else', async () => {
    const { state, truth, endpoint, table } = await service();
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => truth.create(testimonialBody({ content: `${i} words is it` }))),
    );
    const patient = storesOf(
      openTable(table.name, { patience: 'background', config: localClientConfig(endpoint) }),
    );
    state.calls.length = 0;
    // The first try of every third write fails.
    const written = new Set<string>();
    state.fault = async (call, forward) => {
      if (call.operation !== 'PutItem' || written.has(call.body)) return pass(call, forward);
      written.add(call.body);
      return written.size % 3 === 0 ? refusal('ThrottlingException') : pass(call, forward);
    };
    const now = () => new Date(Date.now() + settledMs);
    const report = await updateIndex({ ...patient, now }, 'acme', wholeTail);
    expect(report).toMatchObject({ testimonials: 30, steps: 1, hasMore: false });
    // Whether there is anything, ten generations or an erasure, markers and tail once, and the summaries of
    // each axis.
    expect(state.calls.filter((operation) => operation === 'Query')).toHaveLength(16);
    const differences: unknown[] = [];
    state.fault = pass;
    await verifyIndex({ ...patient, now }, 'acme', (difference) => differences.push(difference));
    expect(differences).toEqual([]);
  });
});

/** Loses the response of every second try of the puts that contain a text. The puts arrive. */
function losing(text: string) {
  let sent = 0;
  const fault: Fault = async (call, forward) => {
    const response = await forward(call.body);
    if (call.operation !== 'PutItem' || !call.body.includes(text)) return response;
    sent += 1;
    return sent % 2 === 1 ? 'cut' : response;
  };
  return { fault, sent: () => sent };
}

describe('an answer that was lost after its write', () => {
  test('of the put of an idempotency key is no replay', async () => {
    const { state, truth, create } = await service();
    const { fault, sent } = losing('');
    state.fault = fault;
    const created = await create({ 'idempotency-key': 'k' });
    expect(created.status).toBe(201);
    expect(created.headers).not.toHaveProperty('idempotent-replayed');
    // The key and the testimonial, twice each.
    expect(sent()).toBe(4);
    const { body: listed } = await truth.list();
    expect(listed.testimonials).toEqual([{ ...created.body, tags: [] }]);
    const replayed = await create({ 'idempotency-key': 'k' });
    expect(replayed.headers).toMatchObject({ 'idempotent-replayed': 'true' });
    expect(replayed.body).toEqual(created.body);
  });

  test('of the head of the index is no other index update', async () => {
    const { state, table, create } = await service();
    await create();
    const now = () => new Date(Date.now() + settledMs);
    const { fault, sent } = losing('TESTIMONIAL_INDEX');
    state.fault = fault;
    expect(await updateIndex({ ...storesOf(table), now }, 'acme', wholeTail)).toMatchObject({
      steps: 1,
      testimonials: 1,
    });
    expect(sent()).toBeGreaterThan(1);
  });
});
