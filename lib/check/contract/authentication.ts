/** Access: invalid tokens get 401, missing permissions 403. */
import { randomInt } from 'node:crypto';
import { hashSecret, makeSecret, type Permission } from '../../../functions/domain/token.ts';
import {
  challenge,
  expectEqual,
  expectStatus,
  forbidden,
  invalidToken,
  refused,
  unauthorized,
} from './expectations.ts';
import type { Organization } from './organization.ts';
import { type ApiRequest, createRequest, testimonialBody } from './requests.ts';
import { each, type Rule, rule, type Suite } from './suite.ts';

const read = 'testimonials:read';
const write = 'testimonials:write';
const list: ApiRequest = {};
const create = createRequest(testimonialBody());

const operations: [string, ApiRequest, number][] = [
  ['GET /v1/testimonials', list, 200],
  ['POST /v1/testimonials', create, 201],
];

/** Sends a request with this Authorization header, or without one. */
function send(organization: Organization, request: ApiRequest, authorization?: string) {
  const headers = { ...request.headers, ...(authorization !== undefined && { authorization }) };
  return organization.send({ ...request, headers, token: '' });
}

/** Sends a request that is refused before anything is read. Only the in-process driver sees the reads. */
async function sendUnread(api: Organization, request: ApiRequest, authorization?: string) {
  const calls: string[] = [];
  api.service.driver.process?.onTableCall((name) => calls.push(name));
  const response = await send(api, request, authorization);
  expectEqual('calls of the table', calls, []);
  return response;
}

const withoutToken: [string, string | undefined][] = [
  ['no Authorization header', undefined],
  ['an empty header', ''],
  ['the scheme word alone', 'Bearer'],
  ['the scheme word and a blank', 'Bearer '],
];

/** Replaces the character at `index` by another letter. */
const altered = (token: string, index: number) =>
  token.slice(0, index) + (token[index] === 'x' ? 'y' : 'x') + token.slice(index + 1);

/** Texts that are not tokens, made from a token that may read and write. */
const malformedTokens: [string, (token: string) => string][] = [
  ['another text', () => 'secret'],
  ['another prefix', (token) => token.replace('tst_', 'tok_')],
  ['the prefix in upper case', (token) => token.replace('tst_', 'TST_')],
  ['no prefix', (token) => token.slice(4)],
  ['a character too few', (token) => token.slice(0, -1)],
  ['a character too many', (token) => `${token}0`],
  ['a character outside base 62', (token) => `${token.slice(0, 10)}-${token.slice(11)}`],
  ['another first random character', (token) => altered(token, 4)],
  ['another last random character', (token) => altered(token, 33)],
  ['another first character of the checksum', (token) => altered(token, 34)],
  ['another last character of the checksum', (token) => altered(token, 39)],
  ['the token in quotes', (token) => `"${token}"`],
  ['something behind the token', (token) => `${token} x`],
  ['the token twice', (token) => `${token}, ${token}`],
];

const dayMs = 24 * 60 * 60 * 1000;
const noon = Date.parse('2030-01-01T12:00:00.000Z');

/** Adds a token that no running function has seen, valid for some days from now. */
async function addToken({ name, service }: Organization, permissions: Permission[], days = 1) {
  const { tokens, now } = service.driver.operator;
  const token = makeSecret('tst', randomInt);
  const at = (afterDays: number) => new Date(now().getTime() + afterDays * dayMs).toISOString();
  const times = { createdAt: at(-2), expiresAt: at(days) };
  const id = await tokens.add({ hash: hashSecret(token), organization: name, permissions, ...times });
  return { token, revoke: () => tokens.revoke(id) };
}

const refusedTokens: [string, (organization: Organization) => string | Promise<string>][] = [
  ['a well-formed token that is unknown', () => makeSecret('tst', randomInt)],
  ['an expired token', async (organization) => (await addToken(organization, [read, write], -1)).token],
  [
    'a revoked token',
    async (organization) => {
      const { token, revoke } = await addToken(organization, [read, write]);
      await revoke();
      return token;
    },
  ],
];

