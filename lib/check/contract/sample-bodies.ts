/** What the check sends to create testimonials. */
import type { ApiRequest } from '../deployed-api.ts';

/** A valid body; `overrides` replace its fields. */
export function sampleBody(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    content: 'Amazing product, checked from the outside.',
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
