import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { routeOf, toResponse } from '../../../lib/local-runner/gateway-event.ts';
import { createHttpApi, type HttpApiOptions } from '../../../lib/local-runner/http-api.ts';

const served: Server[] = [];
afterEach(() => {
  for (const server of served.splice(0)) server.close();
});

/** Sends raw HTTP/1.1. Returns the event for the function, and the raw response. */
async function send(
  raw: string | Buffer,
  result: unknown = { statusCode: 200 },
  options: Pick<HttpApiOptions, 'cors' | 'page' | 'timeoutMs'> = {},
  routeKey = 'POST /v1/things',
) {
  let event: APIGatewayProxyEventV2 | undefined;
  const handler = async (received: unknown) => {
    event = received as APIGatewayProxyEventV2; // what toEvent returns
    if (result instanceof Error) throw result;
    return result === 'never' ? new Promise(() => {}) : result;
  };
  const routes = new Map([[routeKey, handler]]);
  const server = createHttpApi({ routes, ...options }).listen(0, '127.0.0.1');
  served.push(server);
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1'); // a TCP server's address
  // Each byte is a character, so that a test can send bytes that are not UTF-8.
  const characters = Buffer.from(raw).toString('latin1');
  socket.write(Buffer.from(characters.replaceAll('\n', '\r\n'), 'latin1'));
  let response = '';
  for await (const chunk of socket) response += chunk;
  return { event, response };
}

const request = (head: string, body = '') =>
  `${head}\nHost: api.example.com:3000\nConnection: close\nContent-Length: ${Buffer.byteLength(body)}\n\n${body}`;

test('passes headers in lower case with repeated ones joined, cookies, the query and the context of a request', async () => {
  const lines = ['X-One: a', 'x-one: b', 'Cookie: c=1; d=2', 'User-Agent: tests'];
  const { event } = await send(request(['POST /v1/things?a=1&a=2&b=%20x+y?z HTTP/1.1', ...lines].join('\n')));
  expect(event).toMatchObject({
    version: '2.0',
    routeKey: 'POST /v1/things',
    rawPath: '/v1/things',
    rawQueryString: 'a=1&a=2&b=%20x+y?z',
    queryStringParameters: { a: '1,2', b: ' x y?z' },
    headers: { 'x-one': 'a,b', host: 'api.example.com:3000' },
    cookies: ['c=1', 'd=2'],
    requestContext: {
      domainName: 'api.example.com',
      domainPrefix: 'api',
      http: { method: 'POST', path: '/v1/things', protocol: 'HTTP/1.1', userAgent: 'tests' },
      routeKey: 'POST /v1/things',
      stage: '$default',
      time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
    },
  });
  expect(event?.headers).not.toHaveProperty('cookie');
});

test('omits absent parts of the request', async () => {
  const { event } = await send(request('POST /v1/things HTTP/1.1'));
  for (const name of ['queryStringParameters', 'cookies', 'body']) expect(event).not.toHaveProperty(name);
  expect(event).toMatchObject({ rawQueryString: '', isBase64Encoded: false });
});

test.each([
  ['Content-Type: application/json', true],
  ['Content-Type: Application/JavaScript;charset=UTF-8', true],
  ['Content-Type: application/xml ; charset=utf-8', true],
  ['Content-Type: text/x-any', true],
  ['Content-Type: texts/plain', false],
  ['Content-Type: application/json5', false],
  ['Content-Type: application/json-patch+json', false],
  ['Content-Type: application/problem+json; charset=utf-8', false],
  ['Content-Type: application/x-json', false],
  ['Content-Type: image/png', false],
  ['Content-Type: ', false],
  ['X-Any: without a type', false],
  ['Content-Type: application/json\nContent-Encoding: gzip', false],
])('a body with %j is passed as text: %j, or in base64', async (header, isText) => {
  const { event } = await send(request(`POST /v1/things HTTP/1.1\n${header}`, 'ü'));
  const body = Buffer.from('ü').toString(isText ? 'utf8' : 'base64');
  expect(event).toMatchObject({ isBase64Encoded: !isText, body });
});

