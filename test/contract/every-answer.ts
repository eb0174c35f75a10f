/** What holds of every answer that a function gives, whatever it was asked. */
import assert from 'node:assert/strict';
import { answerProblems, operationOf, problems } from '../openapi.ts';
import { type Answer, type ApiRequest, path, shown } from './requests.ts';

/** Says what is wrong with an answer to a request, `GET /v1/testimonials`; undefined where nothing is. */
type Problem = (answer: Answer, routeKey: string) => string | undefined;

/** The rules, by their names. */
const rules: Record<string, Problem> = {
  'X-Request-Id, which is also the one in the body of an error': ({ headers, body }) => {
    const id = headers['x-request-id'];
    const { error } = body ?? {};
    if (!id || !/^[\w=-]+$/.test(id)) return id ?? 'none';
    return error && error.requestId !== id ? `${id}, and ${error.requestId} in the body` : undefined;
  },
  'Content-Type: application/json, where there is anything': (answer, routeKey) =>
    answer.status === 204 ? undefined : header('content-type', 'application/json')(answer, routeKey),
  'Cache-Control: no-store, but for published lists': ({ headers, body }) => {
    const seen = headers['cache-control'] ?? 'none';
    const ids: string[] | undefined = body?.testimonials?.map(({ id }: { id: unknown }) => String(id));
    const isPublished = ids?.every((id) => id.startsWith('pub_')) ?? false;
    return seen === 'no-store' || (isPublished && seen === 'public, max-age=60') ? undefined : seen;
  },
  'X-Content-Type-Options: nosniff': header('x-content-type-options', 'nosniff'),
  'WWW-Authenticate with 401 and 403, and with no other': ({ status, headers }) => {
    const challenge = headers['www-authenticate'];
    if (status !== 401 && status !== 403) return challenge;
    return challenge?.startsWith('Bearer realm="testimonials"') ? undefined : (challenge ?? 'none');
  },
  'status and body as docs/openapi.json has them': (answer, routeKey) =>
    (operationOf(routeKey)
      ? answerProblems(routeKey, answer)
      : problems({ $ref: '#/components/schemas/Error' }, answer.body, 'closed'))[0],
};

/** The names of the rules. */
export const everyAnswerRules = Object.keys(rules);

function header(name: string, expected: string): Problem {
  return ({ headers }) => (headers[name] === expected ? undefined : (headers[name] ?? 'none'));
}

/** True of what API Gateway answers by itself, with a body and headers of its own: also a browser's preflight. */
function isGateways({ status, body }: Answer, routeKey: string): boolean {
  if (routeKey.startsWith('OPTIONS ')) return true;
  const isMessage = typeof body === 'object' && body !== null && Object.keys(body).join() === 'message';
  return isMessage || (status >= 400 && typeof body === 'string');
}

/** Looks at every answer, and remembers what was wrong. */
export class EveryAnswer {
  readonly #wrong = new Map<string, string[]>();
  readonly #requestIds = new Set<string>();
  /** Answers of functions. */
  #seen = 0;

  see({ method = 'GET', path: at = path }: ApiRequest, answer: Answer): void {
    const routeKey = `${method} ${at.replace(/^\/v1\/testimonials\/[^/]+$/, `${path}/{id}`)}`;
    if (isGateways(answer, routeKey)) return;
    this.#seen += 1;
    this.#requestIds.add(answer.headers['x-request-id'] ?? '');
    for (const [name, problem] of Object.entries(rules)) {
      const found = problem(answer, routeKey);
      if (found === undefined) continue;
      const where = `${found} (${routeKey} ${answer.status})`;
      this.#wrong.set(name, [...(this.#wrong.get(name) ?? []), where]);
    }
  }

  /**
   * Expects that a rule held of all that was seen, which were some.
   * @throws {AssertionError}
   */
  expectHeld(name: string): void {
    const [first, ...more] = this.#wrong.get(name) ?? [];
    assert(this.#seen > 0, 'no answer was seen');
    assert(first === undefined, `${shown(first)}; ${more.length + 1} of ${this.#seen} answers`);
  }

  /** Expects that no two answers have the same X-Request-Id. */
  expectOwnIds(): void {
    assert(this.#requestIds.size === this.#seen, `${this.#requestIds.size} ids of ${this.#seen} answers`);
  }
}
