/** The API Gateway event (HTTP API, payload format 2.0) with what our middlewares add to it. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { TokenRecord } from '../domain/token.ts';
import type { NewPostings } from '../fair-use/new-postings.ts';
import type { Access } from './operation.ts';

/** The request's headers (names in lower case), caller and validated input. */
export type ApiEvent<Input> = Omit<APIGatewayProxyEventV2, 'body'> & {
  body?: unknown;
  /** Whose request it is, and the id and the name of its token or person. Set by `authenticate`. */
  caller: Pick<TokenRecord, 'organization' | 'name'> & { id: string };
  /** That token, where it stood in the address: links carry it on. Set by `authenticate`. */
  addressToken?: string;
  /** The part of the operation that the token allows. Set by `authenticate`. */
  access: Access;
  /**
   * When the request was let in, in milliseconds, how large its body is, what ends once its budget is up to date, the postings that
   * it pays for, and the nanodollars of them that are reserved. Set by `fairUse`.
   */
  admitted?: { at: number; bytesIn: number; shared: Promise<void>; postings: number; reserved: number };
  /**
   * Makes the request pay for postings that an index update will write because of it, before they are. Set by `fairUse`.
   * @throws {ApiError} rate_limited when they cost much and the budget is used up
   */
  payFor: (postings: NewPostings) => Promise<void>;
  /** What else its line in the log has. Set by the operation. */
  logged?: object;
  /** The validated body or query. Set by `validateBody` or `validateQuery`. */
  input: Input;
};

export type ApiResponse = Omit<APIGatewayProxyStructuredResultV2, 'headers'> & {
  headers?: Record<string, string>;
};

/** The id under which the gateway's access log, our log and the client know a request. */
export function requestIdOf(
  event: { requestContext?: { requestId?: string } },
  context: { awsRequestId?: string },
): string {
  return event.requestContext?.requestId ?? context.awsRequestId ?? 'unknown';
}

// It may have e-mail addresses, which no cache is to keep.
const ofEveryAnswer = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** The answer that has nothing to say. */
export function noContent(): ApiResponse {
  return { statusCode: 204, headers: { ...ofEveryAnswer } };
}

/** A JSON answer, which no cache is to keep where `headers` do not say otherwise. */
export function json(statusCode: number, body: unknown, headers: Record<string, string> = {}): ApiResponse {
  return {
    statusCode,
    headers: { 'content-type': 'application/json', ...ofEveryAnswer, ...headers },
    body: JSON.stringify(body),
  };
}
