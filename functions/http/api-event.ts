/**
 * The API Gateway event (HTTP API, payload format 2.0) with the members that our middlewares add, and
 * responses.
 */

import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { RequestContext } from '../domain/outcomes.ts';
import type { TokenRecord } from '../domain/token.ts';
import type { Access } from './operation.ts';

/** A request, with header names in lower case. */
export type ApiEvent<Input> = Omit<APIGatewayProxyEventV2, 'body'> & {
  body?: unknown;
  /** The organization of the request, and the id and name of its token or person. Set by `identify`. */
  caller: Pick<TokenRecord, 'organization' | 'name'> & { id: string };
  /** The token, if it was sent in the URL, because page links repeat it. Set by `authenticate`. */
  urlToken?: string;
  /** The budget that pays for the request, and its share of the limits. Set by `identify`. */
  access: Pick<Access, 'budget' | 'share'>;
  /** The accounting of the request. Set by `fairUse`. */
  admitted?: {
    /** Time of admission, in milliseconds since 1970. */
    at: number;
    /** Size of the body, in bytes. */
    bytesIn: number;
    /** Resolves once the known spending is up to date. */
    synced: Promise<void>;
    /** Number of postings that the request pays for. */
    postings: number;
    /** The cost of the bytes in the bucket that the request pays for, in nanodollars. */
    media: number;
    /** Reserved cost of postings and media, in nanodollars. */
    reserved: number;
  };
  /**
   * Charges the request in advance for the postings that an index update will write because of it. Set by
   * `fairUse`.
   * @throws {ApiError} rate_limited if they are expensive and the budget is used up
   */
  payFor: NonNullable<RequestContext['payFor']>;
  /**
   * Charges the request in advance for bytes that the bucket stores or sends because of it, in nanodollars.
   * Set by `fairUse`.
   * @throws {ApiError} rate_limited if half of the budget is used up
   */
  payForMedia: (cost: number) => Promise<void>;
  /** Additional fields of the log line. Set by the operation. */
  logged?: object;
  /** The validated body or query. Set by `validateBody` or `validateQuery`. */
  input: Input;
};

export type ApiResponse = Omit<APIGatewayProxyStructuredResultV2, 'headers'> & {
  headers?: Record<string, string>;
};

/** Middleware of a handler that receives such requests. */
export type Middleware<Input> = MiddlewareObj<ApiEvent<Input>, ApiResponse>;

/** Returns the id that a request has in the gateway's access log, in our log and in the response. */
export function requestIdOf(
  event: { requestContext?: { requestId?: string } },
  context: { awsRequestId?: string },
): string {
  return event.requestContext?.requestId ?? context.awsRequestId ?? 'unknown';
}

/**
 * Returns the origin for a `Host` header: `http` on this machine, `https` elsewhere. A malformed host gives a
 * placeholder.
 */
export function originOf(host: string): string {
  return URL.parse(`${isLocal(host) ? 'http' : 'https'}://${host}`)?.origin ?? 'https://unknown.invalid';
}

export function isLocal(host: string): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);
}

// Responses can contain e-mail addresses, which caches must not keep.
const commonHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export function noContent(): ApiResponse {
  return { statusCode: 204, headers: { ...commonHeaders } };
}

/** Returns a JSON response. Caches must not store it unless `headers` say otherwise. */
export function json(statusCode: number, body: unknown, headers: Record<string, string> = {}): ApiResponse {
  return {
    statusCode,
    headers: { 'content-type': 'application/json', ...commonHeaders, ...headers },
    body: JSON.stringify(body),
  };
}
