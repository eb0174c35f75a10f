/** What both operations refuse: each refusal with the requests that provoke it. */
import type { ErrorCode } from '../../../functions/http/api-error.ts';
import { type Answer, type ApiRequest, answerText, path } from '../deployed-api.ts';
import type { Check, Deployment } from '../deployment.ts';
import { expectSame, NotHeld } from '../not-held.ts';

export interface Expected {
  status: number;
  code: ErrorCode;
  /** The header WWW-Authenticate, whole. */
  challenge?: string;
  /** The fields or parameters that the details name, and no others. */
  details?: string[];
}

export interface Refusal extends Expected {
  name: string;
  requests: (deployment: Deployment) => ApiRequest[];
}

/** The checks that some refusals are. */
export function refusing(refusals: readonly Refusal[]): Check[] {
  return refusals.map(({ name, requests, ...expected }) => ({
    name,
    async play(deployment) {
      for (const request of requests(deployment)) {
        expectRefused(await deployment.api.send(request), expected, described(request));
      }
      return undefined;
    },
  }));
}

/** @param of the request, where there are several */
export function expectRefused(answer: Answer, { status, code, challenge, details }: Expected, of = ''): void {
  const prefix = of === '' ? '' : `${of}: `;
  const { error } = (answer.body ?? {}) as { error?: { code?: string; details?: object } }; // looked at field by field
  if (answer.status !== status || error?.code !== code) throw new NotHeld(`${prefix}${answerText(answer)}`);
  if (details !== undefined) {
    const named = Object.keys(error?.details ?? {}).sort();
    expectSame(`${prefix}the details name`, named, details.toSorted());
  }
  if (challenge === undefined) return;
  // API Gateway may rename it.
  const names = ['www-authenticate', 'x-amzn-remapped-www-authenticate'];
  const challenges = names.map((name) => answer.headers.get(name));
  if (!challenges.includes(challenge)) {
    throw new NotHeld(`${prefix}WWW-Authenticate: ${challenges.find((each) => each !== null) ?? 'none'}`);
  }
}

function described({ method = 'GET', path: at = path, query, body, headers = {} }: ApiRequest): string {
  const what = [
    method,
    at === path ? '' : at,
    query,
    body,
    headers['content-type'],
    headers['idempotency-key'],
  ];
  const text = what.filter(Boolean).join(' ');
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
