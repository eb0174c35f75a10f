/** Requests and responses of the API, for any driver. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createTestimonialContract } from '../../../functions/create-testimonial/contract.ts';

export const { path } = createTestimonialContract;

export interface ApiRequest {
  /** GET by default. */
  method?: string;
  /** `/v1/testimonials` by default. */
  path?: string;
  /** Such as `status=approved&page=2`. */
  query?: string;
  /** Replaces the organization's own token; no token if empty. */
  token?: string;
  headers?: Record<string, string>;
  body?: string;
  /** A body that may not be UTF-8. Only behind a gateway, because elsewhere a body is text. */
  bytes?: Uint8Array;
  /** True if API Gateway has encoded the body. Only in process, because elsewhere the gateway decides. */
  isBase64Encoded?: boolean;
}

export interface ServiceResponse {
  status: number;
  /** By name, in lower case. */
  headers: Record<string, string>;
  /** The JSON, or the text if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the rule asserts the shape
  body: any;
}

/** Sends a request. Throws if there is no response. */
export type Send = (request: ApiRequest) => Promise<ServiceResponse>;

/** The last request of the running rule, and its response. */
export interface Exchange {
  request?: ApiRequest;
  response?: ServiceResponse | undefined;
}

export const exchange = new AsyncLocalStorage<Exchange>();

/** Records the last request and its response. */
export function recordExchange(request: ApiRequest, response?: ServiceResponse): void {
  Object.assign(exchange.getStore() ?? {}, { request, response: response });
}

/** Returns a valid body of a create. `overrides` replaces top-level fields. */
export function testimonialBody(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    content: 'Amazing product, we love it',
    author: { name: 'Jane Doe', email: 'jane@example.com' },
    type: 'text',
    ...overrides,
  };
}

/** Returns valid fields of a form, without those that its page contains. */
export function formFields(): Record<string, string> {
  return {
    content: 'They answered within the hour, and it works.',
    'author.name': 'Jane Doe',
    'author.email': 'jane@example.com',
    consent: 'yes',
  };
}

/** Returns the hidden fields of a form. */
export function hiddenFieldsOf(markup: string): { key: string; shownAt: string } {
  const value = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(markup)?.[1] ?? '';
  return { key: value('key'), shownAt: value('shownAt') };
}

/** Returns the JSON of a response, or its text if it is not JSON. */
export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the request that creates a testimonial from a body. */
export function createRequest(body: unknown, headers: Record<string, string> = {}): ApiRequest {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

export function queryOf(parameters: Record<string, string>): string {
  return String(new URLSearchParams(parameters));
}

/** Returns the queries in the Link header (RFC 8288) by their relations. */
export function linksOf({ headers }: ServiceResponse): Record<string, string> {
  const links = (headers.link ?? '').matchAll(/<[^?>]*\?([^>]*)>; rel="(\w+)"/g);
  return Object.fromEntries(Array.from(links, ([, query, relation]) => [relation, query]));
}

/** Returns a short text about a request, without its token. */
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

/** Returns a short text about a response: its status and error, with the request id in the log. */
export function responseText({ status, headers, body }: ServiceResponse): string {
  const id = headers['x-request-id'] ?? headers['apigw-requestid'];
  const what = body?.error?.code ?? shown(body);
  return `${status} ${what}${id && status >= 500 ? ` (request ${id})` : ''}`;
}

// One or two lines of a terminal.
const longest = 200;

/** Returns a short text for a value. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
