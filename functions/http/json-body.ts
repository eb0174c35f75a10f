/** Reads a request's body as a JSON object. */
import { isUtf8 } from 'node:buffer';
import type { MiddlewareObj } from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { ApiError } from './api-error.ts';
import type { ApiEvent, ApiResponse } from './api-event.ts';

// RFC 9110 allows blanks around the semicolon before a parameter; the parser's own check does not.
const jsonMediaType = /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i;

/** Middy's JSON body parser, with our errors: 400 for whatever is no JSON object. */
export function jsonBody<Input>(): MiddlewareObj<ApiEvent<Input>, ApiResponse> {
  const { before: parse } = httpJsonBodyParser({ disableContentTypeCheck: true });
  return {
    before: async (request) => {
      const { event } = request;
      const { headers, isBase64Encoded } = event;
      if (!event.body) throw malformed('body', 'is missing: send a JSON object');
      const body = String(event.body);
      // The parser would replace what is none.
      if (isBase64Encoded && !isUtf8(Buffer.from(body, 'base64'))) {
        throw malformed('body', 'must be JSON in UTF-8');
      }
      if (!jsonMediaType.test(headers['content-type'] ?? '')) {
        throw malformed('Content-Type', 'must be application/json');
      }
      try {
        // It works on any event with a body; its type names the gateway's own.
        await parse?.(request as never);
      } catch (error) {
        if (!isForbiddenKey(error)) throw malformed('body', 'must be valid JSON');
        // A field named __proto__, which the parser refuses, is an unknown field, and ignored like any other.
        event.body = JSON.parse(isBase64Encoded ? Buffer.from(body, 'base64').toString() : body);
      }
      if (typeof event.body !== 'object' || event.body === null || Array.isArray(event.body)) {
        throw malformed('body', 'must be a JSON object');
      }
    },
  };
}

function isForbiddenKey(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return typeof cause === 'object' && cause !== null && 'data' in cause && !('message' in cause);
}

// Without a cause: the parser's quotes the body, which can hold an e-mail address.
function malformed(part: string, problem: string): ApiError {
  return new ApiError('bad_request', 'The request is malformed.', { details: { [part]: problem } });
}
