/**
 * One structured log line per request, and the request id in each response. Never logs a token or an e-mail
 * address.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Request } from '@middy/core';
import { toApiError } from './api-error.ts';
import { type ApiEvent, type ApiResponse, type Middleware, requestIdOf } from './api-event.ts';

/**
 * Logs a request as info, or as error if its status is 5xx, with the operation's own fields (`event.logged`).
 * Comes first in the stack, so that it runs last.
 */
export function requestLog(logger: Logger): Middleware<unknown> {
  const finish = ({ event, context, response, error }: Request<ApiEvent<unknown>, ApiResponse>) => {
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
    if (!error) return logger.info('Request completed', line);
    const { code, status } = toApiError(error);
    if (status >= 500) logger.error('Request failed', { ...line, code, reason: describe(error) });
    else logger.info('Request refused', { ...line, code, reason: error.message });
  };

  return { after: finish, onError: finish };
}

// Copies only these members, because an error of the SDK can hold a whole item, including the author.
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

/**
 * Translates the positions in `module` that a stack trace names to positions in the sources.
 * @param module the bundle's URL. Without a source map next to the bundle, the trace stays unchanged.
 */
export function readableStack(stack: string, module = import.meta.url): string {
  const positions = new RegExp(`${RegExp.escape(module)}:(\\d+):(\\d+)`, 'g');
  if (!positions.test(stack)) return stack;
  const map = sourceMapOf(module);
  return stack.replaceAll(positions, (position, line, column) => {
    const origin = map?.findOrigin(Number(line), Number(column));
    return origin && 'fileName' in origin
      ? `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
      : position;
  });
}

// Read at the first error. Node's --enable-source-maps reads them at each start, which takes a sixth of a
// function's loading time.
const sourceMaps = new Map<string, SourceMap | undefined>();

function sourceMapOf(module: string): SourceMap | undefined {
  if (!sourceMaps.has(module)) sourceMaps.set(module, readSourceMap(`${fileURLToPath(module)}.map`));
  return sourceMaps.get(module);
}

function readSourceMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
