/** The Idempotency-Key of a create. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { malformed, refusalOf } from './refusal.ts';
import { stopClock } from './stopped-clock.ts';
import { storedItems } from './stored-items.ts';

const second = 1000;
const hour = 3_600 * second;
const day = 24 * hour;
const body = testimonialBody();
const otherBody = testimonialBody({ content: 'Quite another testimonial' });

let api: ApiClient;
beforeAll(async () => {
  api = await createApiClient();
});

const replayedHeader = 'idempotent-replayed';
const createWith = (key: string, sent: unknown = body, client = api): Promise<Answer> =>
  client.create(sent, { 'idempotency-key': key });
const total = async (client = api): Promise<number> => (await client.list()).body.pagination.total;
const reused = { status: 422, code: 'idempotency_key_reused', fields: ['Idempotency-Key'] };

describe('a key may be', () => {
  test.each([
    ['1 character', '1'],
    ['255 characters', 'a'.repeat(255)],
    ['a UUID', '5f2c1a7e-0f43-4a7d-9d0c-2f6d1c1c9f10'],
    ['the first and the last visible ASCII characters', '!~'],
    ['1 character in quotes', '"2"'],
    ['255 characters in quotes', `"${'b'.repeat(255)}"`],
    ['a UUID in quotes', '"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
  ])('%s', async (_form, key) => {
    const first = await createWith(key);
    const again = await createWith(key);
    expect(first.status).toBe(201);
    expect(first.headers).not.toHaveProperty([replayedHeader]);
    expect(again).toMatchObject({ status: 201, headers: { [replayedHeader]: 'true' }, body: first.body });
  });

  test('quoted or not: both name the same key', async () => {
    const first = await createWith('either-form');
    const again = await createWith('"either-form"');
    expect(again.body.id).toBe(first.body.id);
  });

  test('any visible ASCII characters', async () => {
    // Without the quotation mark and the backslash, which have a meaning inside quotes.
    const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index))
      .filter((character) => character !== '"' && character !== '\\')
      .join('');
    expect((await createWith(visible)).status).toBe(201);
  });
});

describe('a key is refused with 400 when it is', () => {
  test.each([
    ['empty', ''],
    ['blank', ' '],
    ['empty in quotes', '""'],
    ['256 characters', 'a'.repeat(256)],
    ['256 characters in quotes', `"${'a'.repeat(256)}"`],
    ['two words', 'two words'],
    ['two words in quotes', '"two words"'],
    ['with a tab inside', 'a\tb'],
    ['with a control character inside', 'a\u0001b'],
    ['with a delete character inside', 'a\u007fb'],
    ['outside ASCII', 'clé'],
    ['outside ASCII in quotes', '"clé"'],
    ['quoted only at its beginning', '"open'],
  ])('%s', async (_form, key) => {
    expect(refusalOf(await createWith(key))).toEqual(malformed('Idempotency-Key'));
  });
});

describe('the same key and the same body', () => {
  test('answer the first testimonial and create nothing', async () => {
    const fresh = await createApiClient();
    const first = await createWith('same', body, fresh);
    const stored = await storedItems(fresh.table);
    for (let time = 0; time < 3; time += 1) {
      const again = await createWith('same', body, fresh);
      expect(again).toMatchObject({ status: 201, headers: { [replayedHeader]: 'true' } });
      expect(again.body).toEqual(first.body);
    }
    expect(await storedItems(fresh.table)).toEqual(stored);
    expect(await total(fresh)).toBe(1);
  });

  test('create one testimonial when sent at the same time', async () => {
    const fresh = await createApiClient();
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => createWith('race', body, fresh)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers[replayedHeader] === undefined)).toHaveLength(1);
    expect(await total(fresh)).toBe(1);
  });

  test('are the same with the fields in another order', async () => {
    const first = await createWith('order', body);
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    expect((await createWith('order', reversed)).body).toEqual(first.body);
  });
});

describe('the same key with another body', () => {
  test('is refused with 422 idempotency_key_reused', async () => {
    await createWith('reused');
    expect(refusalOf(await createWith('reused', otherBody))).toEqual(reused);
  });

  test.each<[string, Record<string, unknown>]>([
    ['content', { content: 'Amazing product, we loved it' }],
    ['author.name', { author: { name: 'Jane Roe', email: 'jane@example.com' } }],
    ['author.email', { author: { name: 'Jane Doe', email: 'jane@example.org' } }],
    ['author.company', { author: { name: 'Jane Doe', email: 'jane@example.com', company: 'Acme' } }],
    ['rating', { rating: 5 }],
    ['type', { type: 'video' }],
    ['tags', { tags: ['a'] }],
  ])('is refused when only %s differs', async (field, difference) => {
    await createWith(`differs-in-${field}`);
    const answer = await createWith(`differs-in-${field}`, testimonialBody(difference));
    expect(refusalOf(answer)).toEqual(reused);
  });

  test('stores nothing and does not move the counter', async () => {
    await createWith('unmoved');
    const stored = await storedItems(api.table);
    const counter = stored.find(({ SK }) => SK === 'COUNTER');
    await createWith('unmoved', otherBody);
    const storedAfter = await storedItems(api.table);
    expect(counter?.lastOrdinal).toEqual(expect.any(Number));
    expect(storedAfter.find(({ SK }) => SK === 'COUNTER')).toEqual(counter);
    expect(storedAfter).toEqual(stored);
  });

  test('leaves the first body replayable', async () => {
    const first = await createWith('still-there');
    await createWith('still-there', otherBody);
    expect((await createWith('still-there')).body).toEqual(first.body);
  });

  test('is a validation error when that body is invalid', async () => {
    await createWith('invalid-later');
    expect((await createWith('invalid-later', {})).body.error.code).toBe('validation_error');
  });
});

describe('the same body creates two testimonials', () => {
  test('without a key', async () => {
    const [first, next] = [await api.create(body), await api.create(body)];
    expect(next.body.id).not.toBe(first.body.id);
    expect(next.headers).not.toHaveProperty([replayedHeader]);
  });

  test('under two keys', async () => {
    const [first, next] = [await createWith('one'), await createWith('two')];
    expect(next.body.id).not.toBe(first.body.id);
  });

  test('under keys that differ in case', async () => {
    const [first, next] = [await createWith('case'), await createWith('CASE')];
    expect(next.body.id).not.toBe(first.body.id);
  });
});

describe('keys belong to an organization:', () => {
  test('the same key in another organization creates', async () => {
    const authorization = `Bearer ${await api.issue(['testimonials:write'], 'globex')}`;
    const first = await createWith('shared');
    const other = await api.create(body, { authorization, 'idempotency-key': 'shared' });
    expect(other.status).toBe(201);
    expect(other.headers).not.toHaveProperty([replayedHeader]);
    expect(other.body.id).not.toBe(first.body.id);
  });

  test('another body under the same key in another organization creates', async () => {
    const authorization = `Bearer ${await api.issue(['testimonials:write'], 'initech')}`;
    await createWith('shared-too');
    const other = await api.create(otherBody, { authorization, 'idempotency-key': 'shared-too' });
    expect(other.status).toBe(201);
  });

  test('another token of the same organization replays', async () => {
    const authorization = `Bearer ${await api.issue(['testimonials:write'])}`;
    const first = await createWith('two-tokens');
    const again = await api.create(body, { authorization, 'idempotency-key': 'two-tokens' });
    expect(again).toMatchObject({ headers: { [replayedHeader]: 'true' }, body: first.body });
  });
});

describe('nothing is remembered', () => {
  test.each<[string, status: number, (key: string) => Promise<Answer>]>([
    ['a failed validation', 422, (key) => createWith(key, {})],
    ['an unreadable body', 400, (key) => createWith(key, [])],
    ['a missing token', 401, (key) => api.create(body, { authorization: '', 'idempotency-key': key })],
  ])('after %s', async (why, status, refused) => {
    const key = why.replaceAll(' ', '-');
    expect((await refused(key)).status).toBe(status);
    const created = await createWith(key);
    expect(created.status).toBe(201);
    expect(created.headers).not.toHaveProperty([replayedHeader]);
  });
});

describe('a key is remembered for 24 hours:', () => {
  // Late in a second, because the table's TTL attribute counts whole seconds.
  const start = Date.parse('2026-03-01T10:00:00.900Z');
  let client: ApiClient;
  let first: Answer;
  beforeAll(async () => {
    client = await createApiClient();
  });

  const begin = async (key: string) => {
    stopClock(client, start);
    first = await createWith(key, body, client);
    expect(first.status).toBe(201);
  };

  test.each([
    ['1 second', second],
    ['23 hours', 23 * hour],
    ['24 hours less 1 second', day - second],
    ['24 hours less 100 milliseconds', day - 100],
  ])('replayed after %s', async (_after, elapsed) => {
    await begin(`replayed-after-${elapsed}`);
    stopClock(client, start + elapsed);
    const again = await createWith(`replayed-after-${elapsed}`, body, client);
    expect(again.body.id).toBe(first.body.id);
  });

  test('another body is refused after 24 hours less 1 second', async () => {
    await begin('refused-late');
    stopClock(client, start + day - second);
    expect(refusalOf(await createWith('refused-late', otherBody, client))).toEqual(reused);
  });

  test('the same body creates anew after 24 hours and 1 second', async () => {
    await begin('anew');
    stopClock(client, start + day + second);
    const next = await createWith('anew', body, client);
    expect(next.status).toBe(201);
    expect(next.headers).not.toHaveProperty([replayedHeader]);
    expect(next.body.id).not.toBe(first.body.id);
  });

  test('another body creates after 24 hours and 1 second', async () => {
    await begin('another');
    stopClock(client, start + day + second);
    expect((await createWith('another', otherBody, client)).status).toBe(201);
  });

  test('a replay does not prolong them', async () => {
    await begin('prolonged');
    stopClock(client, start + 23 * hour);
    await createWith('prolonged', body, client);
    stopClock(client, start + day + second);
    expect((await createWith('prolonged', body, client)).body.id).not.toBe(first.body.id);
  });

  test('a key used anew is remembered for another 24 hours', async () => {
    await begin('renewed');
    stopClock(client, start + day + second);
    const next = await createWith('renewed', body, client);
    stopClock(client, start + 2 * day);
    expect((await createWith('renewed', body, client)).body.id).toBe(next.body.id);
  });
});
