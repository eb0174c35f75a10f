/** Turns whatever was thrown into an answer. */
import type { MiddlewareObj } from '@middy/core';
import { NotReady } from '../domain/not-ready.ts';
import { Throttled } from '../domain/throttled.ts';
import { IdempotencyKeyReused } from '../operations/create-testimonial.ts';
import { notReadyRetryMs, throttledRetryMs } from '../timing.ts';
import { ApiError } from './api-error.ts';
import { type ApiEvent, type ApiResponse, json, requestIdOf } from './api-event.ts';

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