/** Rules about clocks and cached tokens, for both operations. */
const overTime: Rule[] = [
  rule(
    'a token is refused from its expiry on, not before',
    async ({ service }) => {
      const api = await service.begin();
      const { token } = await service.at(noon, () => addToken(api, [read, write]));
      for (const [, operation, success] of operations) {
        const response = (time: number) => service.at(time, () => api.send({ ...operation, token }));
        expectStatus(await response(noon + dayMs - 1), success);
        refused(await response(noon + dayMs), invalidToken);
      }
    },
    'process',
  ),
  rule(
    'a token in use is refused 60 s after its revocation, and tokens of other organizations are not',
    async (other) => {
      const { service } = other;
      const { tokens } = service.driver.operator;
      const api = await service.begin();
      const token = await api.token(read, write);
      for (const [, operation, success] of operations) expectStatus(await api.send(operation), success);
      for (const { id } of await tokens.list(api.name)) await tokens.revoke(id);
      // Until then, every running function may have it in its cache.
      await service.driver.sleep(60_000);
      const requests = Array.from({ length: 4 }, () => operations).flat();
      const responses = await Promise.all(requests.map(([, each]) => api.send({ ...each, token })));
      for (const response of responses) refused(response, invalidToken);
      expectStatus(await other.list(), 200);
    },
  ),
];

async function expectNoOperation(api: Organization, _: string, request: ApiRequest): Promise<void> {
  const before = await api.service.items();
  for (const token of [{}, { token: '' }]) {
    refused(await api.send({ ...request, ...token }), { status: 404, code: 'not_found' });
  }
  expectEqual('the stored items', await api.service.items(), before);
}

export const authentication: Suite = {
  name: 'Access',
  rules: [
    ...operations.flatMap(([operation, request, success]) => [
      each(
        `${operation} without a token is refused with 401, without reading anything:`,
        withoutToken,
        async (api, _, sent) => refused(await sendUnread(api, request, sent), { ...unauthorized, challenge }),
      ),
      each(
        `${operation} with a malformed token is refused with 401, without reading anything:`,
        malformedTokens,
        async (api, _, tokenOf) => {
          const token = tokenOf(await api.token(read, write));
          refused(await sendUnread(api, request, `Bearer ${token}`), invalidToken);
        },
      ),
      each(`${operation} is refused with 401 for`, refusedTokens, async (api, _, tokenOf) => {
        refused(await send(api, request, `Bearer ${await tokenOf(api)}`), invalidToken);
      }),
      each(
        `${operation} is refused with 401 for a header with`,
        [
          ['another scheme', (token: string) => `Basic ${Buffer.from(`x:${token}`).toString('base64')}`],
          ['the token without the scheme word', (token: string) => token],
        ],
        async (api, _, authorizationOf) => {
          refused(await send(api, request, authorizationOf(await api.token(read, write))), unauthorized);
        },
      ),
      each(
        `${operation} accepts the scheme as`,
        [['Bearer'], ['bearer'], ['BEARER'], ['bEaReR']],
        async (api, scheme) => {
          expectStatus(await send(api, request, `${scheme} ${await api.token(read, write)}`), success);
        },
      ),
    ]),
    each<[Permission, allowed: ApiRequest, status: number, denied: ApiRequest, needed: Permission]>(
      'a permission allows its own operation, and the other one is a 403:',
      [
        ['only read', read, list, 200, create, write],
        ['only write', write, create, 201, list, read],
      ],
      async (api, _, permission, allowed, status, denied, needed) => {
        const token = await api.token(permission);
        expectStatus(await api.send({ ...allowed, token }), status);
        refused(await api.send({ ...denied, token }), {
          ...forbidden,
          challenge: `${challenge}, error="insufficient_scope", scope="${needed}"`,
        });
      },
    ),
    rule('an expired token without the permission is a 401, not a 403', async (api) => {
      const { token } = await addToken(api, [read], -1);
      refused(await api.send({ ...create, token }), invalidToken);
    }),
    ...overTime,
    each<[ApiRequest]>(
      'there is no other operation: 404 for',
      [
        // The local service redirects `/` to its documentation.
        ['the parent path', { path: '/v1' }],
        ['another path', { path: '/v1/nothing' }],
        ['the path with a trailing slash', { path: '/v1/testimonials/' }],
        ['a path below one testimonial', { path: '/v1/testimonials/test_1/tags' }],
        ['PUT', { ...create, method: 'PUT' }],
        ['PATCH', { ...create, method: 'PATCH' }],
        ['DELETE', { method: 'DELETE' }],
      ],
      expectNoOperation,
    ),
    each<[ApiRequest]>(
      'without moderation there is no operation on one testimonial: 404 for',
      ['GET', 'PATCH', 'DELETE', 'PUT'].map((method) => [
        method,
        { method, path: '/v1/testimonials/test_1' },
      ]),
      expectNoOperation,
      'no moderation',
    ),
  ],
};
