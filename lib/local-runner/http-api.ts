/** API Gateway on this machine: routes HTTP requests to functions as the template says. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import inspector from 'node:inspector';
import { setTimeout as wait } from 'node:timers/promises';
import { type GatewayAnswer, gatewayMessage, routeOf, toAnswer, toEvent } from './gateway-event.ts';
import type { AnsweredRequest } from './service-log.ts';
import type { TemplateCors } from './template.ts';

/** The largest body that API Gateway takes, as the limits below of its quotas for HTTP APIs. */
const maxBodyBytes = 10 * 1024 * 1024;

/** The longest request line and header values together. */
const maxHeadBytes = 10_240;

/** How long the gateway waits for a function. */
const integrationTimeoutMs = 30_000;

// Above it Node.js itself answers 431, without a body.
const readableHeadBytes = 64 * 1024;

const defaultRoute = '$default';

export interface HttpApiOptions {
  /** Invokes the function behind a route key. */
  routes: Map<string, (event: unknown) => Promise<unknown>>;
  cors?: TemplateCors | undefined;
  /** Answers what is no route and belongs to this machine alone, or nothing. */
  page?: (request: IncomingMessage) => Promise<GatewayAnswer | undefined>;
  /** Told each request of the API once it is answered. */
  onAnswered?: (request: AnsweredRequest) => void;
  /** Where it is not the gateway's. */
  timeoutMs?: number;
}

/** Makes the server; it does not listen yet. */
export function createHttpApi(options: HttpApiOptions): Server {
  const { routes, cors, page, onAnswered = () => {}, timeoutMs = integrationTimeoutMs } = options;
  return createServer({ maxHeaderSize: readableHeadBytes }, async (request, response) => {
    const { method = '', url = '' } = request;
    const [path = ''] = url.split('?', 1);
    const requestId = randomUUID();
    const began = performance.now();
    const { answer, error, isPage } = await serve(request, path, requestId);
    response.writeHead(answer.status, {
      ...answer.headers,
      'content-length': answer.body.length,
      ...(!isPage && { 'apigw-requestid': requestId, ...(cors && corsHeaders(cors, request, answer)) }),
    });
    response.end(method === 'HEAD' ? undefined : answer.body);
    // A client that has gone was told nothing.
    if (isPage || (error !== undefined && request.destroyed)) return;
    const { status, body } = answer;
    onAnswered({ requestId, method, path, status, body, milliseconds: performance.now() - began, error });
  });

  function isPreflight({ method, headers }: IncomingMessage): boolean {
    return cors !== undefined && method === 'OPTIONS' && headers.origin !== undefined;
  }

  /** The answer, and why no function gave it; `isPage` of what belongs to this machine alone. */
  async function serve(
    request: IncomingMessage,
    path: string,
    requestId: string,
  ): Promise<{ answer: GatewayAnswer; error?: unknown; isPage?: true }> {
    try {
      // AWS documents the quota, not the status; 431 is what people report.
      if (headBytes(request) > maxHeadBytes)
        return { answer: gatewayMessage(431, 'Request Header Fields Too Large') };
      const found = routeOf(routes.keys(), `${request.method} ${path}`);
      const own = found ? undefined : await page?.(request);
      if (own) return { answer: own, isPage: true };
      const route = found ?? { routeKey: defaultRoute };
      const invoke = routes.get(route.routeKey);
      if (!invoke) return { answer: isPreflight(request) ? granted : gatewayMessage(404, 'Not Found') };
      const body = await readBody(request);
      if (!body) return { answer: gatewayMessage(413, 'Request Entity Too Large') };
      const answer = invoke(toEvent(request, body, { ...route, requestId, now: new Date() }));
      return { answer: await withinTime(answer.then(toAnswer), timeoutMs) };
    } catch (error) {
      return { answer: gatewayMessage(500, 'Internal Server Error'), error };
    }
  }
}

// A preflight that no route takes.
const granted: GatewayAnswer = { status: 204, headers: {}, body: Buffer.alloc(0) };

function headBytes({ method, url = '', httpVersion, rawHeaders }: IncomingMessage): number {
  const values = rawHeaders.filter((_, i) => i % 2 === 1);
  // Each character that Node.js read is a byte.
  return `${method} ${url} HTTP/${httpVersion}`.length + values.join('').length;
}

async function withinTime(answer: Promise<GatewayAnswer>, milliseconds: number): Promise<GatewayAnswer> {
  // No time limit while somebody looks at a breakpoint.
  if (inspector.url() !== undefined) return answer;
  const answered = new AbortController();
  const timeIsOver = wait(milliseconds, gatewayMessage(503, 'Service Unavailable'), answered);
  return Promise.race([answer, timeIsOver]).finally(() => answered.abort());
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    // Read to its end even when it is too large: a client that is still sending misses the answer.
    if (size <= maxBodyBytes) chunks.push(chunk);
  }
  return size <= maxBodyBytes ? Buffer.concat(chunks) : undefined;
}

/** The headers that replace a function's own; Vary has both. */
function corsHeaders(
  cors: TemplateCors,
  request: IncomingMessage,
  { headers: { vary = [] } }: GatewayAnswer,
): Record<string, string> {
  const { origin } = request.headers;
  const isForAll = cors.AllowOrigins.includes('*');
  if (origin === undefined || !(isForAll || cors.AllowOrigins.includes(origin))) return {};
  return {
    'access-control-allow-origin': isForAll ? '*' : origin,
    vary: withOrigin(String(vary)),
    'access-control-expose-headers': cors.ExposeHeaders.join(','),
    ...(request.method === 'OPTIONS' && {
      'access-control-allow-methods': cors.AllowMethods.join(','),
      'access-control-allow-headers': cors.AllowHeaders.join(','),
      'access-control-max-age': String(cors.MaxAge),
    }),
  };
}

/** A header Vary that has the origin, beside what a function said. */
function withOrigin(vary: string): string {
  const fields = vary.split(',').map((field) => field.trim());
  const isThere = fields.some((field) => /^(origin|\*)$/i.test(field));
  return isThere ? vary : [...fields.filter(Boolean), 'Origin'].join(', ');
}
