/** What rules expect of values and answers; an AssertionError says in a sentence what was seen instead. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import type { ErrorCode } from '../../functions/http/api-error.ts';
import type { ListBody } from '../../functions/list-testimonials/contract.ts';
import { type Answer, answerText, shown } from './requests.ts';

/**
 * @param what names the value, as in `the total`
 * @throws {AssertionError} where they differ; of objects it names the first member that does
 */
export function same(what: string, seen: unknown, expected: unknown): void {
  if (isDeepStrictEqual(seen, expected)) return;
  assert(isRecord(seen) && isRecord(expected), `${what}: ${shown(seen)} instead of ${shown(expected)}`);
  const [a, b] = [Object(seen), Object(expected)];
  for (const name of Object.keys({ ...b, ...a })) same(`${what}, ${name}`, a[name], b[name]);
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws {AssertionError} where the answer has another status */
export function hasStatus(answer: Answer, status: number): void {
  assert(answer.status === status, `${answerText(answer)} instead of ${status}`);
}

/** The testimonial that a create was answered with. */
export function created(answer: Answer): Testimonial {
  hasStatus(answer, 201);
  return answer.body;
}

/** The testimonial that a create makes of a body: `created` says what the service alone decides. */
export function pendingOf({ id, createdAt }: Testimonial, body: Record<string, unknown>): object {
  return { ...body, id, status: 'pending', createdAt, updatedAt: createdAt };
}

/** The body of a list. */
export function listed(answer: Answer): ListBody {
  hasStatus(answer, 200);
  return answer.body;
}

/** The ids of a list's testimonials, in its order. */
export function idsOf(answer: Answer): string[] {
  return listed(answer).testimonials.map(({ id }) => id);
}

/** A refusal as the specification fixes it. */
export interface Refusal {
  status: number;
  code: ErrorCode;
  /** The fields or parameters that the details name; no details where absent. */
  fields?: string[];
  /** The header WWW-Authenticate, whole. */
  challenge?: string;
}

/** The refusal of a body that breaks field rules. */
export function invalid(...fields: string[]): Refusal {
  return { status: 422, code: 'validation_error', fields };
}

/** The refusal of a malformed request. */
export function malformed(...fields: string[]): Refusal {
  return { status: 400, code: 'bad_request', fields };
}

export const challenge = 'Bearer realm="testimonials"';

export const unauthorized: Refusal = { status: 401, code: 'unauthorized' };

/** The refusal of a token that was sent. */
export const invalidToken: Refusal = { ...unauthorized, challenge: `${challenge}, error="invalid_token"` };

export const forbidden: Refusal = { status: 403, code: 'forbidden' };

/** @throws {AssertionError} where the answer is not this refusal, or does not say what is wrong */
export function refused(answer: Answer, { status, code, fields, challenge: expected }: Refusal): void {
  const { error } = answer.body ?? {};
  assert(
    answer.status === status && error?.code === code,
    `${answerText(answer)} instead of ${status} ${code}`,
  );
  const details = error.details && Object.keys(error.details).sort();
  same('the names of the details', details, fields?.toSorted());
  const sentences = [error.message, ...Object.values(error.details ?? {})];
  assert(
    sentences.every((each) => /\w/.test(String(each))),
    `no words: ${shown(error)}`,
  );
  if (expected !== undefined) same('WWW-Authenticate', answer.headers['www-authenticate'], expected);
}
