/** Validation of bodies and queries by Valibot schemas; every failing field is reported at once. */
import type { MiddlewareObj } from '@middy/core';
import * as v from 'valibot';
import { ApiError, type ErrorCode, type ErrorDetails } from './api-error.ts';
import type { ApiEvent, ApiResponse } from './api-event.ts';

type Middleware<Input> = MiddlewareObj<ApiEvent<Input>, ApiResponse>;

// The first broken rule of a field is the one that is told: the rules after it may count on it.
const abortEarly = { abortPipeEarly: true } as const;

/**
 * Sets `event.input` to the parsed body, or refuses with 422.
 * @param what it is a body of, for people
 */
export function validateBody<Input>(
  schema: v.GenericSchema<unknown, Input>,
  what: 'testimonial' | 'change' = 'testimonial',
): Middleware<Input> {
  return validated(schema, ({ body }) => body, ['validation_error', `The ${what} is not valid.`]);
}

/**
 * Sets `event.input` to the parsed query, or refuses with 400. Reads `rawQueryString`: the gateway's own
 * parse joins repeated parameters with commas.
 * @param schema takes for each parameter the array of its values that are not empty
 */
export function validateQuery<Input>(schema: v.GenericSchema<unknown, Input>): Middleware<Input> {
  const valuesOf = ({ rawQueryString }: ApiEvent<Input>) => queryValues(rawQueryString ?? '');
  return validated(schema, valuesOf, ['bad_request', 'The request has invalid parameters.']);
}

function validated<Input>(
  schema: v.GenericSchema<unknown, Input>,
  read: (event: ApiEvent<Input>) => unknown,
  [code, message]: [ErrorCode, string],
): Middleware<Input> {
  return {
    before: ({ event }) => {
      const { success, output, issues } = v.safeParse(schema, read(event), abortEarly);
      if (!success) throw new ApiError(code, message, { details: describeIssues(issues) });
      event.input = output;
    },
  };
}

/** The values that are not empty of each parameter of a query string. */
export function queryValues(rawQueryString: string): Record<string, string[]> {
  // Without a prototype, a parameter named __proto__ is a parameter like any other.
  const values: Record<string, string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    if (value === '') continue;
    values[name] ??= [];
    values[name].push(value);
  }
  return values;
}

/** The problems, by field. */
export function describeIssues(issues: readonly v.BaseIssue<unknown>[]): ErrorDetails {
  const details: ErrorDetails = {};
  for (const issue of issues) {
    const path = v.getDotPath(issue) ?? 'body';
    details[path] ??= issue.received === 'undefined' ? 'is required' : issue.message;
  }
  return details;
}
