/** The Idempotency-Key header (draft-ietf-httpapi-idempotency-key-header). */
import * as v from 'valibot';
import { ApiError } from '../http/api-error.ts';

const rule = 'must be 1 to 255 visible ASCII characters';
const quoted = /^"(?:[!#-[\]-~]|\\["\\])*"$/;
const bare = /^[!#-~][!-~]*$/;

/** Schema of the header: quoted (a Structured Fields string, RFC 8941) or not; both forms name the same key. */
export const idempotencyKey = v.pipe(
  v.string(),
  v.trim(),
  v.check((value) => quoted.test(value) || bare.test(value), rule),
  v.transform((value) => (value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value)),
  v.minLength(1, rule),
  v.maxLength(255, rule),
  v.metadata({ minLength: 1, maxLength: 255 }),
);

/**
 * Reads the key from a request's headers; undefined when it is not given.
 * @throws {ApiError} bad_request when it is malformed
 */
export function readIdempotencyKey(headers: Record<string, string | undefined>): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return undefined;
  const result = v.safeParse(idempotencyKey, header);
  if (result.success) return result.output;
  throw new ApiError('bad_request', 'The request is malformed.', { details: { 'Idempotency-Key': rule } });
}
