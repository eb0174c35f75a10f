/** Holds requests and answers against docs/openapi.json. */
import { expect } from '@jest/globals';
import { answerProblems, operationOf, requestProblems } from './openapi-problems.ts';

export interface Exchange {
  /** `GET /v1/testimonials`. */
  routeKey: string;
  query?: string | undefined;
  headers?: Record<string, string>;
  body?: string | undefined;
  isBase64Encoded?: boolean;
  answer: { status: number; headers: Record<string, unknown>; body: unknown };
}

/** Expects that the document knows a request that was accepted, and its answer: status, headers and body. */
export function expectDocumented(exchange: Exchange): void {
  const { routeKey, query = '', headers = {}, body, isBase64Encoded, answer } = exchange;
  const operation = operationOf(routeKey);
  if (!operation) throw new Error(`The document has no ${routeKey}`);
  expect(answerProblems(routeKey, answer)).toEqual([]);
  // What HTTP itself has every answer say is not an API's to document.
  const ofHttp = /^content-(type|length|encoding)$/i;
  const own = Object.keys(answer.headers).filter((name) => !ofHttp.test(name));
  const documented = Object.keys(operation.responses[answer.status]?.headers ?? {}).map((name) =>
    name.toLowerCase(),
  );
  expect(own.filter((name) => !documented.includes(name.toLowerCase()))).toEqual([]);
  if (answer.status >= 400) return;
  const text = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : body;
  expect(requestProblems(operation, { query, headers, body: text })).toEqual([]);
}
