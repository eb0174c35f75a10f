/** The Middy stack of functions that serve pages to browsers: of the desk, and of forms and walls. */
import middy, { type MiddlewareObj } from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { Context } from 'aws-lambda';
import type { ApiEvent, ApiResponse } from './api-event.ts';
import { type ApiDependencies, type ApiLambdaHandler, compressed, inTime } from './api-handler.ts';
import { fairUse } from './fair-use.ts';
import { requestLog } from './request-log.ts';

interface PageStack<Event> {
  /** Finds the organization of the request: sets `caller` and `access`. A request without them charges no organization. */
  identify: MiddlewareObj<Event, ApiResponse>;
  respond: (event: Event, context: Context, signal: AbortSignal) => Promise<ApiResponse>;
  /** Shows an error as a page. */
  showError: (event: Event, error: unknown, context: Context) => Promise<ApiResponse>;
}

/** Wraps pages in the API's middleware: request log, cost accounting, compression, error pages and budget. */
export function pageHandler<Event extends ApiEvent<unknown>>(
  deps: Omit<ApiDependencies, 'findToken'>,
  { identify, respond, showError }: PageStack<Event>,
): ApiLambdaHandler {
  const { admit, charge } = fairUse<unknown>(deps);
  const handler = middy<Event, ApiResponse>(inTime)
    .use(requestLog<unknown>(deps.logger))
    .use(charge)
    .use(compressed<unknown>())
    .use({
      onError: async (request) => {
        request.response = await showError(request.event, request.error, request.context);
      },
    })
    // It accepts any event with headers, although its type demands one of API Gateway.
    .use(httpHeaderNormalizer() as MiddlewareObj<Event, ApiResponse>)
    .use(identify)
    .use({ before: (request) => (request.event.caller ? admit.before?.(request) : undefined) })
    .handler((event: Event, context: Context, { signal }: { signal: AbortSignal }) =>
      respond(event, context, signal),
    );
  // Middy's type describes the event after its middlewares; the runtime passes that of API Gateway.
  return handler as unknown as ApiLambdaHandler;
}

/** Returns the origin of pages on a host, which may be no name at all; this machine serves without TLS. */
export function originOf(host: string): string {
  return URL.parse(`${isLocal(host) ? 'http' : 'https'}://${host}`)?.origin ?? 'https://unknown.invalid';
}

/** True for this machine. */
export function isLocal(host: string): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);
}
