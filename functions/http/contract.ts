/** The contracts of operations, from which the OpenAPI document is generated. */
import * as v from 'valibot';
import { Throttled } from '../domain/stores.ts';
import { ApiError, type ErrorCode, errorCodes, toApiError } from './api-error.ts';
import type { Operation } from './operation.ts';

type Schema = v.GenericSchema;

export interface ParameterContract {
  name: string;
  in: 'query' | 'header' | 'path';
  description: string;
  schema: Schema;
  /** The value of an absent parameter. */
  default?: string | number;
  example?: string | number;
}

export interface ResponseContract {
  description: string;
  /** Absent if there is no body. */
  schema?: Schema;
  /** Descriptions of its possible headers, by name. */
  headers: Record<string, string>;
  /** Examples by name; examples of errors by code. */
  examples: Record<string, unknown>;
}

export const operationTags = {
  Testimonials: 'Create and list testimonials.',
  Moderation:
    'Read, change or erase one testimonial. Only a deployment with the context value `moderation=true` has these operations; elsewhere they return 404.',
} as const;

export interface OperationContract extends Operation {
  operationId: string;
  summary: string;
  tag: keyof typeof operationTags;
  description: string;
  parameters: readonly ParameterContract[];
  requestBody?: { contentType: string; schema: Schema; example: unknown };
  responses: Record<number, ResponseContract>;
}

/** Schema of every error body. */
export const errorBody = v.object({
  error: v.object({
    code: v.pipe(v.picklist(errorCodes), v.description('The problem, for programs.')),
    message: v.pipe(v.string(), v.description('The problem, for people.')),
    details: v.exactOptional(
      v.pipe(
        v.record(v.string(), v.string()),
        v.description('The problem of each field or parameter; only with 400, 409 and 422.'),
      ),
    ),
    requestId: v.pipe(v.string(), v.description('The X-Request-Id of the response.')),
  }),
});

/** The headers of every response of a function. */
export const commonHeaders = {
  'X-Request-Id': 'Identifies the request in the log.',
  'Cache-Control': 'no-store, because responses have e-mail addresses.',
  'X-Content-Type-Options': 'nosniff.',
};

/** The header of a response that can be large. */
export const largeResponseHeaders = {
  Vary: 'Accept-Encoding, if the response has 2 KB or more: it is compressed for clients that accept gzip.',
};

const challenge = { 'WWW-Authenticate': 'Bearer challenge (RFC 6750).' };

const retryAfter = { 'Retry-After': 'Seconds to wait before the next try. API Gateway sends none.' };

/** Returns the example of an error, by its code. */
export function errorExample(code: ErrorCode, message: string, details?: Record<string, string>) {
  return exampleOf(new ApiError(code, message, details && { details }));
}

/** Returns the example of the response to a thrown error, by its code. */
export function exampleOf(error: unknown) {
  const shown = toApiError(error);
  return { [shown.code]: shown.toBody('b1946ac9-2d5c-4f8e-9d5a-7c9e6f3d2a10') };
}

/** Returns the contract of an error response of a function. */
export function errorContract(
  description: string,
  examples: ResponseContract['examples'],
  headers: ResponseContract['headers'] = {},
) {
  return { description, schema: errorBody, headers: { ...commonHeaders, ...headers }, examples };
}

/** The testimonial in the examples of responses. */
export const exampleTestimonial = {
  id: 'test_1234567890121',
  content: 'Amazing product! It saved our team two days a week.',
  author: { name: 'Jane Doe', email: 'jane@example.com', company: 'Acme Inc.' },
  rating: 5,
  type: 'text',
  status: 'approved',
  tags: ['onboarding', 'support'],
  createdAt: '2026-01-15T10:30:00.000Z',
  updatedAt: '2026-01-16T08:00:00.000Z',
};

/** Schema of the body of API Gateway's own responses. */
export const gatewayBody = v.object({
  message: v.pipe(v.string(), v.description('The problem, for people.')),
});

const gatewayExample = (message: string) => ({ 'API Gateway': { message } });

/** Returns the contract of an error that either a function, with `Retry-After`, or API Gateway sends. */
function sharedErrorContract(description: string, example: ResponseContract['examples'], message: string) {
  const examples = { ...example, ...gatewayExample(message) };
  return { ...errorContract(description, examples, retryAfter), schema: v.union([errorBody, gatewayBody]) };
}

/** The responses that every operation can send besides its own. */
export const commonResponses = {
  400: errorContract(
    'The request is malformed. `details` names each invalid parameter or part.',
    errorExample('bad_request', 'The request has invalid parameters.', {
      limit: 'must be a whole number from 1 to 100',
    }),
  ),
  401: errorContract(
    'The API token is missing, malformed, unknown, expired or revoked.',
    errorExample('unauthorized', 'The API token is not valid. It may be expired or revoked.'),
    challenge,
  ),
  403: errorContract(
    'The API token lacks the permission for this operation or for one of its parameters.',
    errorExample('forbidden', 'The API token does not have the permission testimonials:write.'),
    challenge,
  ),
  429: sharedErrorContract(
    'The organization has reached its number of requests for this minute, or its budget for this minute or day (UTC): wait for the ' +
      'seconds in `Retry-After`. API Gateway sends this status too, with a body of its own, if all clients together send too much.',
    errorExample(
      'rate_limited',
      'Your organization has used up its budget for this minute. Try again in 42 seconds.',
    ),
    'Too Many Requests',
  ),
  500: errorContract(
    'The service failed. Its log has the reason under the same request id.',
    exampleOf(new Error()),
  ),
  503: sharedErrorContract(
    'The service is overloaded: wait for the seconds in `Retry-After`. API Gateway sends this status too, with a body of its ' +
      'own, if it reaches no function.',
    exampleOf(new Throttled('')),
    'Service Unavailable',
  ),
} as const satisfies Record<number, ResponseContract>;

const gatewayContract = (description: string, message: string): ResponseContract => ({
  description: `${description} API Gateway sends this error itself.`,
  schema: gatewayBody,
  headers: {},
  examples: gatewayExample(message),
});

/** The responses of API Gateway before any function receives the request. */
export const gatewayResponses = {
  413: gatewayContract('The body is larger than 10 MB.', 'Request Entity Too Large'),
  431: gatewayContract(
    'The request line and the header values have more than 10,240 bytes together.',
    'Request Header Fields Too Large',
  ),
};

/** Returns the request and response headers that CORS must allow. */
export function headersOf(contracts: readonly OperationContract[]) {
  const parameters = contracts.flatMap((contract) => contract.parameters);
  const responses = contracts.flatMap((contract) => Object.values(contract.responses));
  const headers = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
  return {
    request: ['Authorization', 'Content-Type', ...headers],
    response: [...new Set(responses.flatMap((response) => Object.keys(response.headers)))].sort(),
  };
}
