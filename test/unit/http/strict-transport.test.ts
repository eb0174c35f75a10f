import { expect, test } from '@jest/globals';
import type { ApiEvent } from '../../../functions/http/api-event.ts';
import { strictTransport } from '../../../functions/http/api-handler.ts';
import { apiEvent, call } from './api-call.ts';

const html = { 'Content-Type': 'text/html; charset=utf-8' };

/** Returns the header of a response to a request for a host. */
async function headerOf(domainName: string, protocol: string, headers: Record<string, string> = html) {
  const event = apiEvent({
    headers: { 'x-forwarded-proto': protocol },
    // It reads no other part.
    requestContext: { requestId: 'r', domainName } as ApiEvent<unknown>['requestContext'],
  });
  const answer = await call([strictTransport()], event, async () => ({ statusCode: 200, headers, body: '' }));
  return answer.headers?.['strict-transport-security'];
}

test('a page of the service’s own domain tells browsers to use HTTPS for a year', async () => {
  expect(await headerOf('api.example.com', 'https')).toBe('max-age=31536000');
});

test.each([
  ['of a URL that AWS assigned', 'abc.execute-api.eu-central-1.amazonaws.com', 'https', html],
  ['of a URL that AWS assigned in China', 'abc.execute-api.cn-north-1.amazonaws.com.cn', 'https', html],
  ['on this machine', '127.0.0.1', 'http', html],
  ['of the API, which no browser shows', 'api.example.com', 'https', { 'content-type': 'application/json' }],
])('a response %s does not', async (_, domainName, protocol, headers) => {
  expect(await headerOf(domainName, protocol, headers)).toBeUndefined();
});
