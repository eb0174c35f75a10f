/** Parses a request's body as a JSON object. */
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { ApiError } from './api-error.ts';
import type { Middleware } from './api-event.ts';

// RFC 9110 allows blanks before the semicolon of a parameter. The parser's own check does not.
const jsonMediaType = /^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i;

/** Middy's JSON body parser with our errors. Responds 400 to anything but a JSON object. */
export function jsonBody<Input>(): Middleware<Input> {
  const { before: parse } = httpJsonBodyParser({ disableContentTypeCheck: true });
  return {
    before: async (request) => {
      const { event } = request;
      const { headers, isBase64Encoded } = event;
      if (!event.body) throw malformed('body', 'is missing: send a JSON object');
      if (!jsonMediaType.test(headers['content-type'] ?? '')) {
        throw malformed('Content-Type', 'must be application/json');
      }
      const text = bodyText(String(event.body), isBase64Encoded);
      event.body = text;
      event.isBase64Encoded = false;
      try {
        // The parser works on any event with a body, but its type requires the gateway's.
        await parse?.(request as never);
      } catch {
        // The parser rejects deep nesting and fields such as __proto__. Both can only occur in unknown
        // fields, which we ignore.
        event.body = parsed(text);
      }
      if (typeof event.body !== 'object' || event.body === null || Array.isArray(event.body)) {
        throw malformed('body', 'must be a JSON object');
      }
    },
  };
}

// Signs of another encoding. API Gateway and `toString` replace bytes that are not UTF-8 by U+FFFD. UTF-16
// and UTF-32 contain NUL, which JSON does not allow.
const misread = /[\uFFFD\0]/;

const byteOrderMark = /^\uFEFF/;

/** Returns the text of a body. Ignores a byte order mark (RFC 8259, section 8.1). */
function bodyText(body: string, isBase64Encoded: boolean): string {
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
  if (misread.test(text)) throw malformed('body', 'must be JSON in UTF-8');
  return text.replace(byteOrderMark, '');
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
