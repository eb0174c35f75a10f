/** Media by the API and at the desk. */

import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { testimonialKey } from '../../functions/dynamodb/keys.ts';
import type { Table } from '../../functions/dynamodb/table.ts';
import { keyOfMedia } from '../../functions/media/media.ts';
import { mediaIdOf } from '../../functions/media/media-view.ts';
import { openChanges } from '../../functions/testimonials/changes.ts';
import { newName, removeCheckOrganization } from '../../lib/check/own-organizations.ts';
import { operatorOf } from '../../lib/operator/session.ts';
import { type ApiClient, createApiClient } from '../api-client.ts';
import { deskOf } from '../desk-client.ts';
import { mediaFile, type TestBucket, testBucket, uploadTo } from '../media-bucket.ts';
import { playStream } from '../media-stream.ts';
import { visitorOf } from '../page-visitor.ts';

let bucket: TestBucket;
let api: ApiClient;
let table: Table;
beforeEach(async () => {
  bucket = testBucket();
  api = await createApiClient(undefined, undefined, bucket.bucket);
  ({ table } = api);
});

const testimonial = {
  content: 'Amazing product! It saved our team two days a week.',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'video',
};
const [video, photo] = [mediaFile('h264-aac.mp4'), mediaFile('photo.jpg')];

