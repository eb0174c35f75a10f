/**
 * A start of the local service finishes the media whose records of the stream were lost with the last run.
 */
import { expect, test } from '@jest/globals';
import { openBucket } from '../../functions/media/bucket.ts';
import { keyOfMedia } from '../../functions/media/media.ts';
import { openChanges } from '../../functions/testimonials/changes.ts';
import { startLocalBucket } from '../../lib/local-runner/bucket.ts';
import { finishMedia } from '../../lib/local-runner/media-of-last-run.ts';
import { localClientConfig } from '../../lib/local-runner/settings.ts';
import { createApiClient, storesOf, testimonialBody } from '../api-client.ts';
import { bucketDefinition, mediaFile } from '../media-bucket.ts';

test('copies of stored testimonials last, those of erased ones are deleted, and drafts of none stay drafts', async () => {
  const local = await startLocalBucket(bucketDefinition, ':memory:');
  const bucket = openBucket({ ...localClientConfig(local.endpoint), name: 'media', now: () => new Date() });
  // The service ends before it makes its copies last.
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
  await create();
  await create();
  const [first, second] = (await Array.fromAsync(storesOf(api.table).testimonials.from('acme', 0))).flat();
  const [kept, erased] = [first?.testimonial.id ?? '', second?.testimonial.id ?? ''];
  await openChanges(api.table)('acme').erase(erased);
  const lost = { from: keyOfMedia('acme', kept, 'recording'), to: keyOfMedia('acme', 'no one', 'recording') };
  const { etag = '' } = (await bucket.find(lost.from)) ?? {};
  const metadata = { organization: 'acme', testimonial: 'test_1234567890129900000', kind: 'recording' };
  await bucket.copyAsDraft({ ...lost, etag, type: 'audio/mpeg', metadata });

  const lines: string[] = [];
  await finishMedia(api.table, local, (line) => lines.push(line));
  expect(lines).toEqual([]);
  const copies = (await local.objects()).filter(({ key }) => key.startsWith('m/'));
  const objects = copies.map(({ key, tags }) => [key, tags.draft]);
  expect(objects.sort()).toEqual(
    [
      [lost.from, undefined],
      [lost.to, '1'],
    ].sort(),
  );
  await local.stop();
});
