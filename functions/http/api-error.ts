/** Every error that the API answers: its code, its status and its one shape. */

import type { MiddlewareObj } from '@middy/core';
import { NotReady, Throttled } from '../domain/try-later.ts';
import { IdempotencyKeyReused } from '../operations/create-testimonial.ts';
import { notReadyRetryMs, throttledRetryMs } from '../timing.ts';
import { type ApiEvent, type ApiResponse, json, requestIdOf } from './api-event.ts';

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

/** All codes that a function answers. */
export const errorCodes = Object.keys(statusOf) as [ErrorCode, ...ErrorCode[]]; // of the table above, which is not empty

/** The problems, by field or parameter: `{"author.email": "must be a valid e-mail address"}`. */
export type ErrorDetails = Record<string, string>;

/** An error whose message may be shown to the client. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;
  readonly headers: Record<string, string>;

  /** @param options `retryAfterSeconds` is told in the header Retry-After (RFC 9110, 10.2.3) */
  constructor(
    code: ErrorCode,
    message: string,
    options: {
      details?: ErrorDetails;
      headers?: Record<string, string>;
      retryAfterSeconds?: number;
    } = {},
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

  /** The body of the answer. */
  toBody(requestId: string) {
    const { code, message, details } = this;
    return { error: { code, message, ...(details && { details }), requestId } };
  }
}

/** An ApiError answers as itself, a refusal of the domain as its counterpart, all else as a bare 500. */
export function errorResponse<Input>(): MiddlewareObj<ApiEvent<Input>, ApiResponse> {
  return {
    onError: (request) => {
      const error = toApiError(request.error);
      const requestId = requestIdOf(request.event, request.context);
      request.response = json(error.status, error.toBody(requestId), error.headers);
    },
  };
}

/** The error that a client is told of. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof IdempotencyKeyReused) {
    const how = error.reason === 'erased' ? 'for a testimonial that was erased' : 'with another body';
    return new ApiError('idempotency_key_reused', `The Idempotency-Key was already used ${how}.`, {
      details: { 'Idempotency-Key': `was already used ${how}; use a new key for a new testimonial` },
    });
  }
  if (error instanceof NotReady) {
    return new ApiError(
      'not_ready',
      'What this list asks for is being prepared for your organization. Please try again later.',
      { retryAfterSeconds: notReadyRetryMs / 1000 },
    );
  }
  if (error instanceof Throttled) {
    return new ApiError('unavailable', 'The service has too much to do. Please try again later.', {
      retryAfterSeconds: throttledRetryMs / 1000,
    });
  }
  return new ApiError('internal_error', 'The service failed to answer. Please try again later.');
}
