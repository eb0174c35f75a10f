/** Who may call: tokens and permissions, and what no route has. */
import { type ApiRequest, path } from '../deployed-api.ts';
import type { Check, Deployment } from '../deployment.ts';
import { expectSame } from '../not-held.ts';
import { refusing } from './refusals.ts';
import { createRequest, sampleBody } from './sample-bodies.ts';

const challenge = 'Bearer realm="testimonials"';
const invalidToken = `${challenge}, error="invalid_token"`;
const insufficient = (scope: string) => `${challenge}, error="insufficient_scope", scope="${scope}"`;

/** A list and a valid create, with the same token. */
function bothWith(token: string): ApiRequest[] {
  return [{ token }, { ...createRequest(sampleBody()), token }];
}

const withToken = (name: keyof Deployment['tokens']) => (deployment: Deployment) =>
  bothWith(deployment.tokens[name]);

const unauthorized = { status: 401, code: 'unauthorized', challenge: invalidToken } as const;

export const access: Check[] = [
  ...refusing([
    {
      name: 'no token: 401, and WWW-Authenticate names the scheme',
      requests: () => bothWith(''),
      ...unauthorized,
      challenge,
    },
    {
      name: 'a malformed token: 401',
      requests: ({ tokens }) => ['tst_0', 'x', `${tokens.readWrite}0`].flatMap(bothWith),
      ...unauthorized,
    },
    { name: 'an unknown token: 401', requests: withToken('unknown'), ...unauthorized },
    { name: 'an expired token: 401', requests: withToken('expired'), ...unauthorized },
    { name: 'a revoked token: 401', requests: withToken('revoked'), ...unauthorized },
    {
      name: 'a token that may only read cannot create: 403',
      requests: ({ tokens }) => [{ ...createRequest(sampleBody()), token: tokens.read }],
      ...{ status: 403, code: 'forbidden', challenge: insufficient('testimonials:write') },
    },
    {
      name: 'a token that may only create cannot list: 403',
      requests: ({ tokens }) => [{ token: tokens.write }],
      ...{ status: 403, code: 'forbidden', challenge: insufficient('testimonials:read') },
    },
    {
      name: '401 comes before 400 and 422',
      requests: ({ tokens }) => [
        { query: 'page=0', token: '' },
        { ...createRequest({}), token: '' },
        { method: 'POST', body: '{', token: tokens.unknown },
      ],
      ...{ status: 401, code: 'unauthorized' },
    },
    {
      name: '403 comes before 400 and 422',
      requests: ({ tokens }) => [
        { query: 'page=0', token: tokens.write },
        { ...createRequest({}), token: tokens.read },
        { method: 'POST', body: '{', token: tokens.read },
      ],
      ...{ status: 403, code: 'forbidden' },
    },
    {
      name: 'a path that does not exist: 404 in the one shape of errors',
      requests: () =>
        // Not `/`: the local service leads from there to its page.
        ['/v1', '/v1/nothing', `${path}/`, `${path}/test_1`].map((each) => ({ path: each })),
      ...{ status: 404, code: 'not_found' },
    },
    {
      name: 'another method: 404',
      requests: () => ['PUT', 'PATCH', 'DELETE'].map((method) => ({ method })),
      ...{ status: 404, code: 'not_found' },
    },
  ]),
  {
    name: 'the scheme of the token in any case',
    async play({ api, tokens }) {
      for (const scheme of ['bearer', 'BEARER']) {
        const headers = { authorization: `${scheme} ${tokens.readWrite}` };
        expectSame(scheme, (await api.list('', { token: '', headers })).status, 200);
      }
      return undefined;
    },
  },
];
