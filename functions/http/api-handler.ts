/** The Middy stack of every function that responds to requests, for operations of the API and for pages. */
import type { Logger } from '@aws-lambda-powertools/logger';
import middy, { type MiddlewareObj } from '@middy/core';
import httpContentEncoding from '@middy/http-content-encoding';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { FindToken } from '../accounts/token-store.ts';
import { responseReserveMs } from '../timing.ts';
import { ApiError, errorResponse } from './api-error.ts';
import { type ApiEvent, type ApiResponse, type Middleware, noContent, requestIdOf } from './api-event.ts';
import { authenticate } from './authenticate.ts';
import { type FairUseDependencies, fairUse } from './fair-use.ts';
import { type Access, type Operation, routeKey } from './operation.ts';
import { requestLog } from './request-log.ts';

export interface ApiDependencies extends FairUseDependencies {
  findToken: FindToken;
  logger: Logger;
}

export type ApiLambdaHandler = (event: APIGatewayProxyEventV2, context: Context) => Promise<ApiResponse>;

/** Options of Middy that end a request with a 500 just before the function times out. */
const timeoutOptions = {
  timeoutEarlyInMillis: responseReserveMs,
  timeoutEarlyResponse: () => {
    throw new Error('The function ran out of time');
  },
};

interface RequestStack<Event> {
  /**
   * Identify the organization: set `caller` and `access`. A request without these charges no organization.
   */
  identify: MiddlewareObj<Event, ApiResponse>[];
  /** Set `input`. */
  readInput?: MiddlewareObj<Event, ApiResponse>[];
  respond: (event: Event, context: Context, signal: AbortSignal) => Promise<ApiResponse>;
  showError: (event: Event, error: unknown, context: Context) => Promise<ApiResponse>;
}

/**
 * Wraps `respond` in middleware, in this order: request id and log, cost accounting, compression, strict
 * transport, error responses, lower-case headers, `identify`, budget, `readInput`. Just before the function
 * times out, `signal` aborts and the response is a 500.
 */
export function requestHandler<Event extends ApiEvent<unknown>>(
  deps: Omit<ApiDependencies, 'findToken'>,
  { identify, readInput = [], respond, showError }: RequestStack<Event>,
): ApiLambdaHandler {
  const { admit, charge } = fairUse(deps);
  const handler = middy<Event, ApiResponse>(timeoutOptions)
    .use(requestLog(deps.logger))
    .use(charge)
    .use(compressed())
    .use(strictTransport() as MiddlewareObj<Event, ApiResponse>)
    .use({
      onError: async (request) => {
        request.response = await showError(request.event, request.error, request.context);
      },
    })
    // The middleware accepts any event with headers, although its type demands an event of API Gateway.
    .use(httpHeaderNormalizer() as MiddlewareObj<Event, ApiResponse>)
    .use(identify)
    .use({ before: (request) => (request.event.caller ? admit.before(request) : undefined) })
    .use(readInput)
    .handler((event: Event, context: Context, { signal }: { signal: AbortSignal }) =>
      respond(event, context, signal),
    );
  // Middy's type describes the event after its middlewares. At run time, the event is API Gateway's.
  return handler as unknown as ApiLambdaHandler;
}

/**
 * Handles an operation of the API: `requestHandler` with the route, the tokens and the JSON errors of the
 * operation. `handle` receives the access that the token grants.
 */
export function apiHandler<Input, Allowing extends Access = Access>(
  operation: Operation<Allowing>,
  deps: ApiDependencies,
  readInput: Middleware<Input>[],
  handle: (event: ApiEvent<Input>, signal: AbortSignal, access: Allowing) => Promise<ApiResponse>,
): ApiLambdaHandler {
  const { findToken, now } = deps;
  return requestHandler<ApiEvent<Input>>(deps, {
    identify: [
      onlyRoute(routeKey(operation)),
      authenticate({ findToken, now, accesses: operation.accesses }),
    ],
    readInput,
    // `authenticate` chose the access from those of this operation.
    respond: (event, _, signal) => handle(event, signal, event.access as Allowing),
    showError: async (event, error, context) => errorResponse(error, requestIdOf(event, context)),
  });
}

