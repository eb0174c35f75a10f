/** Events and responses of API Gateway (HTTP API, Lambda proxy integration, payload format 2.0). */
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as v from 'valibot';

// Functions receive bodies of these types as text. They receive all others in base64, including +json, forms
// and bodies without a type. AWS documents no list; this one was measured
// (https://github.com/ministackorg/ministack/pull/766). Load balancers use the same list
// (https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html), and encode
// compressed bodies.
const textType = /^(text\/|application\/(json|javascript|xml)\s*(;|$))/i;

export interface Route {
  routeKey: string;
  /** The decoded parameters of the path, if any. */
  pathParameters?: Record<string, string>;
}

/**
 * Returns the route of a request. As in the gateway, the most specific path wins
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html).
 * @param request such as `GET /v1/testimonials/test_1`
 */
export function routeOf(routeKeys: Iterable<string>, request: string): Route | undefined {
  const matches = [...routeKeys].flatMap((routeKey) => {
    const pattern = routeKey
      .replaceAll('.', '\\.')
      .replace(/^ANY /, '\\S+ ')
      .replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
      .replaceAll(/\{(\w+)\+\}/g, '(?<$1>.+)');
    const match = new RegExp(`^${pattern}$`).exec(request);
    if (!match) return [];
    const parameters = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decoded(value)]);
    const pathParameters: Record<string, string> = Object.fromEntries(parameters);
    const rank =
      (routeKey.includes('+}') ? 100 : 10 * parameters.length) + Number(routeKey.startsWith('ANY '));
    return { rank, route: { routeKey, ...(parameters.length > 0 && { pathParameters }) } };
  });
  return matches.toSorted((a, b) => a.rank - b.rank)[0]?.route;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function toEvent(
  request: IncomingMessage,
  body: Buffer,
  route: Route & { requestId: string; now: Date },
): APIGatewayProxyEventV2 {
  const { routeKey, pathParameters, requestId, now } = route;
  const [rawPath = '/', ...rest] = (request.url ?? '/').split('?');
  const rawQueryString = rest.join('?');
  const headers = headersOf(request);
  const host = headers.host ?? '127.0.0.1';
  const method = request.method ?? 'GET';
  const cookies = (request.headers.cookie ?? '').split(';').flatMap((cookie) => cookie.trim() || []);
  const isText = textType.test(headers['content-type'] ?? '') && headers['content-encoding'] === undefined;

  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString,
    ...(cookies.length > 0 && { cookies }),
    headers,
    ...(rawQueryString !== '' && { queryStringParameters: queryOf(rawQueryString) }),
    ...(pathParameters && { pathParameters }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: host.replace(/:\d+$/, ''),
      domainPrefix: host.split('.')[0] ?? host,
      http: {
        method,
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey,
      stage: '$default',
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    // In text, U+FFFD replaces bytes that are not UTF-8.
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

function headersOf({ headersDistinct, socket }: IncomingMessage): Record<string, string> {
  const { cookie: _, ...headers } = headersDistinct;
  return {
    ...Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, String(values)])),
    'x-forwarded-for': socket.remoteAddress ?? '127.0.0.1',
    'x-forwarded-port': String(socket.localPort ?? ''),
    'x-forwarded-proto': 'http',
  };
}

/** Parses a query. As in the gateway, the values of a repeated parameter are joined with commas. */
function queryOf(rawQueryString: string): Record<string, string> {
  const parameters = new URLSearchParams(rawQueryString);
  return Object.fromEntries(Array.from(parameters.keys(), (name) => [name, String(parameters.getAll(name))]));
}

// 12/Mar/2020:19:03:58 +0000
function commonLogTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}

const structuredResult = v.object({
  statusCode: v.pipe(v.number(), v.integer()),
  headers: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])), {}),
  cookies: v.optional(v.array(v.string()), []),
  body: v.optional(v.string(), ''),
  isBase64Encoded: v.optional(v.boolean(), false),
});

export interface GatewayResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/**
 * Converts a function's result in the same way as the gateway. Without a statusCode, the whole result is the
 * JSON body.
 */
export function toResponse(result: unknown): GatewayResponse {
  const parsed = v.safeParse(structuredResult, result);
  if (!parsed.success) {
    const body = typeof result === 'string' ? result : JSON.stringify(result ?? '');
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) };
  }
  const { statusCode, headers, cookies, body, isBase64Encoded } = parsed.output;
  const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return {
    status: statusCode,
    headers: {
      'content-type': 'text/plain;charset=utf-8',
      ...Object.fromEntries(lowerCased),
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
    },
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
}

export function gatewayMessage(status: number, message: string): GatewayResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ message })),
  };
}
