/** Pages of an allowed origin: what a browser asks before, and what it lets a page see. */
import { headersOf } from '../../../functions/http/contract.ts';
import { contracts } from '../../openapi/document.ts';
import { type Answer, answerText } from '../deployed-api.ts';
import type { Check } from '../deployment.ts';
import { expectSame, NotHeld } from '../not-held.ts';
import { expectKeptApart } from './published.ts';

const { request, response } = headersOf(contracts);

function expectAllowed({ headers }: Answer, origin: string): void {
  const allowed = headers.get('access-control-allow-origin');
  if (allowed !== origin && allowed !== '*') {
    throw new NotHeld(`access-control-allow-origin: ${allowed ?? 'none'}: is ${origin} in corsOrigins?`);
  }
}

function expectListed({ headers }: Answer, name: string, values: readonly string[]): void {
  const listed = (headers.get(name) ?? '').toLowerCase().split(/\s*,\s*/);
  if (listed.includes('*')) return;
  const missing = values.filter((value) => !listed.includes(value.toLowerCase()));
  expectSame(`${name} lacks`, missing, []);
}

export const cors: Check[] = [
  {
    name: 'a preflight is answered: origin, methods and headers that the API needs',
    async play({ api, origin = '' }) {
      const headers = {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': request.join(',').toLowerCase(),
      };
      const answer = await api.send({ method: 'OPTIONS', token: '', headers });
      if (answer.status !== 204 && answer.status !== 200) {
        throw new NotHeld(answerText(answer));
      }
      expectAllowed(answer, origin);
      expectListed(answer, 'access-control-allow-methods', ['GET', 'POST']);
      // `*` does not stand for it (https://fetch.spec.whatwg.org/#cors-non-wildcard-request-header-name).
      expectListed(answer, 'access-control-allow-headers', request);
      return undefined;
    },
  },
  {
    name: 'an answer may be read by the page, with its headers; so may an error',
    async play({ api, origin = '' }) {
      for (const query of ['', 'page=0']) {
        const answer = await api.list(query, { headers: { origin } });
        expectAllowed(answer, origin);
        expectListed(answer, 'access-control-expose-headers', response);
      }
      return undefined;
    },
  },
  {
    name: 'caches are told for which token and which page they keep a published list',
    async play({ api, tokens, origin = '' }) {
      for (const query of ['', `token=${tokens.published}`]) {
        const answer = await api.list(query, {
          token: query === '' ? tokens.published : '',
          headers: { origin },
        });
        expectAllowed(answer, origin);
        expectKeptApart(answer);
      }
      return undefined;
    },
  },
];
