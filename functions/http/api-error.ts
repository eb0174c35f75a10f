/** The errors of the API: codes, statuses and bodies, and the mapping from thrown errors. */
import { NotReady } from '../domain/list-query.ts';
import { IdempotencyKeyReused } from '../domain/outcomes.ts';
import { Throttled } from '../dynamodb/throttled.ts';
import { notReadyRetryMs, throttledRetryMs } from '../timing.ts';
import { type ApiResponse, json } from './api-event.ts';

const statusOf = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  validation_error: 422,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal_error: 500,
  not_ready: 503,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof statusOf;

// The table above is not empty.
export const errorCodes = Object.keys(statusOf) as [ErrorCode, ...ErrorCode[]];

/** The problems, by field or parameter: `{"author.email": "must be a valid e-mail address"}`. */
export type ErrorDetails = Record<string, string>;

/** An error whose message may be shown to the client. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;
  readonly headers: Record<string, string>;

  /** @param options `retryAfterSeconds` is sent as the header Retry-After (RFC 9110, 10.2.3) */
  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetails; headers?: Record<string, string>; retryAfterSeconds?: number } = {},
  ) {
    const { details, headers, retryAfterSeconds } = options;
    super(message);
    this.code = code;
    this.details = details;
    this.headers = {
      ...headers,
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    };
  }

  get status(): number {
    return statusOf[this.code];
  }

  toBody(requestId: string) {
    const { code, message, details } = this;
    return { error: { code, message, ...(details && { details }), requestId } };
  }
}

export function errorResponse(thrown: unknown, requestId: string): ApiResponse {
  const error = toApiError(thrown);
  return json(error.status, error.toBody(requestId), error.headers);
}

/** Returns the error to show to the client. An unknown error becomes a 500 without details. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof IdempotencyKeyReused) {
    const use = error.reason === 'erased' ? 'for a testimonial that was erased' : 'with another body';
    return new ApiError('idempotency_key_reused', `The Idempotency-Key was already used ${use}.`, {
      details: { 'Idempotency-Key': `was already used ${use}; use a new key for a new testimonial` },
    });
  }
  if (error instanceof NotReady) {
    const message =
      'The index for this search or filter is being built for your organization. Try again later; other lists work.';
    return new ApiError('not_ready', message, { retryAfterSeconds: notReadyRetryMs / 1000 });
  }
  if (error instanceof Throttled) {
    const message = 'The service is overloaded. Try again after the seconds in Retry-After.';
    return new ApiError('unavailable', message, { retryAfterSeconds: throttledRetryMs / 1000 });
  }
  return new ApiError('internal_error', 'The service failed. Try again later.');
}
