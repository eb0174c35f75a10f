/** One structured log line a request, and the request id in each answer. Never logs a token or an e-mail address. */
import type { Logger } from '@aws-lambda-powertools/logger';
import type { MiddlewareObj, Request } from '@middy/core';
import { type ApiEvent, type ApiResponse, requestIdOf } from './api-event.ts';
import { toApiError } from './error-response.ts';
import { readableStack } from './stack-trace.ts';

/**
 * Logs 2xx and 4xx as info, 5xx as error with its reason, each with what the operation has to say (`event.logged`). First in the
 * stack, so that it runs last.
 */
export function requestLog<Input>(logger: Logger): MiddlewareObj<ApiEvent<Input>, ApiResponse> {
  const finish = ({ event, context, response, error }: Request<ApiEvent<Input>, ApiResponse>) => {
    if (!response) return;
    const requestId = requestIdOf(event, context);
    response.headers = { ...response.headers, 'x-request-id': requestId };
    const line = {
      requestId,
      lambdaRequestId: context.awsRequestId,
      route: event.routeKey,
      organization: event.caller?.organization,
      status: response.statusCode,
      ...event.logged,
    };
    if (!error) return logger.info('Request answered', line);
    const { code, status } = toApiError(error);
    if (status >= 500) logger.error('Request failed', { ...line, code, reason: describe(error) });
    else logger.info('Request refused', { ...line, code, reason: error.message });
  };

  return { after: finish, onError: finish };
}

// Not the error itself: one of the SDK's can carry a whole item, author and all.
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return { name: typeof error };
  const { name, message, stack = '', cause } = error;
  return {
    name,
    message,
    stack: readableStack(stack),
    ...(cause !== undefined && { cause: describe(cause) }),
  };
}
