import { randomInt } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { createHandler } from '../../../functions/create-testimonial/handler.ts';
import { NotReady } from '../../../functions/domain/list-query.ts';
import { hashSecret, makeSecret, type TokenRecord } from '../../../functions/domain/token.ts';
import type { ApiEvent, ApiResponse } from '../../../functions/http/api-event.ts';
import { createsOn } from '../../../functions/testimonials/creates.ts';
import { noBudgets, noMeter } from '../../no-budgets.ts';
import { WatchedLogger } from '../../watched-logs.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { apiEvent, lambdaContext } from './api-call.ts';

const token = makeSecret('tst', randomInt);
const email = 'jane.secret@example.com';
const body = {
  content: 'Amazing product',
  author: { name: 'Jane Doe', email },
  type: 'text',
};

interface Request {
  headers?: Record<string, string>;
  body?: string;
  routeKey?: string;
  rawQueryString?: string;
  permissions?: TokenRecord['permissions'];
  /** The error of the insert. */
  failure?: unknown;
  requestContext?: ApiEvent<unknown>['requestContext'];
}

/** Sends one create to the real handler over stores in memory. Returns its response and its log lines. */
async function send(request: Request): Promise<{ response: ApiResponse; lines: WatchedLogger['lines'] }> {
  const logger = new WatchedLogger();
  const backend = inMemoryBackend();
  const { failure, permissions = ['testimonials:write'] } = request;
  const failing = { ...backend.testimonials, insert: () => Promise.reject(failure) };
  const now = () => new Date('2026-01-15T10:30:00.000Z');
  const handler = createHandler({
    creates: createsOn(() => ({ ...backend, ...(failure !== undefined && { testimonials: failing }) }), {
      now,
      randomInt: () => 123_456_789_012,
      log: logger,
    }),
    findToken: async (hash) =>
      hash === hashSecret(token)
        ? { hash, organization: 'acme', permissions, createdAt: '2026-01-15T10:30:00.000Z' }
        : undefined,
    logger,
    budgets: noBudgets,
    meter: noMeter,
    now,
  });
  const event = apiEvent({
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...request.headers },
    body: request.body ?? JSON.stringify(body),
    ...(request.routeKey && { routeKey: request.routeKey }),
    ...(request.requestContext && { requestContext: request.requestContext }),
    ...(request.rawQueryString && { rawQueryString: request.rawQueryString }),
  });
  const response = await handler(event as unknown as APIGatewayProxyEventV2, lambdaContext); // complete enough
  return { response, lines: logger.lines };
}

/** Returns an error of the SDK that carries an existing item. */
function sdkErrorWithItem() {
  return new ConditionalCheckFailedException({
    message: 'The conditional request failed',
    $metadata: { httpStatusCode: 400, requestId: 'dynamodb-1' },
    Item: { author: { M: { email: { S: email } } }, hash: { S: hashSecret(token) } },
  });
}

const requests: [string, number, Request][] = [
  ['a create', 201, {}],
  ['an unknown token', 401, { headers: { authorization: `Bearer ${makeSecret('tst', randomInt)}` } }],
  ['a token with a typing error', 401, { headers: { authorization: `Bearer ${token}x` } }],
  ['another scheme', 401, { headers: { authorization: `Basic ${token}` } }],
  ['a missing permission', 403, { permissions: ['testimonials:read'] }],
  ['an unknown path', 404, { routeKey: '$default', rawQueryString: `token=${token}&email=${email}` }],
  ['a wrong content type', 400, { headers: { 'content-type': email } }],
  ['a body that is no JSON', 400, { body: `{"author":{"email":"${email}"` }],
  ['a malformed idempotency key', 400, { headers: { 'idempotency-key': `${email} ${token}` } }],
  [
    'a body that breaks rules',
    422,
    { body: JSON.stringify({ content: token, type: email, author: { name: 7, email: `${email}@x` } }) },
  ],
  ['an error of the SDK that carries an item', 500, { failure: sdkErrorWithItem() }],
  [
    'an error caused by one that carries an item',
    500,
    { failure: new Error('wrapped', { cause: sdkErrorWithItem() }) },
  ],
  ['an item that is thrown itself', 500, { failure: { author: { email }, token } }],
];

test.each(requests)(
  '%s (%d) writes one line with the level, request id, route and status, and without secrets',
  async (_, status, request) => {
    const { response, lines } = await send(request);
    expect(response.statusCode).toBe(status);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: status >= 500 ? 'ERROR' : 'INFO',
      requestId: 'request-1',
      lambdaRequestId: 'lambda-1',
      route: request.routeKey ?? 'POST /v1/testimonials',
      status,
    });
    expect(response.headers).toMatchObject({ 'x-request-id': 'request-1' });
    for (const secret of [token, token.slice(4, 34), hashSecret(token), email, 'jane.secret']) {
      expect(JSON.stringify(lines)).not.toContain(secret);
    }
  },
);

test.each<[string, Request]>([
  ['forbidden', { permissions: ['testimonials:read'] }],
  ['not_ready', { failure: new NotReady('acme', '0/1.0') }],
  ['internal_error', { failure: new TypeError('outer') }],
])('the line of an error contains the organization and the code: %s', async (code, request) => {
  const { lines } = await send(request);
  expect(lines).toEqual([expect.objectContaining({ organization: 'acme', code })]);
});

test('the line of a failure contains the name, message and stack of the error and of its cause', async () => {
  const { lines } = await send({ failure: new TypeError('outer', { cause: new RangeError('inner') }) });
  expect(lines[0]).toMatchObject({
    reason: {
      name: 'TypeError',
      message: 'outer',
      stack: expect.stringContaining('request-log.test.ts'),
      cause: { name: 'RangeError', message: 'inner' },
    },
  });
});

test('the response to a preflight on the default route has the headers of every response', async () => {
  const http = { method: 'OPTIONS' };
  const { response } = await send({
    routeKey: '$default',
    headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
    // The handler reads no other part.
    requestContext: { requestId: 'request-1', http } as ApiEvent<unknown>['requestContext'],
  });
  const headers = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': 'request-1',
  };
  expect(response).toEqual({ statusCode: 204, headers });
});
