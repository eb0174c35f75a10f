/**
 * Expectations about values and responses. The message of an AssertionError is a sentence that names the
 * unexpected value.
 */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import type { ErrorCode } from '../../../functions/http/api-error.ts';
import type { ListBody } from '../../../functions/list-testimonials/list-body.ts';
import { responseText, type ServiceResponse, shown } from './requests.ts';

/**
 * Expects two values to be equal.
 * @param label names the value, as in `the total`
 * @throws {AssertionError} that names the first member in which objects differ
 */
export function expectEqual(label: string, seen: unknown, expected: unknown): void {
  if (isDeepStrictEqual(seen, expected)) return;
  assert(isRecord(seen) && isRecord(expected), `${label}: ${shown(seen)} instead of ${shown(expected)}`);
  const [a, b] = [Object(seen), Object(expected)];
  for (const name of Object.keys({ ...b, ...a })) expectEqual(`${label}, ${name}`, a[name], b[name]);
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function expectStatus(response: ServiceResponse, status: number): void {
  assert(response.status === status, `${responseText(response)} instead of ${status}`);
}

/** Returns the testimonial in the response to a create. */
export function created(response: ServiceResponse): Testimonial {
  expectStatus(response, 201);
  return response.body;
}

/**
 * Returns the testimonial expected from the body of a create, with the id and the time of the created one.
 */
export function pendingOf({ id, createdAt }: Testimonial, body: Record<string, unknown>): object {
  return { ...body, id, status: 'pending', createdAt, updatedAt: createdAt };
}

/** Returns the body of a list. */
export function listed(response: ServiceResponse): ListBody {
  expectStatus(response, 200);
  return response.body;
}

/** Returns the ids of a list's testimonials, in its order. */
export function idsOf(response: ServiceResponse): string[] {
  return listed(response).testimonials.map(({ id }) => id);
}

/** An expected error response. */
export interface ExpectedError {
  status: number;
  code: ErrorCode;
  /** The fields or parameters that the details name. If absent, there must be no details. */
  fields?: string[];
  /** The whole header WWW-Authenticate. */
  challenge?: string;
}

export function invalid(...fields: string[]): ExpectedError {
  return { status: 422, code: 'validation_error', fields };
}

export function malformed(...fields: string[]): ExpectedError {
  return { status: 400, code: 'bad_request', fields };
}

export const challenge = 'Bearer realm="testimonials"';

export const unauthorized: ExpectedError = { status: 401, code: 'unauthorized' };

export const invalidToken: ExpectedError = {
  ...unauthorized,
  challenge: `${challenge}, error="invalid_token"`,
};

export const forbidden: ExpectedError = { status: 403, code: 'forbidden' };

/** Expects an error response, with a message and details that contain words. */
export function refused(
  response: ServiceResponse,
  { status, code, fields, challenge: expected }: ExpectedError,
): void {
  const { error } = response.body ?? {};
  assert(
    response.status === status && error?.code === code,
    `${responseText(response)} instead of ${status} ${code}`,
  );
  const details = error.details && Object.keys(error.details).sort();
  expectEqual('the names of the details', details, fields?.toSorted());
  const sentences = [error.message, ...Object.values(error.details ?? {})];
  assert(
    sentences.every((each) => /\w/.test(String(each))),
    `no words: ${shown(error)}`,
  );
  if (expected !== undefined) expectEqual('WWW-Authenticate', response.headers['www-authenticate'], expected);
}
