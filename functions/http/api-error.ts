/** Every error that the API answers: its code, its status and its one shape. */

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
