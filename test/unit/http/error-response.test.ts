import { expect, test } from '@jest/globals';
import { Throttled } from '../../../functions/domain/throttled.ts';
import { ApiError } from '../../../functions/http/api-error.ts';
import { errorResponse } from '../../../functions/http/error-response.ts';
import { IdempotencyKeyReused } from '../../../functions/operations/create-testimonial.ts';
import { throttledRetryMs } from '../../../functions/timing.ts';
import { jsonHeaders } from '../../api-client.ts';
import { apiEvent, call } from './api-call.ts';

const answerTo = async (error: unknown) => {
  const { statusCode, headers, body } = await call([errorResponse()], apiEvent(), async () => {
    throw error;
  });
  return { status: statusCode, headers, text: body ?? '', body: JSON.parse(body ?? 'null') };
};

test('an ApiError answers as itself', async () => {
  const error = new ApiError('validation_error', 'Not valid.', { details: { content: 'is required' } });
  expect(await answerTo(error)).toMatchObject({
    status: 422,
    headers: jsonHeaders,
    body: {
      error: {
        code: 'validation_error',
        message: 'Not valid.',
        details: { content: 'is required' },
        requestId: 'request-1',
      },
    },
  });
});

test('an ApiError without details has none in its body', async () => {
  const { body } = await answerTo(new ApiError('forbidden', 'No.'));
  expect(body).toEqual({ error: { code: 'forbidden', message: 'No.', requestId: 'request-1' } });
});

test('an ApiError brings its headers', async () => {
  const { headers } = await answerTo(
    new ApiError('unauthorized', 'No.', { headers: { 'www-authenticate': 'Bearer' } }),
  );
  expect(headers).toMatchObject({ 'www-authenticate': 'Bearer' });
});

test.each([
  ['bad_request', 400],
  ['unauthorized', 401],
  ['forbidden', 403],
  ['not_found', 404],
  ['validation_error', 422],
  ['idempotency_key_reused', 422],
  ['internal_error', 500],
  ['unavailable', 503],
] as const)('the code %s has the status %d', async (code, status) => {
  expect((await answerTo(new ApiError(code, 'x'))).status).toBe(status);
});

test('an ApiError says in Retry-After how many seconds to wait', async () => {
  const error = new ApiError('unavailable', 'No.', { headers: { 'x-more': 'more' }, retryAfterSeconds: 7 });
  expect((await answerTo(error)).headers).toMatchObject({ 'x-more': 'more', 'retry-after': '7' });
});

test('a table that is throttled beyond all tries is a 503, and says when to come again', async () => {
  const { status, headers, body, text } = await answerTo(new Throttled('secret-message'));
  expect(status).toBe(503);
  expect(headers).toEqual({ ...jsonHeaders, 'retry-after': String(throttledRetryMs / 1000) });
  expect(body).toMatchObject({ error: { code: 'unavailable', requestId: 'request-1' } });
  expect(text).not.toContain('secret');
});

test('a reused idempotency key is a 422 with its own code', async () => {
  expect(await answerTo(new IdempotencyKeyReused('another body'))).toMatchObject({
    status: 422,
    body: { error: { code: 'idempotency_key_reused', details: { 'Idempotency-Key': expect.any(String) } } },
  });
});

const withSecrets = Object.assign(new Error('secret-message', { cause: new Error('secret-cause') }), {
  name: 'secret-name',
  Item: { email: 'secret-item' },
  statusCode: 418,
  status: 418,
  expose: true,
  headers: { 'x-secret': 'secret-header' },
});

test.each([
  ['an error with a cause and an item', withSecrets],
  ['a string', 'secret-string'],
  ['an object', { message: 'secret-object', statusCode: 400 }],
  ['undefined', undefined],
])('whatever else is thrown is a bare 500 (%s)', async (_, thrown) => {
  const { status, headers, text, body } = await answerTo(thrown);
  expect(status).toBe(500);
  expect(headers).toEqual(jsonHeaders);
  expect(body).toEqual({
    error: {
      code: 'internal_error',
      message: 'The service failed to answer. Please try again later.',
      requestId: 'request-1',
    },
  });
  expect(text).not.toContain('secret');
});

test('without a gateway request id the one of Lambda is answered', async () => {
  const { requestContext: _, ...event } = apiEvent();
  const response = await call([errorResponse()], event as ReturnType<typeof apiEvent>, async () => {
    throw new Error('x');
  }); // the event of a direct invocation
  expect(response.body).toContain('"requestId":"lambda-1"');
});
