/** A typed client of the API: docs/client.md says how to make its types. */
import createClient from 'openapi-fetch';
import type { components, paths } from './testimonials-api.ts';

type Testimonial = components['schemas']['Testimonial'];
type Input = components['schemas']['TestimonialInput'];
type Filter = NonNullable<paths['/v1/testimonials']['get']['parameters']['query']>;
type ErrorBody = components['schemas']['ErrorBody'] | components['schemas']['GatewayError'];

const { TESTIMONIALS_URL: baseUrl = '', TESTIMONIALS_TOKEN: token } = process.env;
export const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });

/** An error response: `code` is its reason for programs, `details` the problem of each field. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Record<string, string>;

  constructor(status: number, body: ErrorBody | undefined) {
    const error = body && 'error' in body ? body.error : undefined;
    super(error?.message ?? `The service responded with ${status}`);
    this.status = status;
    this.code = error?.code ?? 'unknown';
    this.details = error?.details ?? {};
  }
}

/** Creates one testimonial, even if a response is lost: every attempt has the same Idempotency-Key. */
export async function create(body: Input, key: string = crypto.randomUUID()): Promise<Testimonial> {
  for (let attempt = 1; ; attempt += 1) {
    const options = { params: { header: { 'Idempotency-Key': key } }, body };
    const result = await client.POST('/v1/testimonials', options).catch(() => undefined);
    if (result?.data) return result.data;
    const status = result?.response.status ?? 503;
    const seconds = Number(result?.response.headers.get('retry-after') ?? 0);
    // The budget of a day is used up: until midnight UTC.
    const isLong = seconds > 60;
    if ((status < 500 && status !== 429) || isLong || attempt === 5)
      throw new ApiError(status, result?.error);
    await new Promise((resolve) => setTimeout(resolve, Math.max(1000 * seconds, 100 * 2 ** attempt)));
  }
}

const get = (query: Filter) => client.GET('/v1/testimonials', { params: { query } });

/** Yields all testimonials that match a filter, page after page. */
export async function* list(query: Filter = {}) {
  for (let page = query.page ?? 1, hasNext = true; hasNext; ) {
    const { data, error, response } = await get({ ...query, page });
    if (!data) throw new ApiError(response.status, error);
    yield* data.testimonials;
    ({ hasNext } = data.pagination);
    // The header is left out if it would be too long.
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    page = next === undefined ? page + 1 : Number(new URL(next, baseUrl).searchParams.get('page'));
  }
}
