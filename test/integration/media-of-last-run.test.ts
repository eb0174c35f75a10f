/**
 * A start of the local service finishes the media whose records of the stream were lost with the last run.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openBucket } from '../../functions/media/bucket.ts';
import { keyOfMedia } from '../../functions/media/media.ts';
import { openChanges } from '../../functions/testimonials/changes.ts';
import { type LocalBucket, startLocalBucket } from '../../lib/local-runner/bucket.ts';
import { finishMedia } from '../../lib/local-runner/media-of-last-run.ts';
import { localClientConfig } from '../../lib/local-runner/settings.ts';
import { createApiClient, testimonialBody } from '../api-client.ts';
import { directory } from '../file-of.ts';
import { bucketDefinition, mediaFile } from '../media-bucket.ts';
import { storedTestimonials } from '../stored-items.ts';

/** Returns a service that ends before it makes its copies last, and a function that creates a recording. */
async function stoppedService(local: LocalBucket) {
  const bucket = openBucket({ ...localClientConfig(local.endpoint), name: 'media', now: () => new Date() });
  const stopped = { ...bucket, keep: () => Promise.reject(new Error('stopped')) };
  const api = await createApiClient(undefined, undefined, stopped);
  const file = mediaFile('tone.mp3');
  const create = async () => {
    const { body } = await api.call({
      routeKey: 'POST /v1/uploads',
      headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'recording', type: 'audio/mpeg', bytes: file.length }),
    });
    const form = new FormData();
    for (const [name, value] of Object.entries(body.fields)) form.append(name, String(value));
    form.append('file', new Blob([Uint8Array.from(file)]));
    await fetch(body.url, { method: 'POST', body: form });
    const media = { recording: body.upload };
    expect((await api.create(testimonialBody({ type: 'audio', media }))).status).toBe(500);
  };
  return { api, bucket, create };
}

const noErrors = (line: string) => {
  throw new Error(line);
};

test('days later, copies of stored testimonials last, those of erased ones are deleted, and other drafts expire', async () => {
  const folder = await directory();
  const first = await startLocalBucket(bucketDefinition, folder, noErrors);
  const { api, bucket, create } = await stoppedService(first);
  await create();
  await create();
  const [kept, erased] = (await storedTestimonials(api.table)).map(({ testimonial: { id } }) => id);
  await openChanges(api.table)('acme').erase(erased ?? '');
  const key = keyOfMedia('acme', kept ?? '', 'recording');
  const draft = keyOfMedia('acme', 'no one', 'recording');
  const { etag = '' } = (await bucket.find(key)) ?? {};
  const metadata = { organization: 'acme', testimonial: 'test_1234567890129900000', kind: 'recording' };
  await bucket.copyAsDraft({ from: key, to: draft, etag, type: 'audio/mpeg', metadata });
  await first.stop();
  const objects = join(folder, 'bucket');
  const modified = Date.now() - 3 * 24 * 60 * 60 * 1000;
  for (const name of (await readdir(objects)).filter((each) => each.endsWith('.json'))) {
    const facts = JSON.parse(await readFile(join(objects, name), 'utf8'));
    await writeFile(join(objects, name), JSON.stringify({ ...facts, modified }));
  }

  const second = await startLocalBucket(bucketDefinition, folder, noErrors);
  await finishMedia(api.table, second, noErrors);
  const tagsOf = async (prefix: string) => {
    const some = (await second.objects()).filter((each) => each.key.startsWith(prefix));
    return Object.fromEntries(some.map((each) => [each.key, each.tags]));
  };
  expect(await tagsOf('m/')).toEqual({ [key]: {}, [draft]: { draft: '1' } });
  await second.startExpiry();
  expect(await tagsOf('')).toEqual({ [key]: {} });
  await second.stop();
});
