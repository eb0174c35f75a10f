/** Reads a request's body as a JSON object. */
import type { MiddlewareObj } from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { ApiError } from './api-error.ts';
import type { ApiEvent, ApiResponse } from './api-event.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Middy's JSON body parser, with our errors: 400 for whatever is no JSON object. */
export function jsonBody<Input>(): MiddlewareObj<ApiEvent<Input>, ApiResponse> {
  // It works on any event with headers and a body; its type names the gateway's own.
  const parser = httpJsonBodyParser() as MiddlewareObj<ApiEvent<Input>, ApiResponse>;
  return {
    before: async (request) => {
      const { event } = request;
      if (!event.body) throw badBody('is missing: send a JSON object');
      if (event.isBase64Encoded) {
        event.body = decode(String(event.body));
        event.isBase64Encoded = false;
      }
      const text = String(event.body);
      // RFC 9110 allows blanks around the semicolon; the parser does not.
      const [mediaType = ''] = (event.headers['content-type'] ?? '').split(';');
      event.headers['content-type'] = mediaType.trim();
      try {
        await parser.before?.(request);
      } catch (error) {
        event.body = parseRefused(text, error);
      }
      if (typeof event.body !== 'object' || event.body === null || Array.isArray(event.body)) {
        throw badBody('must be a JSON object');
      }
    },
  };
}

function decode(base64: string): string {
  try {
    return utf8.decode(Buffer.from(base64, 'base64'));
  } catch (cause) {
    throw badBody('must be JSON in UTF-8', cause);
  }
}

function parseRefused(text: string, error: unknown): unknown {
  if (error instanceof Error && 'statusCode' in error && error.statusCode === 415) {
    throw new ApiError('bad_request', 'The request is malformed.', {
      details: { 'Content-Type': 'must be application/json' },
    });
  }
  try {
    // The parser also refuses keys like __proto__. They are unknown fields, which the schema drops.
    return JSON.parse(text);
  } catch {
    // Without the cause: it quotes the body, which can hold an e-mail address.
    throw badBody('must be valid JSON');
  }
}

function badBody(problem: string, cause?: unknown): ApiError {
  return new ApiError('bad_request', 'The request is malformed.', { details: { body: problem }, cause });
}
