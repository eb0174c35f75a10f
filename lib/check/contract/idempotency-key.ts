/** The Idempotency-Key of a create. */
import assert from 'node:assert/strict';
import { ordinalOf } from '../../../functions/domain/testimonial-id.ts';
import {
  created,
  type ExpectedError,
  expectEqual,
  expectStatus,
  malformed,
  refused,
} from './expectations.ts';
import type { Organization } from './organization.ts';
import { type ApiRequest, createRequest, type ServiceResponse, testimonialBody } from './requests.ts';
import { each, rule, type Suite } from './suite.ts';

const body = testimonialBody();
const otherBody = testimonialBody({ content: 'Quite another testimonial' });
const reused: ExpectedError = { status: 422, code: 'idempotency_key_reused', fields: ['Idempotency-Key'] };

const withKey = (key: string, sent: unknown = body) => createRequest(sent, { 'idempotency-key': key });
const createWith = (api: Organization, key: string, sent?: unknown): Promise<ServiceResponse> =>
  api.send(withKey(key, sent));

const replayed = ({ headers }: ServiceResponse) => headers['idempotent-replayed'];

/** Expects the response to a create or to a replay. Returns the id. */
function expectCreate(response: ServiceResponse, isReplay: boolean): string {
  const { id } = created(response);
  expectEqual('Idempotent-Replayed', replayed(response), isReplay ? 'true' : undefined);
  return id;
}

const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index))
  // These have a meaning inside quotes.
  .filter((character) => character !== '"' && character !== '\\')
  .join('');

