/** Emulates API Gateway: routes HTTP requests to the functions of the template. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import inspector from 'node:inspector';
import { setTimeout as wait } from 'node:timers/promises';
import { type GatewayResponse, gatewayMessage, routeOf, toEvent, toResponse } from './gateway-event.ts';
import type { LoggedRequest } from './service-log.ts';
import type { TemplateCors } from './template.ts';

/** The maximum size of a body. This limit and those below are API Gateway's quotas for HTTP APIs. */
const maxBodyBytes = 10 * 1024 * 1024;

/** The request line and all header values, in bytes. */
const maxHeadBytes = 10_240;

/** The longest wait for a function. */
const integrationTimeoutMs = 30_000;

// Above this limit Node.js responds with 431 and no body.
const readableHeadBytes = 64 * 1024;

const defaultRoute = '$default';

export interface HttpApiOptions {
  /** Invokes the function behind a route key. */
  routes: Map<string, (event: unknown) => Promise<unknown>>;
  cors?: TemplateCors | undefined;
  /** Responds to requests for the local service's own pages; returns undefined for other requests. */
  page?: (request: IncomingMessage) => Promise<GatewayResponse | undefined>;
  /** Receives each request of the API after its response. */
  onResponse?: (request: LoggedRequest) => void;
  /** The longest wait for a function; the gateway's by default. */
  timeoutMs?: number;
}

/** Creates the server, without starting it. */
export function createHttpApi(options: HttpApiOptions): Server {
  const { routes, cors, page, onResponse = () => {}, timeoutMs = integrationTimeoutMs } = options;
  return createServer({ maxHeaderSize: readableHeadBytes }, async (request, out) => {
    const { method = '', url = '' } = request;
    const [path = ''] = url.split('?', 1);
    const requestId = randomUUID();
    const startMs = performance.now();
    const { response, error, isPage } = await serve(request, path, requestId);
    out.writeHead(response.status, {
      ...(cors && !isPage ? withCors(cors, request, response) : response.headers),
      'content-length': response.body.length,
      ...(!isPage && { 'apigw-requestid': requestId }),
    });
    out.end(method === 'HEAD' ? undefined : response.body);
    // A client that has disconnected got no response.
    if (isPage || (error !== undefined && request.destroyed)) return;
    const { status, body } = response;
    onResponse({ requestId, method, path, status, body, milliseconds: performance.now() - startMs, error });
  });

  function isPreflight({ method, headers }: IncomingMessage): boolean {
    return cors !== undefined && method === 'OPTIONS' && headers.origin !== undefined;
  }

  /**
   * Returns the response, and the error if no function responded. `isPage` is set for the local service's own
   * pages.
   */
  async function serve(
    request: IncomingMessage,
    path: string,
    requestId: string,
  ): Promise<{ response: GatewayResponse; error?: unknown; isPage?: true }> {
    try {
      // AWS documents the quota but not the status. Users report 431.
      if (headBytes(request) > maxHeadBytes)
        return { response: gatewayMessage(431, 'Request Header Fields Too Large') };
      const matching = routeOf(routes.keys(), `${request.method} ${path}`);
      const pageResponse = matching ? undefined : await page?.(request);
      if (pageResponse) return { response: pageResponse, isPage: true };
      const route = matching ?? { routeKey: defaultRoute };
      const invoke = routes.get(route.routeKey);
      if (!invoke) return { response: isPreflight(request) ? granted : gatewayMessage(404, 'Not Found') };
      const body = await readBody(request);
      if (!body) return { response: gatewayMessage(413, 'Request Entity Too Large') };
      const result = invoke(toEvent(request, body, { ...route, requestId, now: new Date() }));
      return { response: await withinTime(result.then(toResponse), timeoutMs) };
    } catch (error) {
      return { response: gatewayMessage(500, 'Internal Server Error'), error };
    }
  }
}

// The response to a preflight without a route.
const granted: GatewayResponse = { status: 204, headers: {}, body: Buffer.alloc(0) };

function headBytes({ method, url = '', httpVersion, rawHeaders }: IncomingMessage): number {
  const values = rawHeaders.filter((_, i) => i % 2 === 1);
  // Node.js decodes each byte as one character.
  return `${method} ${url} HTTP/${httpVersion}`.length + values.join('').length;
}

async function withinTime(
  response: Promise<GatewayResponse>,
  milliseconds: number,
): Promise<GatewayResponse> {
  // While a debugger is attached, there is no time limit.
  if (inspector.url() !== undefined) return response;
  const ended = new AbortController();
  const timeout = wait(milliseconds, gatewayMessage(503, 'Service Unavailable'), ended);
  return Promise.race([response, timeout]).finally(() => ended.abort());
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    // Reads even an oversized body to its end, because a client misses the response while it is still
    // sending.
    if (size <= maxBodyBytes) chunks.push(chunk);
  }
  return size <= maxBodyBytes ? Buffer.concat(chunks) : undefined;
}

/**
 * Returns the headers of a response with the CORS headers. Ignores a function's own CORS headers, even for
 * other origins (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html), except
 * Vary, which combines both.
 */
function withCors(
  cors: TemplateCors,
  request: IncomingMessage,
  { headers }: GatewayResponse,
): GatewayResponse['headers'] {
  const { origin } = request.headers;
  const isForAll = cors.AllowOrigins.includes('*');
  const others = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('access-control-')),
  );
  if (origin === undefined || !(isForAll || cors.AllowOrigins.includes(origin))) return others;
  return {
    ...others,
    'access-control-allow-origin': isForAll ? '*' : origin,
    vary: withOrigin(String(headers.vary ?? '')),
    'access-control-expose-headers': cors.ExposeHeaders.join(','),
    ...(request.method === 'OPTIONS' && {
      'access-control-allow-methods': cors.AllowMethods.join(','),
      'access-control-allow-headers': cors.AllowHeaders.join(','),
      'access-control-max-age': String(cors.MaxAge),
    }),
  };
}

function withOrigin(vary: string): string {
  const fields = vary.split(',').map((field) => field.trim());
  const hasOrigin = fields.some((field) => /^(origin|\*)$/i.test(field));
  return hasOrigin ? vary : [...fields.filter(Boolean), 'Origin'].join(', ');
}
