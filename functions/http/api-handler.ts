/** The Middy stack that every operation of the API runs in. */
import type { Logger } from '@aws-lambda-powertools/logger';
import middy, { type MiddlewareObj } from '@middy/core';
import httpContentEncoding from '@middy/http-content-encoding';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { FindToken } from '../domain/stores.ts';
import type { Budgets } from '../fair-use/budgets.ts';
import { answerMs } from '../timing.ts';
import { ApiError, errorResponse } from './api-error.ts';
import { type ApiEvent, type ApiResponse, noContent, requestIdOf } from './api-event.ts';
import { authenticate } from './authenticate.ts';
import { fairUse, type RequestMeter } from './fair-use.ts';
import { type Access, type Operation, routeKey } from './operation.ts';
import { requestLog } from './request-log.ts';

export interface ApiDependencies {
  findToken: FindToken;
  logger: Logger;
  now: () => Date;
  budgets: Budgets;
  meter: RequestMeter;
}

/** A Lambda handler of the API, as the Node.js runtime calls it. */
export type ApiLambdaHandler = (event: APIGatewayProxyEventV2, context: Context) => Promise<ApiResponse>;

/** Options of Middy by which a request ends, with a 500, before the function's time does. */
export const inTime = {
  timeoutEarlyInMillis: answerMs,
  timeoutEarlyResponse: () => {
    throw new Error('The function ran out of time');
  },
};

/**
 * Wraps an operation: request id and log, errors in their one shape, lower-case headers, token and permission,
 * the organization's budget, then `readInput` (which sets `event.input`), then the operation, which is told what of it
 * the token allows. When the function's time is nearly over,
 * `signal` aborts and the answer is a 500.
 */
export function apiHandler<Input, Allowing extends Access = Access>(
  called: Operation<Allowing>,
  { findToken, logger, now, budgets, meter }: ApiDependencies,
  readInput: MiddlewareObj<ApiEvent<Input>, ApiResponse>[],
  operation: (event: ApiEvent<Input>, signal: AbortSignal, access: Allowing) => Promise<ApiResponse>,
): ApiLambdaHandler {
  const { admit, charge } = fairUse<Input>({ budgets, meter, now });
  const handler = middy<ApiEvent<Input>, ApiResponse>(inTime)
    .use(requestLog(logger))
    .use(charge)
    .use(compressed())
    .use(errorResponse())
    // It works on any event with headers; its type names the gateway's own.
    .use(httpHeaderNormalizer() as MiddlewareObj<ApiEvent<Input>, ApiResponse>)
    .use(onlyRoute(routeKey(called)))
    .use(authenticate({ findToken, now, accesses: called.accesses }))
    .use(admit)
    .use(readInput)
    // `authenticate` found the access in this operation's.
    .handler((event: ApiEvent<Input>, _context: Context, { signal }: { signal: AbortSignal }) =>
      operation(event, signal, event.access as Allowing),
    );
  // Middy's type asks for the event as the middlewares leave it; the runtime passes it as the gateway made it.
  return handler as unknown as ApiLambdaHandler;
}

/** Lets only requests of the route `routeKey` pass; of what the default route sends, 204 for a browser's preflight, 404 for all others. */
function onlyRoute<Input>(routeKey: string): MiddlewareObj<ApiEvent<Input>, ApiResponse> {
  return {
    before: ({ event, context }) => {
      // With CORS on, the gateway adds the headers that the browser asks for.
      if (isPreflight(event)) {
        const answer = noContent();
        return { ...answer, headers: { ...answer.headers, 'x-request-id': requestIdOf(event, context) } };
      }
      if (event.routeKey !== routeKey) {
        throw new ApiError('not_found', 'There is no such operation. See GET and POST /v1/testimonials.');
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

/** A smaller answer fits into two packets as it is. A page of 25 saves a hundred times what compressing it costs (docs/adr/0016). */
export const leastBytes = 2048;

/** Middy's compression with gzip, the one encoding that every client of the web takes; none has to (RFC 9110, section 12.5.3). */
export function compressed<Input>(): MiddlewareObj<ApiEvent<Input>, ApiResponse> {
  const { after: compress } = httpContentEncoding();
  return {
    after: async (request) => {
      const { event, context, response } = request;
      if (!response || Buffer.byteLength(response.body ?? '') < leastBytes) return;
      if (takesGzip(event.headers?.['accept-encoding'])) {
        // Where Middy's own negotiation leaves what it found.
        Object.assign(context, { preferredEncoding: 'gzip' });
        // It works on any answer with a body; its type names the gateway's own.
        await compress?.(request as never);
      } else {
        const vary = [response.headers?.vary, 'Accept-Encoding'].filter(Boolean).join(', ');
        response.headers = { ...response.headers, vary };
      }
    },
  };
}

function takesGzip(acceptEncoding = ''): boolean {
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
