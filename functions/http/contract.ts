/** The contract of an operation: what a function has to know of it, and what documents it. */
import * as v from 'valibot';
import { Throttled } from '../domain/try-later.ts';
import { ApiError, type ErrorCode, errorCodes, toApiError } from './api-error.ts';
import type { Operation } from './operation.ts';

type Schema = v.GenericSchema;

export interface ParameterContract {
  name: string;
  in: 'query' | 'header' | 'path';
  description: string;
  schema: Schema;
  /** The value that an absent parameter stands for. */
  default?: string | number;
  example?: string | number;
}

export interface ResponseContract {
  description: string;
  /** Absent where it has no body. */
  schema?: Schema;
  /** Headers that it can have, and what they say. */
  headers: Record<string, string>;
  /** By a name; those of errors by their codes. */
  examples: Record<string, unknown>;
}

/** The subjects of operations. */
export const operationTags = {
  Testimonials: 'What customers say of an organization.',
  Moderation:
    'Optional: only a deployment with the context value `moderation=true` has these; on any other their path is 404.',
} as const;

export interface OperationContract extends Operation {
  operationId: string;
  summary: string;
  /** The subject under which a page of all operations has it. */
  tag: keyof typeof operationTags;
  description: string;
  parameters: readonly ParameterContract[];
  requestBody?: { contentType: string; schema: Schema; example: unknown };
  responses: Record<number, ResponseContract>;
}

/** Schema of every error body. */
export const errorBody = v.object({
  error: v.object({
    code: v.pipe(v.picklist(errorCodes), v.description('What is wrong, for programs.')),
    message: v.pipe(v.string(), v.description('What is wrong, for people.')),
    details: v.exactOptional(
      v.pipe(
        v.record(v.string(), v.string()),
        v.description('What is wrong, by field or parameter; only on 400, 409 and 422.'),
      ),
    ),
    requestId: v.pipe(v.string(), v.description('The X-Request-Id of the answer.')),
  }),
});

/** The header of every answer that a function gives. */
export const commonHeaders = {
  'X-Request-Id': 'Names the request in the log.',
  'Cache-Control': 'no-store: an answer may have e-mail addresses.',
  'X-Content-Type-Options': 'nosniff.',
};

/** The header of an answer that can be large. */
export const largeAnswerHeaders = {
  Vary: 'Accept-Encoding, of 2 KB and more: these leave compressed where the request says that gzip is accepted.',
};

const challenge = { 'WWW-Authenticate': 'Bearer challenge (RFC 6750).' };

const retryAfter = { 'Retry-After': 'Seconds to wait before the next try; not of API Gateway.' };

/** The example of an error, by its code. */
export function errorExample(code: ErrorCode, message: string, details?: Record<string, string>) {
  return exampleOf(new ApiError(code, message, details && { details }));
}

/** The example of an error as it is answered, by its code. */
export function exampleOf(error: unknown) {
  const told = toApiError(error);
  return { [told.code]: told.toBody('b1946ac9-2d5c-4f8e-9d5a-7c9e6f3d2a10') };
}

/** An error that a function answers. */
export function errorAnswer(
  description: string,
  examples: ResponseContract['examples'],
  headers: ResponseContract['headers'] = {},
) {
  return { description, schema: errorBody, headers: { ...commonHeaders, ...headers }, examples };
}

/** A testimonial as the answers of examples have it. */
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

/** Schema of what API Gateway answers itself. */
export const gatewayBody = v.object({
  message: v.pipe(v.string(), v.description('What is wrong, for people.')),
});

const ofGateway = (message: string) => ({ 'API Gateway': { message } });

/** An error that a function answers, which says when to try again, or API Gateway. */
function errorOfBoth(description: string, example: ResponseContract['examples'], message: string) {
  const examples = { ...example, ...ofGateway(message) };
  return { ...errorAnswer(description, examples, retryAfter), schema: v.union([errorBody, gatewayBody]) };
}

/** The answers that every operation can give besides its own. */
export const commonResponses = {
  400: errorAnswer(
    'The request is malformed; `details` names each bad parameter or part.',
    errorExample('bad_request', 'The request has invalid parameters.', {
      limit: 'must be a whole number from 1 to 100',
    }),
  ),
  401: errorAnswer(
    'The API token is missing, malformed, unknown, expired or revoked.',
    errorExample('unauthorized', 'The API token is not valid.'),
    challenge,
  ),
  403: errorAnswer(
    'The API token does not have the permission of this operation, or of what it asks for.',
    errorExample('forbidden', 'The API token does not have the permission testimonials:write.'),
    challenge,
  ),
  429: errorOfBoth(
    'The organization has used up what its requests may cost, or how many it may send, in a minute: wait for as many ' +
      'seconds as `Retry-After` says. Or all clients together send too much, which API Gateway answers itself, with a body of its own.',
    errorExample(
      'rate_limited',
      'Your organization has used up what its requests may cost in a minute. Try again in 42 seconds.',
    ),
    'Too Many Requests',
  ),
  500: errorAnswer(
    'The service failed; its log has the reason under the same request id.',
    exampleOf(new Error()),
  ),
  503: errorOfBoth(
    'The service has too much to do: wait for as many seconds as `Retry-After` says. Or API Gateway reaches no ' +
      'function, which it answers itself, with a body of its own.',
    exampleOf(new Throttled('')),
    'Service Unavailable',
  ),
} as const satisfies Record<number, ResponseContract>;

const answerOfGateway = (description: string, message: string): ResponseContract => ({
  description: `${description} API Gateway answers this itself.`,
  schema: gatewayBody,
  headers: {},
  examples: ofGateway(message),
});

/** The answers that API Gateway gives before any function sees the request. */
export const gatewayResponses = {
  413: answerOfGateway('The body is larger than 10 MB.', 'Request Entity Too Large'),
  431: answerOfGateway(
    'The request line and the values of all headers have more than 10,240 bytes together.',
    'Request Header Fields Too Large',
  ),
};

/** The request headers that operations read, and those that their answers can have: what CORS has to allow. */
export function headersOf(contracts: readonly OperationContract[]): {
  request: string[];
  response: string[];
} {
  const parameters = contracts.flatMap((contract) => contract.parameters);
  const responses = contracts.flatMap((contract) => Object.values(contract.responses));
  const headers = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
  return {
    request: ['Authorization', 'Content-Type', ...headers],
    response: [...new Set(responses.flatMap((response) => Object.keys(response.headers)))].sort(),
  };
}
