/** The contracts of operations, from which the OpenAPI document is generated. */
import * as v from 'valibot';
import type { Parameter } from '../domain/testimonial-filter.ts';
import { Throttled } from '../dynamodb/throttled.ts';
import { errorCodes, toApiError } from './api-error.ts';
import texts from './contract.json' with { type: 'json' };
import type { Operation } from './operation.ts';

type Schema = v.GenericSchema;

export interface ParameterContract extends Parameter<unknown> {
  name: string;
  in: 'query' | 'header' | 'path';
}

export interface ResponseContract {
  description: string;
  /** Absent if there is no body. */
  schema?: Schema;
  /** Descriptions of its headers, by name. */
  headers: Record<string, string>;
  /** Examples by name; examples of errors by code. */
  examples: Record<string, unknown>;
}

export interface OperationContract extends Operation {
  operationId: string;
  summary: string;
  tag: keyof typeof texts.tags;
  description: string;
  parameters: readonly ParameterContract[];
  requestBody?: { contentType: string; schema: Schema; examples: Record<string, unknown> };
  responses: Record<number, ResponseContract>;
}

/** Schema of every error body. */
export const errorBody = v.object({
  error: v.object({
    code: v.pipe(
      v.string(),
      v.description('The problem, for programs. Codes may be added.'),
      v.metadata({ examples: errorCodes }),
    ),
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

/** Schema of the body of API Gateway's own responses. */
export const gatewayBody = v.object({
  message: v.pipe(v.string(), v.description('The problem, for people.')),
});

// The headers of every response of a function, and those of a response that can be large.
export const {
  tags: operationTags,
  testimonial: exampleTestimonial,
  headers: commonHeaders,
  largeResponseHeaders,
} = texts;

type ResponseTexts = Pick<ResponseContract, 'description'> & Partial<ResponseContract>;

export function responseContract<Body extends Schema>(
  schema: Body,
  { description, headers = {}, examples = {} }: ResponseTexts,
) {
  return { description, schema, headers: { ...texts.headers, ...headers }, examples };
}

/**
 * Returns the contract of an error response of a function, with its texts and an example of each thrown
 * error.
 */
export function errorContract(response: ResponseTexts, ...thrown: Error[]) {
  const examples = Object.assign({}, response.examples, ...thrown.map(exampleOf));
  return responseContract(errorBody, { ...response, examples });
}

/** Returns the example of the response to a thrown error, by its code. */
export function exampleOf(error: Error) {
  const shown = toApiError(error);
  return { [shown.code]: shown.toBody(texts.requestId) };
}

// Errors that can come from a function, with `Retry-After`, or from API Gateway.
const sharedBody = v.union([errorBody, gatewayBody]);

/** The responses that every operation can send, besides its own. */
export const commonResponses = {
  400: errorContract(texts.errors[400]),
  401: errorContract(texts.errors[401]),
  403: errorContract(texts.errors[403]),
  429: responseContract(sharedBody, texts.errors[429]),
  500: errorContract(texts.errors[500], new Error()),
  503: responseContract(sharedBody, {
    ...texts.errors[503],
    examples: { ...exampleOf(new Throttled()), ...texts.errors[503].examples },
  }),
} as const satisfies Record<number, ResponseContract>;

/** The responses that API Gateway sends before a function receives the request. */
export const gatewayResponses = {
  413: { ...texts.gatewayErrors[413], schema: gatewayBody, headers: {} },
  431: { ...texts.gatewayErrors[431], schema: gatewayBody, headers: {} },
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
