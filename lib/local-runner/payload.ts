/** How large what is sent to a function and what it answers may be, as JSON (AWS Lambda quotas, “Invocation payload”). */

/** Of a request, in bytes; also of a batch of a stream. */
export const maxRequestBytes = 6 * 1024 * 1024;

/** Of an answer, in bytes: a little more, as Lambda's own message has it. */
export const maxAnswerBytes = maxRequestBytes + 100;

/** The size of a value as JSON, in bytes. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}
