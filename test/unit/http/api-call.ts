/** Calls middlewares with a test event. */
import middy, { type MiddlewareObj } from '@middy/core';
import type { Context } from 'aws-lambda';
import { ApiError } from '../../../functions/http/api-error.ts';
import type { ApiEvent, ApiResponse } from '../../../functions/http/api-event.ts';

/** Returns an event with normalized headers and the given parts. */
export function apiEvent(parts: Partial<ApiEvent<unknown>> = {}): ApiEvent<unknown> {
  return {
    version: '2.0',
    routeKey: 'POST /v1/testimonials',
    rawPath: '/v1/testimonials',
    rawQueryString: '',
    headers: {},
    isBase64Encoded: false,
    requestContext: { requestId: 'request-1' },
    ...parts,
  } as ApiEvent<unknown>; // middlewares read no other part
}

export const lambdaContext = { awsRequestId: 'lambda-1', getRemainingTimeInMillis: () => 10_000 } as Context; // nor here

/** Runs the middlewares around an operation, `{ statusCode: 200 }` if none is given. */
export function call<Input = unknown>(
  middlewares: MiddlewareObj<ApiEvent<Input>, ApiResponse>[],
  event: ApiEvent<unknown>,
  operation: () => Promise<ApiResponse> = async () => ({ statusCode: 200 }),
): Promise<ApiResponse> {
  const handler = middy<ApiEvent<Input>, ApiResponse>().use(middlewares).handler(operation);
  // The middlewares set the input that the type asks for.
  return handler(event as ApiEvent<Input>, lambdaContext);
}

/** Returns the ApiError that a promise rejects with, or undefined if it resolves. */
export async function refusalOf(calling: Promise<unknown>): Promise<ApiError | undefined> {
  const reason = await calling.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (reason === undefined || reason instanceof ApiError) return reason;
  throw reason;
}