test('bytes that are not UTF-8 are U+FFFD in a text, and unchanged in base64', async () => {
  const post = async (type: string) => {
    const head = request(`POST /v1/things HTTP/1.1\nContent-Type: ${type}`, 'xx');
    return (await send(Buffer.from(head.replace('\n\nxx', '\n\nx\xe9'), 'latin1'))).event?.body;
  };
  expect(await post('application/json')).toBe('x\ufffd');
  expect(await post('application/vnd.api+json')).toBe(Buffer.of(0x78, 0xe9).toString('base64'));
});

test.each([
  ['an unknown route, where there is no default one,', 'GET', {}, 404, 'Not Found'],
  ['a function that failed', 'POST', new Error('secret'), 500, 'Internal Server Error'],
  ['a function that takes longer than the gateway waits', 'POST', 'never', 503, 'Service Unavailable'],
])('%s gets the response of the gateway', async (_, method, result, status, message) => {
  const { response } = await send(request(`${method} /v1/things HTTP/1.1`), result, { timeoutMs: 1 });
  expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\\{"message":"${message}"\\}$`));
});

test.each([
  [10_240, 200, ''],
  [10_241, 431, 'Request Header Fields Too Large'],
  [60_000, 431, 'Request Header Fields Too Large'],
])('a request line and header values of %i bytes together get a %i', async (bytes, status, message) => {
  const line = (query: string) => `POST /v1/things?${query} HTTP/1.1`;
  const values = 'api.example.com:3000' + 'close' + '0' + 'some value';
  const query = 'x'.repeat(bytes - line('').length - values.length);
  const { response, event } = await send(request(`${line(query)}\nX-Some: some value`));
  expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*${message}`));
  expect(event === undefined).toBe(status !== 200);
});

test('a result becomes a response with status, headers, cookies and decoded body', () => {
  const inBase64 = { body: 'aGk=', isBase64Encoded: true };
  const result = { statusCode: 201, headers: { 'X-Count': 3 }, cookies: ['a=1'], ...inBase64 };
  expect(toResponse(result)).toEqual({
    status: 201,
    headers: { 'content-type': 'text/plain;charset=utf-8', 'x-count': '3', 'set-cookie': ['a=1'] },
    body: Buffer.from('hi'),
  });
});

test('a result without a statusCode is the JSON body of a 200', () => {
  expect(toResponse({ some: 'thing' })).toEqual({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"some":"thing"}'),
  });
});

const cors = {
  AllowOrigins: ['https://a.example'],
  AllowMethods: ['GET', 'POST'],
  AllowHeaders: ['Authorization'],
  ExposeHeaders: ['Link'],
  MaxAge: 3600,
};
/** Returns the raw response to a page of another origin. */
const responseTo = async (
  line: string,
  origin: string,
  options: Pick<HttpApiOptions, 'cors' | 'page'> = {},
  result = {},
) => {
  const head = request(`${line} HTTP/1.1\nOrigin: ${origin}`);
  const { response } = await send(head, { statusCode: 200, ...result }, { cors, ...options });
  return response;
};

test('the gateway answers a preflight without a route for the origins in the template', async () => {
  expect(await responseTo('OPTIONS /v1/things', 'https://a.example')).toMatch(
    /^HTTP\/1\.1 204 [\s\S]*access-control-allow-origin: https:\/\/a\.example/i,
  );
});

test.each([
  ['of an allowed origin', { cors }, 'Origin: https://a.example', ['https://a.example']],
  ['of another origin', { cors }, 'Origin: https://b.example', []],
  ['without an origin', { cors }, 'Accept: */*', []],
  ['without CORS', {}, 'Origin: https://b.example', ['*']],
])("the gateway ignores a function's own CORS headers: %s", async (_, options, header, allowed) => {
  const own = { 'Access-Control-Allow-Origin': '*', 'access-control-max-age': '5' };
  const head = request(`POST /v1/things HTTP/1.1\n${header}`);
  const { response } = await send(head, { statusCode: 200, headers: own }, options);
  const values = response.matchAll(/^access-control-allow-origin: (.*)$/gim);
  expect(Array.from(values, ([, value]) => value?.trim())).toEqual(allowed);
  expect(/access-control-max-age/i.test(response)).toBe(allowed[0] === '*');
});

