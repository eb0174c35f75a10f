/** What holds of every answer that a function gives, whatever it was asked. */

import type { PublishedListBody } from '../../../functions/list-testimonials/contract.ts';
import { answerProblems, operationOf, problems } from '../../openapi/conformance.ts';
import { counted } from '../../operator/terminal/formatting.ts';
import type { Answer } from '../deployed-api.ts';
import type { Check } from '../deployment.ts';
import { NotHeld, shown } from '../not-held.ts';

interface Rule {
  name: string;
  /** What is wrong; undefined where nothing is. */
  problem: (answer: Answer) => string | undefined;
}

function header(name: string, value: string): Rule {
  return {
    name: `${name}: ${value}`,
    problem: ({ headers }) => (headers.get(name) === value ? undefined : (headers.get(name) ?? 'none')),
  };
}

const rules: readonly Rule[] = [
  {
    name: 'X-Request-Id, which is also the one in the body of an error',
    problem({ headers, body }) {
      const id = headers.get('x-request-id');
      if (!id) return 'none';
      const { error } = (body ?? {}) as { error?: { requestId?: string } }; // another rule tells where it is none
      return error && error.requestId !== id ? `${id}, and ${error.requestId} in the body` : undefined;
    },
  },
  header('Content-Type', 'application/json'),
  {
    name: 'Cache-Control: no-store, but for published lists',
    problem({ headers, body }) {
      const { testimonials: [first] = [] } = (body ?? {}) as Partial<PublishedListBody>; // another rule tells where it is none
      const expected = first?.id.startsWith('pub_') ? 'public, max-age=60' : 'no-store';
      return headers.get('cache-control') === expected ? undefined : (headers.get('cache-control') ?? 'none');
    },
  },
  header('X-Content-Type-Options', 'nosniff'),
  {
    name: 'status and body as docs/openapi.json has them',
    problem(answer) {
      const found = operationOf(answer.routeKey)
        ? answerProblems(answer.routeKey, answer)
        : problems({ $ref: '#/components/schemas/Error' }, answer.body, 'closed');
      return found[0];
    },
  },
];

/** True of what API Gateway answers by itself, with a body and headers of its own: also a browser's preflight. */
function isGateways({ routeKey, status, body }: Answer): boolean {
  if (routeKey.startsWith('OPTIONS ')) return true;
  const isMessage = typeof body === 'object' && body !== null && Object.keys(body).join() === 'message';
  return isMessage || (status >= 400 && body === undefined);
}

/** Looks at every answer, and remembers what was wrong. */
export class EveryAnswer {
  readonly #wrong = new Map<string, string[]>();
  #seen = 0;

  see(answer: Answer): void {
    if (isGateways(answer)) return;
    this.#seen += 1;
    for (const { name, problem } of rules) {
      const found = problem(answer);
      if (found === undefined) continue;
      const of = `${found} (${answer.routeKey} ${answer.status})`;
      this.#wrong.set(name, [...(this.#wrong.get(name) ?? []), of]);
    }
  }

  /** The checks that tell it; they come last. */
  get checks(): Check[] {
    return rules.map(({ name }) => ({
      name,
      play: async () => {
        const [first, ...more] = this.#wrong.get(name) ?? [];
        if (first !== undefined) {
          throw new NotHeld(`${shown(first)}; ${more.length + 1} of ${this.#seen} answers`);
        }
        return counted(this.#seen, 'answer');
      },
    }));
  }
}