const keys: [string, key: string][] = [
  ['1 character', '1'],
  ['255 characters', 'a'.repeat(255)],
  ['any visible ASCII characters', visible],
  ['1 character in quotes', '"2"'],
  ['255 characters in quotes', `"${'b'.repeat(255)}"`],
  ['a UUID in quotes', '"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
];

const refusedKeys: [string, key: string][] = [
  ['empty in quotes', '""'],
  ['256 characters', 'a'.repeat(256)],
  ['256 characters in quotes', `"${'a'.repeat(256)}"`],
  ['two words', 'two words'],
  ['two words in quotes', '"two words"'],
  ['quoted only at its beginning', '"open'],
  ['quoted with a quote inside', '"a"b"'],
  ['quoted with a backslash before its end', '"a\\"'],
  ['quoted with an unknown escape', '"a\\b"'],
  ['quoted, with parameters', '"a";b=1'],
];

// HTTP clients cannot send these unchanged.
const unsendableKeys: [string, key: string][] = [
  ['empty', ''],
  ['blank', ' '],
  ['with a tab inside', 'a\tb'],
  ['with a control character inside', 'a\u0001b'],
  ['with a delete character inside', 'a\u007fb'],
  ['quoted, with a line break behind', '"a"\n"b"'],
  ['outside ASCII', 'clé'],
  ['outside ASCII in quotes', '"clé"'],
];

/** Other requests that are replays of the first one. */
const repetitions: [how: string, (key: string, api: Organization) => ApiRequest | Promise<ApiRequest>][] = [
  ['with the key in quotes', (key) => withKey(`"${key}"`)],
  [
    'with the fields in another order',
    (key) => withKey(key, Object.fromEntries(Object.entries(body).reverse())),
  ],
  [
    'with another token of the organization',
    async (key, api) => ({ ...withKey(key), token: await api.token('testimonials:write') }),
  ],
];

const second = 1000;
const hour = 60 * 60 * second;
const day = 24 * hour;
// Late in a second, because the table's TTL counts whole seconds.
const start = Date.parse('2036-03-01T10:00:00.900Z');

const differences: [field: string, Record<string, unknown>][] = [
  ['content', { content: 'Amazing product, we loved it' }],
  ['author.name', { author: { name: 'Jane Roe', email: 'jane@example.com' } }],
  ['author.email', { author: { name: 'Jane Doe', email: 'jane@example.org' } }],
  ['author.company', { author: { name: 'Jane Doe', email: 'jane@example.com', company: 'Acme' } }],
  ['rating', { rating: 5 }],
  ['type', { type: 'video' }],
  ['tags', { tags: ['a'] }],
];

export const idempotencyKeys: Suite = {
  name: 'Idempotency-Key',
  rules: [
    each('a key may be', keys, async (api, _, key) => {
      const first = await createWith(api, key);
      expectCreate(first, false);
      const again = await createWith(api, key);
      expectCreate(again, true);
      expectEqual('the response', again.body, first.body);
    }),
    each('a key is refused with 400 when it is', refusedKeys, async (api, _, key) =>
      refused(await createWith(api, key), malformed('Idempotency-Key')),
    ),
    each(
      'a key is refused with 400 in process when it is',
      unsendableKeys,
      async (api, _, key) => refused(await createWith(api, key), malformed('Idempotency-Key')),
      'process',
    ),
    rule('the same key and body return the first testimonial and create nothing', async (api) => {
      const first = await createWith(api, 'same');
      expectCreate(first, false);
      const [total, items] = [await api.total(), await api.service.items()];
      for (let time = 0; time < 3; time += 1) {
        const again = await createWith(api, 'same');
        expectCreate(again, true);
        expectEqual('the response', again.body, first.body);
      }
      expectEqual('the stored items', await api.service.items(), items);
      expectEqual('the total', await api.total(), total);
      const { id } = await api.created(body);
      expectEqual('the next ordinal', ordinalOf(id), ordinalOf(created(first).id) + 1);
    }),
    rule('the same key and body sent concurrently create one testimonial', async (api) => {
      const total = await api.total();
      const responses = await Promise.all(Array.from({ length: 10 }, () => createWith(api, 'race')));
      expectEqual('testimonials', new Set(responses.map((response) => created(response).id)).size, 1);
      expectEqual(
        'first answers',
        responses.filter((response) => replayed(response) === undefined).length,
        1,
      );
      expectEqual('the total', await api.total(), total + 1);
    }),
    each('a create is replayed also', repetitions, async (api, how, again) => {
      const key = how.replaceAll(' ', '-');
      const first = await createWith(api, key);
      expectCreate(first, false);
      const response = await api.send(await again(key, api));
      expectCreate(response, true);
      expectEqual('the response', response.body, first.body);
    }),
    rule(
      'the same key with another body is refused, stores nothing and uses no ordinal, and the first can still be replayed',
      async (api) => {
        const first = await createWith(api, 'reused');
        const [total, items] = [await api.total(), await api.service.items()];
        refused(await createWith(api, 'reused', otherBody), reused);
        expectEqual('the stored items', await api.service.items(), items);
        expectEqual('the total', await api.total(), total);
        const again = await createWith(api, 'reused');
        expectCreate(again, true);
        expectEqual('the response', again.body, first.body);
        expectEqual(
          'the next ordinal',
          ordinalOf((await api.created(body)).id),
          ordinalOf(created(first).id) + 1,
        );
      },
    ),
    each(
      'the same key is refused when the bodies differ only in',
      differences,
      async (api, field, difference) => {
        expectCreate(await createWith(api, `differs-in-${field}`), false);
        refused(await createWith(api, `differs-in-${field}`, testimonialBody(difference)), reused);
      },
    ),
    rule('the same key with another body is a validation error when that body is invalid', async (api) => {
      expectCreate(await createWith(api, 'invalid-later'), false);
      const { body: answered } = await createWith(api, 'invalid-later', {});
      expectEqual('the code', answered.error?.code, 'validation_error');
    }),
    each<[first: string | undefined, next: string | undefined]>(
      'the same body creates two testimonials',
      [
        ['without a key', undefined, undefined],
        ['under two keys', 'one', 'two'],
        ['under keys that differ in case', 'case', 'CASE'],
      ],
      async (api, _, ...both) => {
        const [first, next] = both.map((key) => (key === undefined ? createRequest(body) : withKey(key)));
        const before = expectCreate(await api.send(first ?? {}), false);
        assert(expectCreate(await api.send(next ?? {}), false) !== before, `${before} twice`);
      },
    ),
    rule('the same key in another organization creates another testimonial', async (api) => {
      const first = expectCreate(await createWith(api, 'shared'), false);
      const other = await createWith(await api.neighbour(), 'shared', otherBody);
      assert(expectCreate(other, false) !== first, `${first} twice`);
    }),
    each<[status: number, sent: unknown, token?: string]>(
      'a key is not remembered after',
      [
        ['a failed validation', 422, {}],
        ['an unreadable body', 400, []],
        ['a missing token', 401, body, ''],
      ],
      async (api, why, status, sent, token) => {
        const key = why.replaceAll(' ', '-');
        expectStatus(
          await api.send({ ...withKey(key, sent), ...(token !== undefined && { token }) }),
          status,
        );
        expectCreate(await createWith(api, key), false);
      },
    ),
    rule(
      'a key is remembered for 24 hours, which replays do not prolong, and can then be used again',
      async ({ service }) => {
        const api = await service.begin();
        const createAfter = (ms: number, sent?: unknown) =>
          service.at(start + ms, () => createWith(api, 'k', sent));
        const first = expectCreate(await createAfter(0), false);
        for (const ms of [second, day - hour, day - 100]) {
          expectEqual(`after ${ms} ms`, expectCreate(await createAfter(ms), true), first);
          refused(await createAfter(ms, otherBody), reused);
        }
        const next = expectCreate(await createAfter(day + second, otherBody), false);
        assert(next !== first, `${first} twice`);
        expectEqual('a day later', expectCreate(await createAfter(2 * day, otherBody), true), next);
        refused(await createAfter(2 * day), reused);
      },
      'process',
    ),
  ],
};
