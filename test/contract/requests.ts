/** Requests and answers of the API, as any driver sends and receives them. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createTestimonialContract } from '../../functions/create-testimonial/contract.ts';

/** The path of both operations. */
export const { path } = createTestimonialContract;

export interface ApiRequest {
  /** GET where absent. */
  method?: string;
  /** That of both operations where absent. */
  path?: string;
  /** As in `status=approved&page=2`. */
  query?: string;
  /** Another token than the organization's own; none where it is empty. */
  token?: string;
  headers?: Record<string, string>;
  /** Text as it goes over the wire. */
  body?: string;
  /** Whether API Gateway has encoded the body; only in process, as elsewhere it decides by itself. */
  isBase64Encoded?: boolean;
}

export interface Answer {
  status: number;
  /** By their names in lower case. */
  headers: Record<string, string>;
  /** The JSON, or the text where it is none. */
  // What the API answers is what a rule is about to check.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is asserted by the rule
  body: any;
}

/** Sends a request; throws where nothing answers. */
export type Send = (request: ApiRequest) => Promise<Answer>;

/** The last request of what runs, and its answer. */
export interface Exchange {
  request?: ApiRequest;
  answer?: Answer | undefined;
}

export const exchange = new AsyncLocalStorage<Exchange>();

/** Notes what was sent, and what was answered. */
export function note(request: ApiRequest, answer?: Answer): void {
  Object.assign(exchange.getStore() ?? {}, { request, answer });
}

/** A valid body of a create; `overrides` replace top-level fields. */
export function testimonialBody(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    content: 'Amazing product, we love it',
    author: { name: 'Jane Doe', email: 'jane@example.com' },
    type: 'text',
    ...overrides,
  };
}

/** The request that creates a testimonial from a body. */
export function createRequest(body: unknown, headers: Record<string, string> = {}): ApiRequest {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

/** Parameters as a query, escaped. */
export function queryOf(parameters: Record<string, string>): string {
  return String(new URLSearchParams(parameters));
}

/** The queries of the header Link (RFC 8288), by their relations. */
export function linksOf({ headers }: Answer): Record<string, string> {
  const found = (headers.link ?? '').matchAll(/<[^?>]*\?([^>]*)>; rel="(\w+)"/g);
  return Object.fromEntries(Array.from(found, ([, query, relation]) => [relation, query]));
}

/** A request in a few words, without its token. */
export function requestText({
  method = 'GET',
  path: at = path,
  query,
  headers = {},
  body,
}: ApiRequest): string {
  const { authorization: _, ...others } = headers;
  const named = Object.entries(others).map(([name, value]) => `${name}: ${shown(value)}`);
  return [`${method} ${at}${query ? `?${shown(query)}` : ''}`, ...named, ...(body ? [shown(body)] : [])].join(
    ' · ',
  );
}

/** An answer in a few words: its status, and what is wrong, with the id by which the log knows it. */
export function answerText({ status, headers, body }: Answer): string {
  const id = headers['x-request-id'] ?? headers['apigw-requestid'];
  const what = body?.error?.code ?? shown(body);
  return `${status} ${what}${id && status >= 500 ? ` (request ${id})` : ''}`;
}

// A line of a terminal or two.
const longest = 200;

/** A value in a few words. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