test('a preflight with a route reaches its function; the gateway adds the allowed origins', async () => {
  const options = { cors: { ...cors, AllowMethods: ['POST'] } };
  const head = (origin: string) => request(`OPTIONS /v1/anything HTTP/1.1\nOrigin: ${origin}`);
  const result = {
    statusCode: 204,
    headers: { 'cache-control': 'no-store', 'access-control-allow-origin': '*' },
  };
  const { response, event } = await send(head('https://a.example'), result, options, '$default');
  expect(event?.routeKey).toBe('$default');
  expect(response).toMatch(/^HTTP\/1\.1 204 [\s\S]*cache-control: no-store/i);
  expect(response).toMatch(
    /access-control-allow-origin: https:\/\/a\.example[\s\S]*access-control-allow-methods: POST/i,
  );
  const { response: other } = await send(head('https://b.example'), { statusCode: 204 }, options, '$default');
  expect(other).not.toMatch(/access-control/i);
});

test('no other origin can read the local pages and their token, even if the API allows the origin', async () => {
  const open = {
    cors: { ...cors, AllowOrigins: ['*'] },
    page: async () => ({ status: 200, headers: {}, body: Buffer.from('{}') }),
  };
  expect(await responseTo('POST /v1/things', 'https://elsewhere.example', open)).toMatch(
    /access-control-allow-origin: \*/i,
  );
  expect(await responseTo('GET /docs/token', 'https://elsewhere.example', open)).toMatch(
    /^HTTP\/1\.1 200 (?![\s\S]*access-control)/i,
  );
});

test('a local page that fails returns 500, and the service continues', async () => {
  const page = async () => {
    throw new Error('secret');
  };
  const { response } = await send(request('GET /docs HTTP/1.1'), {}, { page });
  expect(response).toMatch(/^HTTP\/1\.1 500 [\s\S]*\{"message":"Internal Server Error"\}$/);
});

test.each([
  [{}, 'Origin'],
  [{ vary: 'Authorization' }, 'Authorization, Origin'],
  [{ vary: 'Authorization, origin' }, 'Authorization, origin'],
])("with CORS the origin is added to a function's Vary (%j)", async (headers, merged) => {
  const response = await responseTo('POST /v1/things', 'https://a.example', {}, { headers });
  expect([...response.matchAll(/^vary: (.*)$/gim)].map(([, value]) => value?.trim())).toEqual([merged]);
});

const routes = [
  'GET /things',
  'GET /things/{id}',
  'GET /things/new',
  'PATCH /things/{id}/parts/{part}',
  'ANY /pages',
  'ANY /pages/{page+}',
  'ANY /both',
  'GET /both',
  '$default',
];

describe('the route of', () => {
  test.each([
    ['GET /things', { routeKey: 'GET /things' }],
    ['GET /things/new', { routeKey: 'GET /things/new' }],
    ['GET /things/a%2Fb%20c', { routeKey: 'GET /things/{id}', pathParameters: { id: 'a/b c' } }],
    ['GET /things/%zz', { routeKey: 'GET /things/{id}', pathParameters: { id: '%zz' } }],
    [
      'PATCH /things/7/parts/8',
      { routeKey: 'PATCH /things/{id}/parts/{part}', pathParameters: { id: '7', part: '8' } },
    ],
    ['PUT /pages', { routeKey: 'ANY /pages' }],
    ['GET /both', { routeKey: 'GET /both' }],
    ['POST /both', { routeKey: 'ANY /both' }],
    ['GET /pages/a/b%20c', { routeKey: 'ANY /pages/{page+}', pathParameters: { page: 'a/b c' } }],
  ])('%s', (request, route) => expect(routeOf(routes, request)).toEqual(route));

  test.each(['POST /things', 'GET /things/', 'GET /things/7/parts', 'GET /', 'GET /pages/'])(
    '%s has no route',
    (request) => expect(routeOf(routes, request)).toBeUndefined(),
  );
});
