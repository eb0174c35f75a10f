/** Answers 404 where the gateway's default route sends a request that belongs to no operation. */
import type { MiddlewareObj } from '@middy/core';
import { ApiError } from './api-error.ts';
import type { ApiEvent, ApiResponse } from './api-event.ts';

/** Lets only requests of the route `routeKey` pass. */
export function onlyRoute<Input>(routeKey: string): MiddlewareObj<ApiEvent<Input>, ApiResponse> {
  return {
    before: ({ event }) => {
      if (event.routeKey !== routeKey) {
        throw new ApiError('not_found', 'There is no such operation. See GET and POST /v1/testimonials.');
      }
    },
  };
}