/**
 * Passes each request to the operation of its route. The first operation also handles preflights and unknown
 * routes.
 */
export function byRoute(
  first: readonly [Pick<Operation, 'method' | 'path'>, ApiLambdaHandler],
  ...others: (typeof first)[]
): ApiLambdaHandler {
  const handlers = new Map([first, ...others].map(([operation, handler]) => [routeKey(operation), handler]));
  return (event, context) => (handlers.get(event.routeKey) ?? first[1])(event, context);
}

/**
 * Accepts requests of one route. On the default route, a browser's preflight gets 204 and any other request
 * 404.
 */
function onlyRoute<Input>(routeKey: string): Middleware<Input> {
  return {
    before: ({ event, context }) => {
      // The gateway adds the CORS headers.
      if (isPreflight(event)) {
        const response = noContent();
        return { ...response, headers: { ...response.headers, 'x-request-id': requestIdOf(event, context) } };
      }
      if (event.routeKey !== routeKey) {
        throw new ApiError(
          'not_found',
          'No operation has this method and path. Try GET or POST /v1/testimonials.',
        );
      }
      return undefined;
    },
  };
}

function isPreflight<Input>({ requestContext, headers }: ApiEvent<Input>): boolean {
  return (
    requestContext?.http?.method === 'OPTIONS' &&
    headers?.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

/**
 * Makes browsers use HTTPS only on this host, for a year (RFC 6797). Other hosts of the domain are not ours.
 */
const hstsValue = 'max-age=31536000';

/**
 * Adds `Strict-Transport-Security` to pages of the service's own domain. URLs that AWS assigned do not
 * support HTTP.
 */
export function strictTransport(): Middleware<unknown> {
  const after: Middleware<unknown>['after'] = ({ event, response }) => {
    const { domainName = '' } = event.requestContext ?? {};
    const isOwn =
      event.headers?.['x-forwarded-proto'] === 'https' && !/\.amazonaws\.com(\.cn)?$/.test(domainName);
    const type = Object.entries(response?.headers ?? {}).find(
      ([name]) => name.toLowerCase() === 'content-type',
    );
    if (isOwn && response && type?.[1].startsWith('text/html'))
      response.headers = { ...response.headers, 'strict-transport-security': hstsValue };
  };
  return { after, onError: after };
}

/**
 * The minimum size for compression. Smaller responses fit into two packets anyway. For a page of 25,
 * compression saves a hundred times its cost (docs/adr/0016).
 */
export const minCompressedBytes = 2048;

/**
 * Middy's compression, limited to gzip, which every browser accepts, and to clients that accept it (RFC 9110,
 * section 12.5.3).
 */
export function compressed(): Middleware<unknown> {
  const { after: compress } = httpContentEncoding();
  return {
    after: async (request) => {
      const { event, context, response } = request;
      if (!response || Buffer.byteLength(response.body ?? '') < minCompressedBytes) return;
      if (acceptsGzip(event.headers?.['accept-encoding'])) {
        // Middy's own negotiation would store its result here.
        Object.assign(context, { preferredEncoding: 'gzip' });
        // The middleware works on any response with a body, but its type requires the gateway's.
        await compress?.(request as never);
      } else {
        const vary = [response.headers?.vary, 'Accept-Encoding'].filter(Boolean).join(', ');
        response.headers = { ...response.headers, vary };
      }
    },
  };
}

function acceptsGzip(acceptEncoding = ''): boolean {
  const weights = new Map(
    acceptEncoding
      .toLowerCase()
      .split(',')
      .map((coding) => {
        const [name = '', weight = '1'] = coding.split(/;\s*q=/);
        return [name.trim(), Number(weight)];
      }),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
