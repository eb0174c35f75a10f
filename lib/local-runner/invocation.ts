/** An invocation as the local runner sends it to a function's worker, and how large it and its answer may be. */

export interface Invocation {
  event: unknown;
  context: {
    awsRequestId: string;
    functionName: string;
    memoryLimitInMB: string;
    /** Milliseconds since the epoch; null while a debugger is attached. */
    deadline: number | null;
  };
}

export type Outcome = { result: unknown } | { error: string };

/** The largest event as JSON, in bytes; also the largest batch of a stream (AWS Lambda quotas, “Invocation payload”). */
export const maxRequestBytes = 6 * 1024 * 1024;

/** The largest answer as JSON, in bytes: a little more, as Lambda's own message has it. */
export const maxAnswerBytes = maxRequestBytes + 100;

/** The size of a value as JSON, in bytes. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}
