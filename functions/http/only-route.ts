/** Answers what the gateway's default route sends: requests that belong to no operation. */
import type { MiddlewareObj } from '@middy/core';
import { ApiError } from './api-error.ts';
import { type ApiEvent, type ApiResponse, requestIdOf } from './api-event.ts';

/** Lets only requests of the route `routeKey` pass; 204 for a browser's preflight, 404 for all others. */
export function onlyRoute<Input>(routeKey: string): MiddlewareObj<ApiEvent<Input>, ApiResponse> {
  return {
    before: ({ event, context }) => {
      // With CORS on, the gateway adds the headers that the browser asks for.
      if (isPreflight(event)) {
        return { statusCode: 204, headers: { 'x-request-id': requestIdOf(event, context) } };
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
