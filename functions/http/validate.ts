/** Validation of bodies and queries with Valibot schemas. Reports all invalid fields together. */
import * as v from 'valibot';
import { ApiError, type ErrorCode, type ErrorDetails } from './api-error.ts';
import type { ApiEvent, Middleware } from './api-event.ts';

// Reports only the first broken rule of a field, because later rules rely on it.
const abortEarly = { abortPipeEarly: true } as const;

/**
 * Sets `event.input` to the parsed body, or responds 422.
 * @param subject named in the error message
 */
export function validateBody<Input>(
  schema: v.GenericSchema<unknown, Input>,
  subject: 'testimonial' | 'change' | 'upload' = 'testimonial',
): Middleware<Input> {
  return validated(schema, ({ body }) => body, ['validation_error', `The ${subject} is not valid.`]);
}

/**
 * Sets `event.input` to the parsed query, or responds 400. Reads `rawQueryString`, because the gateway joins
 * the values of a repeated parameter with commas.
 * @param schema receives the non-empty values of each parameter as an array
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

/** Returns the non-empty values of each parameter of a query string. */
export function queryValues(rawQueryString: string): Record<string, string[]> {
  // Without a prototype, __proto__ is a name like any other.
  const values: Record<string, string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    if (value === '') continue;
    values[name] ??= [];
    values[name].push(value);
  }
  return values;
}

/** Returns the parameter for a name in a query: `tags` for `tags[]`, `page` for `page[number]`. */
export function parameterOf(name: string): string {
  return name.split('[', 1)[0] ?? '';
}

/** Returns the rule for a parameter that was sent with brackets. */
export function withoutBrackets(parameter: string, value = '<value>'): string {
  return `must be written without brackets, as ${parameter}=${value}`;
}

/** Returns the first problem of each field. */
export function describeIssues(issues: readonly v.BaseIssue<unknown>[]): ErrorDetails {
  const details: ErrorDetails = {};
  for (const issue of issues) {
    const path = v.getDotPath(issue) ?? 'body';
    details[path] ??= issue.received === 'undefined' ? 'is required' : issue.message;
  }
  return details;
}
