/** Rules for every response of a function. */
import assert from 'node:assert/strict';
import { operationOf, problems, responseProblems } from './documented.ts';
import { type ApiRequest, path, type ServiceResponse, shown } from './requests.ts';

/** Returns the problem of a response to a request such as `GET /v1/testimonials`, or undefined. */
type FindProblem = (response: ServiceResponse, routeKey: string) => string | undefined;

const rules: Record<string, FindProblem> = {
  'it has an X-Request-Id, which the body of an error repeats': ({ headers, body }) => {
    const id = headers['x-request-id'];
    const { error } = body ?? {};
    if (!id || !/^[\w=-]+$/.test(id)) return id ?? 'none';
    return error && error.requestId !== id ? `${id}, and ${error.requestId} in the body` : undefined;
  },
  'a body is application/json': (response, routeKey) =>
    response.status === 204 ? undefined : header('content-type', 'application/json')(response, routeKey),
  'only a published list may be cached': ({ headers, body }) => {
    const seen = headers['cache-control'] ?? 'none';
    const ids: string[] | undefined = body?.testimonials?.map(({ id }: { id: unknown }) => String(id));
    const isPublished = ids?.every((id) => id.startsWith('pub_')) ?? false;
    return seen === 'no-store' || (isPublished && seen === 'public, max-age=60') ? undefined : seen;
  },
  'X-Content-Type-Options is nosniff': header('x-content-type-options', 'nosniff'),
  'WWW-Authenticate comes with 401 and 403 only': ({ status, headers }) => {
    const challenge = headers['www-authenticate'];
    if (status !== 401 && status !== 403) return challenge;
    return challenge?.startsWith('Bearer realm="testimonials"') ? undefined : (challenge ?? 'none');
  },
  'status and body are as docs/openapi.json documents them': (response, routeKey) =>
    (operationOf(routeKey)
      ? responseProblems(routeKey, response)
      : problems({ $ref: '#/components/schemas/ErrorBody' }, response.body, 'closed'))[0],
};

export const everyResponseRules = Object.keys(rules);

function header(name: string, expected: string): FindProblem {
  return ({ headers }) => (headers[name] === expected ? undefined : (headers[name] ?? 'none'));
}

/** True for responses of API Gateway itself, such as those to preflights, whose body and headers differ. */
function isGateways({ status, body }: ServiceResponse, routeKey: string): boolean {
  if (routeKey.startsWith('OPTIONS ')) return true;
  const isMessage = typeof body === 'object' && body !== null && Object.keys(body).join() === 'message';
  return isMessage || (status >= 400 && typeof body === 'string');
}

/** Checks every response and collects the problems. */
export class EveryResponse {
  readonly #wrong = new Map<string, string[]>();
  readonly #requestIds = new Set<string>();
  #seen = 0;

  see({ method = 'GET', path: at = path }: ApiRequest, response: ServiceResponse): void {
    const routeKey = `${method} ${at.replace(/^\/v1\/testimonials\/[^/]+$/, `${path}/{id}`)}`;
    if (isGateways(response, routeKey)) return;
    this.#seen += 1;
    this.#requestIds.add(response.headers['x-request-id'] ?? '');
    for (const [name, problem] of Object.entries(rules)) {
      const seen = problem(response, routeKey);
      if (seen === undefined) continue;
      const where = `${seen} (${routeKey} ${response.status})`;
      this.#wrong.set(name, [...(this.#wrong.get(name) ?? []), where]);
    }
  }

  /** Expects that there were responses, and that all of them followed a rule. */
  expectHeld(name: string): void {
    const [first, ...more] = this.#wrong.get(name) ?? [];
    assert(this.#seen > 0, 'there was no response');
    assert(first === undefined, `${shown(first)}; ${more.length + 1} of ${this.#seen} responses`);
  }

  /** Expects that each response has its own X-Request-Id. */
  expectOwnIds(): void {
    assert(this.#requestIds.size === this.#seen, `${this.#requestIds.size} ids of ${this.#seen} responses`);
  }
}
