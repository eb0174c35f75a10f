/** The bucket of the local service refuses what S3 refuses, reads ranges, expires and persists. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { openBucket } from '../../../functions/media/bucket.ts';
import { startLocalBucket } from '../../../lib/local-runner/bucket.ts';
import { folderObjects } from '../../../lib/local-runner/object-store.ts';
import { localClientConfig } from '../../../lib/local-runner/settings.ts';
import { directory } from '../../file-of.ts';
import { bucketDefinition, testBucket } from '../../media-bucket.ts';

const key = 'in/f/page/key/recording';
const upload = { key, type: 'video/mp4', bytes: 4 };
const file = new Uint8Array([1, 2, 3, 4]);
const day = 24 * 60 * 60 * 1000;

async function codeOf(response: Response): Promise<string> {
  return /<Code>(\w+)/.exec(await response.text())?.[1] ?? String(response.status);
}

describe('a signed form', () => {
  test.each<[string, string, (form: Awaited<ReturnType<typeof formOf>>) => void, Uint8Array?]>([
    ['one byte more', 'EntityTooLarge', () => {}, new Uint8Array(5)],
    ['one byte less', 'EntityTooSmall', () => {}, new Uint8Array(3)],
    ['another key', 'AccessDenied', ({ fields }) => (fields.key = 'm/abc')],
    ['another type', 'AccessDenied', ({ fields }) => (fields['Content-Type'] = 'text/html')],
    ['another field', 'AccessDenied', ({ fields }) => (fields.acl = 'public-read')],
    ['a tag', 'AccessDenied', ({ fields }) => (fields.tagging = '<Tagging></Tagging>')],
    [
      'a forged signature',
      'SignatureDoesNotMatch',
      ({ fields }) => (fields['X-Amz-Signature'] = 'a'.repeat(64)),
    ],
    [
      'a forged policy',
      'SignatureDoesNotMatch',
      ({ fields }) => (fields.Policy = Buffer.from('{"conditions":[]}').toString('base64')),
    ],
    [
      'another account',
      'InvalidAccessKeyId',
      ({ fields }) => (fields['X-Amz-Credential'] = 'x/20260101/a/s3/b'),
    ],
    ['no policy', 'AccessDenied', ({ fields }) => void delete fields.Policy],
  ])('with %s is refused: %s', async (_, code, change, body = file) => {
    const { bucket, post, keys } = testBucket();
    const form = await formOf(bucket);
    change(form);
    expect(await codeOf(await post(form, body))).toBe(code);
    expect(await keys()).toEqual([]);
  });

  test('stores its file, for half an hour', async () => {
    const { bucket, post, clock } = testBucket();
    const form = await bucket.signForm(upload);
    clock.aheadMs = 30 * 60 * 1000 - 2000;
    expect((await post(form, file)).status).toBe(204);
    expect(await bucket.find(key)).toMatchObject({ bytes: 4, type: 'video/mp4', metadata: {} });
    clock.aheadMs = 30 * 60 * 1000 + 2000;
    expect(await codeOf(await post(form, file))).toBe('AccessDenied');
  });

  test('needs its file last', async () => {
    const { bucket, fetch } = testBucket();
    const { url, fields } = await bucket.signForm(upload);
    const body = new FormData();
    body.append('file', new Blob([file]));
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    expect(await codeOf(await fetch(new Request(url, { method: 'POST', body })))).toBe(
      'MalformedPOSTRequest',
    );
  });
});

function formOf(bucket: ReturnType<typeof testBucket>['bucket']) {
  return bucket.signForm(upload);
}

describe('a signed URL', () => {
  async function stored() {
    const test = testBucket();
    await test.post(
      await test.bucket.signForm({ ...upload, bytes: 10 }),
      new Uint8Array(10).map((_, i) => i),
    );
    const url = await test.bucket.signUrl(key, 'GET');
    const get = (headers: Record<string, string> = {}, at = url) => test.fetch(new Request(at, { headers }));
    return { ...test, url, get };
  }

  test.each([
    ['bytes=2-4', 206, [2, 3, 4], 'bytes 2-4/10'],
    ['bytes=7-', 206, [7, 8, 9], 'bytes 7-9/10'],
    ['bytes=-2', 206, [8, 9], 'bytes 8-9/10'],
    ['bytes=8-99', 206, [8, 9], 'bytes 8-9/10'],
    ['bytes=10-', 416, undefined, null],
  ])('answers %s with %i', async (range, status, bytes, contentRange) => {
    const { get } = await stored();
    const response = await get({ range });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-range')).toBe(contentRange);
    if (bytes) expect([...new Uint8Array(await response.arrayBuffer())]).toEqual(bytes);
  });

  test('answers 304 to the ETag, and the whole object otherwise', async () => {
    const { get } = await stored();
    const { status, headers } = await get();
    expect(status).toBe(200);
    expect((await get({ 'if-none-match': headers.get('etag') ?? '' })).status).toBe(304);
  });

  test('works for five minutes, for its object, as it was signed', async () => {
    const { get, url, clock } = await stored();
    expect(await codeOf(await get({}, url.replace('recording', 'photo')))).toBe('SignatureDoesNotMatch');
    expect(await codeOf(await get({}, url.replace('Expires=300', 'Expires=900')))).toBe(
      'SignatureDoesNotMatch',
    );
    expect(await codeOf(await get({}, url.split('?')[0]))).toBe('AccessDenied');
    clock.aheadMs = 6 * 60 * 1000;
    expect(await codeOf(await get())).toBe('AccessDenied');
  });

  test('lets no script read it', async () => {
    const { get } = await stored();
    const { headers } = await get({ origin: 'https://www.example.com' });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('any page may post a form, and nothing else', async () => {
  const { fetch } = testBucket();
  const ask = (method: string) =>
    fetch(
      new Request('http://bucket.localhost/media/', {
        method: 'OPTIONS',
        headers: { origin: 'https://a.example', 'access-control-request-method': method },
      }),
    );
  expect((await ask('POST')).headers.get('access-control-allow-origin')).toBe('*');
  expect([(await ask('GET')).status, (await ask('PUT')).status]).toEqual([403, 403]);
});

describe('a copy', () => {
  const metadata = { organization: 'acme' };

  test('replaces nothing, and needs the ETag that was seen', async () => {
    const { bucket, post } = testBucket();
    await post(await bucket.signForm(upload), file);
    const { etag = '' } = (await bucket.find(key)) ?? {};
    const copy = { from: key, to: 'm/a', etag, type: 'video/webm', metadata };
    expect(await bucket.copyAsDraft(copy)).toBe(true);
    expect(await bucket.find('m/a')).toMatchObject({ type: 'video/webm', metadata, bytes: 4 });
    expect(await bucket.copyAsDraft(copy)).toBe(false);
    await post(await bucket.signForm(upload), new Uint8Array([9, 9, 9, 9]));
    await expect(bucket.copyAsDraft({ ...copy, to: 'm/b' })).rejects.toThrow('in/f/page');
    await expect(bucket.read(key, { from: 0, to: 2, etag })).rejects.toThrow('in/f/page');
    await bucket.remove(key);
    await expect(bucket.copyAsDraft({ ...copy, to: 'm/b' })).rejects.toThrow('in/f/page');
  });

  test('expires within two days unless it is kept, as uploads do', async () => {
    const { bucket, post, keys, clock, expire } = testBucket();
    await post(await bucket.signForm(upload), file);
    const { etag = '' } = (await bucket.find(key)) ?? {};
    for (const to of ['m/draft', 'm/kept'])
      await bucket.copyAsDraft({ from: key, to, etag, type: 'video/mp4', metadata });
    await bucket.keep('m/kept');
    await bucket.keep('m/none');
    clock.aheadMs = day - 60_000;
    await expire();
    expect(await keys()).toHaveLength(3);
    clock.aheadMs = 2 * day;
    expect(await bucket.find('m/draft')).toBeUndefined();
    await expire();
    expect(await keys()).toEqual(['m/kept']);
  });
});

test('a call is tried again after a failure, four times', async () => {
  const test = testBucket();
  test.fault = (_, number) => (number < 4 ? new Response(null, { status: 503 }) : undefined);
  await test.bucket.remove('m/a');
  expect(test.calls).toHaveLength(4);
  test.fault = () => {
    throw new Error('ECONNRESET');
  };
  await expect(test.bucket.remove('m/a')).rejects.toThrow('does not respond');
});

test('a missing right is no missing object', async () => {
  const test = testBucket();
  await test.post(await test.bucket.signForm(upload), file);
  test.fault = (call) => (call.startsWith('DELETE') ? new Response(null, { status: 403 }) : undefined);
  await expect(test.bucket.keep(key)).rejects.toThrow('403');
  await expect(test.bucket.remove(key)).rejects.toThrow('403');
});

test('objects persist in the data folder', async () => {
  const folder = await directory();
  const { credentials, region } = localClientConfig('');
  const options = { name: 'media', region, credentials, now: () => new Date() };
  const log = () => {};
  const first = await startLocalBucket(bucketDefinition, folder, log);
  const bucket = openBucket({ ...options, endpoint: first.endpoint });
  const { url, fields } = await bucket.signForm(upload);
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', new Blob([file]));
  expect((await fetch(url, { method: 'POST', body })).status).toBe(204);
  await first.stop();

  const second = await startLocalBucket(bucketDefinition, folder, log);
  const again = openBucket({ ...options, endpoint: second.endpoint });
  const { etag = '' } = (await again.find(key)) ?? {};
  expect([...(await again.read(key, { from: 1, to: 9, etag }))]).toEqual([2, 3, 4]);
  await again.remove(key);
  expect(await again.find(key)).toBeUndefined();
  await second.stop();
});

const facts = { key, type: 'a/b', etag: '"1"', metadata: {}, tags: {}, modified: 1 };

test('an object of a folder is replaced as a whole, and its old bytes are deleted', async () => {
  const folder = await directory();
  const store = await folderObjects(folder);
  await store.put(facts, new Blob(['one']));
  await store.put({ ...facts, etag: '"2"' }, new Blob(['two']));
  expect(await (await store.get(key))?.body.text()).toBe('two');
  expect(await store.list()).toEqual([{ ...facts, etag: '"2"' }]);
  expect((await readdir(folder)).length).toBe(2);
});

test('an incomplete file is named, with what to do: at the start, and while it runs', async () => {
  const folder = await directory();
  const lines: string[] = [];
  const start = () => startLocalBucket(bucketDefinition, folder, (line) => lines.push(line));
  const running = await start();
  const path = join(folder, 'bucket', 'm%2Fabc.json');
  await writeFile(path, '');
  const message = `${path} is incomplete: it describes a photo, a recording or an upload. Delete this file to continue without it.`;
  await running.startExpiry();
  expect(lines).toEqual([`Expired uploads could not be deleted: Error: ${message}`]);
  await running.stop();
  await expect(start()).rejects.toThrow(message);
});

test('files that a stop has left in a folder are deleted at the next start', async () => {
  const folder = await directory();
  await (await folderObjects(folder)).put(facts, new Blob(['one']));
  for (const name of ['x.bytes', 'y.bytes.draft']) await writeFile(join(folder, name), 'left');
  const store = await folderObjects(folder);
  expect((await readdir(folder)).length).toBe(2);
  expect(await (await store.get(key))?.body.text()).toBe('one');
});
