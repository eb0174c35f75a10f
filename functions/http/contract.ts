/** What an operation's contract says: enough to route it, to validate its requests and to document it. */
import * as v from 'valibot';
import type { Permission } from '../domain/token.ts';
import type { ErrorCode } from './api-error.ts';

type Schema = v.GenericSchema;

export interface ParameterContract {
  name: string;
  in: 'query' | 'header';
  description: string;
  schema: Schema;
  /** The value that an absent parameter stands for. */
  default?: string | number;
  example?: string | number;
}

export interface ResponseContract {
  description: string;
  schema: Schema;
  headers?: Record<string, string>;
  example?: unknown;
}

export interface OperationContract {
  operationId: string;
  method: 'GET' | 'POST';
  path: `/${string}`;
  summary: string;
  description: string;
  permission: Permission;
  parameters: readonly ParameterContract[];
  requestBody?: { contentType: string; schema: Schema; example: unknown };
  responses: Record<number, ResponseContract>;
}

/** The route key of an operation as API Gateway writes it: `GET /v1/testimonials`. */
export function routeKey({ method, path }: Pick<OperationContract, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** Schema of every error body. */
export const errorBody = v.object({
  error: v.object({
    code: v.pipe(v.string(), v.description('What is wrong, for programs.')),
    message: v.pipe(v.string(), v.description('What is wrong, for people.')),
    details: v.exactOptional(
      v.pipe(
        v.record(v.string(), v.string()),
        v.description('What is wrong, by field or parameter; only on 400 and 422.'),
      ),
    ),
    requestId: v.pipe(v.string(), v.description('The X-Request-Id of the answer.')),
  }),
});

const exampleRequestId = 'b1946ac9-2d5c-4f8e-9d5a-7c9e6f3d2a10';

const example = (code: ErrorCode, message: string, details?: Record<string, string>) => ({
  error: { code, message, ...(details && { details }), requestId: exampleRequestId },
});

/** The answers that every operation can give besides its own. */
export const commonResponses = {
  400: {
    description: 'The request is malformed; `details` names each bad parameter or part.',
    schema: errorBody,
    example: example('bad_request', 'The request has invalid parameters.', {
      limit: 'must be a whole number from 1 to 100',
    }),
  },
  401: {
    description: 'The API token is missing, malformed, unknown, expired or revoked.',
    schema: errorBody,
    headers: { 'WWW-Authenticate': 'Bearer challenge (RFC 6750)' },
    example: example('unauthorized', 'The API token is not valid.'),
  },
  403: {
    description: 'The API token does not have the permission of this operation.',
    schema: errorBody,
    headers: { 'WWW-Authenticate': 'Bearer challenge (RFC 6750) with the scope needed' },
    example: example('forbidden', 'The API token does not have the permission testimonials:write.'),
  },
  429: {
    description: 'Too many requests. API Gateway answers this itself, with a body of its own.',
    schema: v.object({ message: v.string() }),
    example: { message: 'Too Many Requests' },
  },
  500: {
    description: 'The service failed; its log has the reason under the same request id.',
    schema: errorBody,
    example: example('internal_error', 'The service failed to answer. Please try again later.'),
  },
} as const satisfies Record<number, ResponseContract>;
