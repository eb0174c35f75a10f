/** Parses a request's body as a JSON object. */
import { isUtf8 } from 'node:buffer';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { ApiError } from './api-error.ts';
import type { Middleware } from './api-event.ts';

// RFC 9110 allows blanks before the semicolon of a parameter; the parser's own check does not.
const jsonMediaType = /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i;

/** Middy's JSON body parser with our errors. Responds 400 to anything but a JSON object. */
export function jsonBody<Input>(): Middleware<Input> {
  const { before: parse } = httpJsonBodyParser({ disableContentTypeCheck: true });
  return {
    before: async (request) => {
      const { event } = request;
      const { headers, isBase64Encoded } = event;
      if (!event.body) throw malformed('body', 'is missing: send a JSON object');
      const body = String(event.body);
      const text = isBase64Encoded ? decoded(body) : body;
      if (!jsonMediaType.test(headers['content-type'] ?? '')) {
        throw malformed('Content-Type', 'must be application/json');
      }
      try {
        // It works on any event with a body, but its type requires the gateway's.
        await parse?.(request as never);
      } catch {
        // The parser rejects deep nesting and fields such as __proto__. Both can only be in unknown fields, which we ignore.
        event.body = parsed(text);
      }
      if (typeof event.body !== 'object' || event.body === null || Array.isArray(event.body)) {
        throw malformed('body', 'must be a JSON object');
      }
    },
  };
}

function decoded(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  // `toString` would replace invalid bytes silently.
  if (!isUtf8(bytes)) throw malformed('body', 'must be JSON in UTF-8');
  return bytes.toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No cause, because the parser's error quotes the body, which can contain an e-mail address.
    throw malformed('body', 'must be valid JSON');
  }
}

function malformed(part: string, problem: string): ApiError {
  return new ApiError('bad_request', 'The request is malformed.', { details: { [part]: problem } });
}
