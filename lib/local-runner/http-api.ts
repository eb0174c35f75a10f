/** API Gateway on this machine: routes HTTP requests to functions as the template says. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type GatewayAnswer, gatewayMessage, toAnswer, toEvent } from './gateway-event.ts';
import type { TemplateCors } from './template.ts';

/** The largest body that API Gateway takes. */
export const maxBodyBytes = 10 * 1024 * 1024;

const defaultRoute = '$default';

export interface HttpApiOptions {
  /** Invokes the function behind a route key. */
  routes: Map<string, (event: unknown) => Promise<unknown>>;
  cors?: TemplateCors | undefined;
  /** Answers what is no route and belongs to this machine alone, or nothing. */
  page?: (request: IncomingMessage) => Promise<GatewayAnswer | undefined>;
  onError: (error: unknown) => void;
}

/** Makes the server; it does not listen yet. */
export function createHttpApi({ routes, cors, page, onError }: HttpApiOptions): Server {
  return createServer(async (request, response) => {
    const requestId = randomUUID();
    const preflight = cors && request.method === 'OPTIONS' && request.headers.origin !== undefined;
    const answer = preflight
      ? { status: 204, headers: {}, body: Buffer.alloc(0) }
      : await serve(request, requestId);
    response.writeHead(answer.status, {
      ...answer.headers,
      'apigw-requestid': requestId,
      'content-length': answer.body.length,
      ...(cors && corsHeaders(cors, request)),
    });
    response.end(request.method === 'HEAD' ? undefined : answer.body);
  });

  async function serve(request: IncomingMessage, requestId: string): Promise<GatewayAnswer> {
    try {
      const exact = `${request.method} ${request.url?.split('?')[0]}`;
      const answered = routes.has(exact) ? undefined : await page?.(request);
      if (answered) return answered;
      const routeKey = routes.has(exact) ? exact : defaultRoute;
      const invoke = routes.get(routeKey);
      if (!invoke) return gatewayMessage(404, 'Not Found');
      const body = await readBody(request);
      if (!body) return gatewayMessage(413, 'Request Entity Too Large');
      return toAnswer(await invoke(toEvent(request, body, { routeKey, requestId, now: new Date() })));
    } catch (error) {
      // Nobody is there to be answered.
      if (!request.destroyed) onError(error);
      return gatewayMessage(500, 'Internal Server Error');
    }
  }
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

function corsHeaders(cors: TemplateCors, request: IncomingMessage): Record<string, string> {
  const { origin } = request.headers;
  const any = cors.AllowOrigins.includes('*');
  if (origin === undefined || !(any || cors.AllowOrigins.includes(origin))) return {};
  const common = {
    'access-control-allow-origin': any ? '*' : origin,
    vary: 'origin',
    'access-control-expose-headers': cors.ExposeHeaders.join(','),
  };
  if (request.method !== 'OPTIONS') return common;
  return {
    ...common,
    'access-control-allow-methods': cors.AllowMethods.join(','),
    'access-control-allow-headers': cors.AllowHeaders.join(','),
    'access-control-max-age': String(cors.MaxAge),
  };
}
