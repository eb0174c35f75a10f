import { expect, test } from '@jest/globals';
import { ApiError, errorResponse } from '../../../functions/http/api-error.ts';
import { requestIdOf } from '../../../functions/http/api-event.ts';
import { jsonHeaders } from '../../api-client.ts';
import { apiEvent, lambdaContext } from './api-call.ts';

const answerTo = (error: unknown) => {
  const { statusCode, headers, body } = errorResponse(error, 'request-1');
  return { status: statusCode, headers, text: body ?? '', body: JSON.parse(body ?? 'null') };
};

test('an ApiError sends its headers and Retry-After', async () => {
  const error = new ApiError('unavailable', 'No.', { headers: { 'x-more': 'more' }, retryAfterSeconds: 7 });
  expect(answerTo(error).headers).toMatchObject({ 'x-more': 'more', 'retry-after': '7' });
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
])('any other error is a bare 500 (%s)', (_, thrown) => {
  const { status, headers, text, body } = answerTo(thrown);
  expect(status).toBe(500);
  expect(headers).toEqual(jsonHeaders);
  expect(body).toEqual({
    error: {
      code: 'internal_error',
      message: 'The service failed. Try again later.',
      requestId: 'request-1',
    },
  });
  expect(text).not.toContain('secret');
});

test('a response has the request id of Lambda if the gateway sent none', () => {
  const { requestContext: _, ...event } = apiEvent(); // the event of a direct invocation
  const response = errorResponse(
    new Error('x'),
    requestIdOf(event as ReturnType<typeof apiEvent>, lambdaContext),
  );
  expect(response.body).toContain('"requestId":"lambda-1"');
});