function call(path: string, body: object, token = api.token) {
  return api.call({
    routeKey: `POST ${path}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const ask = (body: object, token?: string) => call('/v1/uploads', body, token);

const upload = (kind: string, type: string, file: Uint8Array) => uploadTo(bucket, api, { kind, type, file });

describe('a client', () => {
  test('uploads, creates, and reads media in every response', async () => {
    const recording = await upload('recording', 'video/mp4', video);
    const media = { recording, photo: await upload('photo', 'image/jpeg', photo) };
    const created = await api.create({ ...testimonial, media });
    expect(created.status).toBe(201);
    const { id } = created.body;
    const path = (kind: 'photo' | 'recording') => `/m/${mediaIdOf('acme', id, kind)}`;
    const shown = {
      photo: { url: path('photo'), type: 'image/jpeg' },
      recording: { url: path('recording'), type: 'video/mp4', bytes: video.length },
    };
    expect(created.body.media).toEqual(shown);
    expect((await api.list('')).body.testimonials[0].media).toEqual(shown);
    await openChanges(table)('acme').change(id, { status: 'approved' });
    const token = await api.issue(['testimonials:read-published']);
    const published = await api.call({
      routeKey: 'GET /v1/testimonials',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(published.body.testimonials[0].media).toEqual(shown);
    expect(await bucket.keys()).toEqual([path('photo'), path('recording')].map((key) => key.slice(1)).sort());
  });

  test('repeats a create with its Idempotency-Key, and erases the bytes with the testimonial', async () => {
    const media = { recording: await upload('recording', 'video/mp4', video) };
    const headers = { 'idempotency-key': 'one' };
    const first = await api.create({ ...testimonial, media }, headers);
    const again = await api.create({ ...testimonial, media }, headers);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect((await api.create({ ...testimonial, media: {} }, headers)).body.error.code).toBe(
      'idempotency_key_reused',
    );
    await openChanges(table)('acme').erase(first.body.id);
    await playStream(table, bucket);
    expect(await bucket.keys()).toEqual([]);
    const { status, body } = await api.create({ ...testimonial, media }, headers);
    expect([status, body.error.code]).toEqual([422, 'idempotency_key_reused']);
    expect(body.error.message).toContain('erased');
    expect(await bucket.keys()).toEqual([]);
  });

  test('has one testimonial for an upload, however often it is named at once', async () => {
    const media = { recording: await upload('recording', 'video/mp4', video) };
    const create = () => api.create({ ...testimonial, media });
    const responses = await Promise.all(Array.from({ length: 5 }, create));
    responses.push(await create());
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201]);
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
    expect(await bucket.keys()).toHaveLength(1);
    const { status, body } = await api.create({ ...testimonial, media, content: 'Another text altogether' });
    expect([status, body.error.details]).toEqual([
      422,
      { 'media.recording': 'The upload belongs to another testimonial. Upload the file again.' },
    ]);
    expect((await api.list('')).body.pagination.total).toBe(1);
  });

  test('repeats a create whose testimonial cannot be read any more, and is not asked for its files again', async () => {
    const media = { recording: await upload('recording', 'video/mp4', video) };
    const headers = { 'idempotency-key': 'one' };
    const { body: first } = await api.create({ ...testimonial, media }, headers);
    const damaged = new UpdateCommand({
      TableName: table.name,
      Key: testimonialKey('acme', ordinalOf(first.id)),
      UpdateExpression: 'SET #fields.rating = :rating',
      ExpressionAttributeNames: { '#fields': 'fields' },
      ExpressionAttributeValues: { ':rating': 'five' },
    });
    await table.client.send(damaged);
    const { status, body } = await api.create({ ...testimonial, media }, headers);
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { id: first.id, createdAt: first.createdAt },
    });
  });

  test('names media elsewhere by a URL, which is never called', async () => {
    const media = { url: 'https://videos.example.com/@jane.doe/watch?v=1%' };
    const { body } = await api.create({ ...testimonial, media });
    expect(body.media).toEqual(media);
    expect(bucket.calls).toEqual([]);
  });

  test.each<[string, () => Promise<object> | object, Record<string, string>]>([
    ['a malformed id', () => ({ recording: 'x' }), { 'media.recording': 'must be the id of an upload' }],
    ['a URL without TLS', () => ({ url: 'http://example.com' }), { 'media.url': 'https://' }],
    ['a password', () => ({ url: 'https://a:b@example.com' }), { 'media.url': 'user name' }],
    [
      'an escaped e-mail address',
      () => ({ url: 'https://example.com/watch?by=jane%40example.com' }),
      { 'media.url': 'e-mail address' },
    ],
    ['a number', () => 7 as unknown as object, { media: 'must be an object with photo' }],
    ['a list', () => [], { media: 'must be an object with photo' }],
    [
      'a photo as the recording',
      async () => ({ recording: await upload('photo', 'image/jpeg', photo) }),
      { 'media.recording': 'There is no such upload.' },
    ],
    [
      'an audio recording of a video testimonial',
      async () => ({ recording: await upload('recording', 'audio/mpeg', mediaFile('tone.mp3')) }),
      { type: 'type of the recording' },
    ],
    [
      'HEVC',
      async () => ({ recording: await upload('recording', 'video/mp4', mediaFile('hevc.mp4')) }),
      { 'media.recording': 'HEVC' },
    ],
  ])('with %s gets an error that names the field', async (_, media, rules) => {
    const { status, body } = await api.create({ ...testimonial, media: await media() });
    expect(status).toBe(422);
    for (const [field, rule] of Object.entries(rules)) expect(body.error.details[field]).toContain(rule);
    expect((await api.list('')).body.pagination.total).toBe(0);
  });

  test('of another organization cannot claim an upload', async () => {
    const recording = await upload('recording', 'video/mp4', video);
    const token = await api.issue(['testimonials:write'], 'other');
    const { status, body } = await call('/v1/testimonials', { ...testimonial, media: { recording } }, token);
    expect([status, body.error.details]).toEqual([
      422,
      { 'media.recording': expect.stringContaining('no such') },
    ]);
  });

  test('needs the permission to write, and a valid upload', async () => {
    const valid = { kind: 'photo', type: 'image/jpeg', bytes: 10 };
    expect((await ask(valid, await api.issue(['testimonials:read']))).status).toBe(403);
    expect((await ask(valid, 'tst_x')).status).toBe(401);
    const { status, body } = await ask({ ...valid, bytes: 102_401, type: 'image/png' });
    expect([status, Object.keys(body.error.details)]).toEqual([422, ['type', 'bytes']]);
  });

  test.each([
    ['with an unknown member', true, { film: 'x' }],
    ['without media in the deployment', false, { recording: 'a'.repeat(22) }],
  ])('%s gets a testimonial without the field', async (_, hasMedia, media) => {
    const client = await createApiClient(table, undefined, hasMedia ? bucket.bucket : undefined);
    const { status, body } = await client.create({ ...testimonial, media });
    expect(status).toBe(201);
    for (const each of [body, (await client.list('')).body.testimonials[0]])
      expect(each).not.toHaveProperty('media');
  });
});

test('a check that was killed leaves no recording after two days, whether it is removed or not', async () => {
  const check = newName(new Date());
  for (const name of [`${check}-1`, `${check}-2`]) {
    const token = await api.issue(['testimonials:write'], name);
    const media = { recording: await uploadTo(bucket, api, { token }) };
    expect((await call('/v1/testimonials', { ...testimonial, media }, token)).status).toBe(201);
  }
  const recording = await upload('recording', 'video/mp4', video);
  const { body } = await api.create({ ...testimonial, media: { recording } });
  // As `--remove` does: its items are deleted, not erased.
  const own = { name: `${check}-1`, idempotencyKeys: [] };
  await removeCheckOrganization(operatorOf(table), own, async () => {});
  await playStream(table, bucket);
  expect(await bucket.keys()).toHaveLength(3);
  bucket.clock.aheadMs = 2 * 24 * 60 * 60 * 1000;
  await bucket.expire();
  expect(await bucket.keys()).toEqual([keyOfMedia('acme', body.id, 'recording')]);
});

describe('at the desk', () => {
  async function created(): Promise<string> {
    const media = {
      recording: await upload('recording', 'video/mp4', video),
      photo: await upload('photo', 'image/jpeg', photo),
    };
    return (await api.create({ ...testimonial, media })).body.id;
  }
  const pathOf = (id: string, kind: 'photo' | 'recording') => `/desk/m/${mediaIdOf('acme', id, kind)}`;

  test('people of the organization see media of any status, and nobody else does', async () => {
    const id = await created();
    const desk = await deskOf(table, { bucket: bucket.bucket, pages: true });
    const moderator = await desk.signedIn();
    const seen = await moderator.get(pathOf(id, 'photo'));
    expect(seen).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/jpeg', 'cache-control': 'private, max-age=60' },
    });
    expect((await moderator.get(pathOf(id, 'photo'), { 'if-none-match': seen.headers.etag })).status).toBe(
      304,
    );
    const { status, headers } = await moderator.get(pathOf(id, 'recording'));
    expect(status).toBe(302);
    expect((await bucket.fetch(new Request(String(headers.location)))).status).toBe(200);

    const other = await desk.signedIn({ organization: 'other' });
    expect((await other.get(pathOf(id, 'photo'))).status).toBe(404);
    expect((await other.get(pathOf(id, 'recording'))).status).toBe(404);
    const stranger = await desk.browser().get(pathOf(id, 'photo'));
    expect(stranger.headers['content-type']).not.toBe('image/jpeg');
    expect((await visitorOf(table, { bucket: bucket.bucket }).get(pathOf(id, 'photo').slice(5))).status).toBe(
      404,
    );

    await openChanges(table)('acme').erase(id);
    expect((await moderator.get(pathOf(id, 'photo'))).status).toBe(404);
    expect((await moderator.get(pathOf('test_123456789012983040', 'photo'))).status).toBe(404);
    expect((await moderator.get('/desk/m/..%2Fx')).status).toBe(404);
    const goneMeanwhile = await created();
    bucket.fault = async (call) => {
      if (call.startsWith('GET m/')) await bucket.store.remove(keyOfMedia('acme', goneMeanwhile, 'photo'));
      return undefined;
    };
    expect((await moderator.get(pathOf(goneMeanwhile, 'photo'))).status).toBe(404);
  });

  test('plays cost their bytes', async () => {
    const id = await created();
    const played = (video.length * 0.09) / 1e9;
    const limits = { dollars: 4 * 2.5 * played, dailyDollars: 1 };
    const desk = await deskOf(table, { bucket: bucket.bucket, limits });
    const moderator = await desk.signedIn();
    const statuses = [];
    for (let i = 0; i < 8; i += 1) statuses.push((await moderator.get(pathOf(id, 'recording'))).status);
    expect(statuses.at(-1)).toBe(429);
  });
});
