/** Media in exports, imports and the texts of commands: their facts, and never their bytes. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { adminOf } from '../../admin.ts';
import { createApiClient, testimonialBody } from '../../api-client.ts';
import { directory } from '../../file-of.ts';
import { mediaFile, testBucket, uploadTo } from '../../media-bucket.ts';

async function exported() {
  const test = testBucket();
  const api = await createApiClient(undefined, undefined, test.bucket);
  const url = 'https://videos.example.com/1';
  const media = { recording: await uploadTo(test, api), url };
  await api.create(testimonialBody({ type: 'video', media }));
  const { stdout } = await adminOf(api.table)('export', '--organization', 'acme');
  return { api, url, bytes: mediaFile('h264-aac.mp4').length, line: stdout };
}

test('NDJSON has the facts, CSV has nothing of them, and an import keeps the URL alone', async () => {
  const { api, url, bytes, line } = await exported();
  expect(JSON.parse(line).media).toEqual({ recording: { type: 'video/mp4', bytes }, url });
  const { stdout: csv } = await adminOf(api.table)('export', '--organization', 'acme', '--format', 'csv');
  expect(csv).not.toContain('video/mp4');
  const path = join(await directory(), 'acme.ndjson');
  await writeFile(path, line);
  const admin = adminOf(api.table);
  expect((await admin('import', path, '--organization', 'other', '--yes')).code).toBe(0);
  const { stdout } = await admin('export', '--organization', 'other');
  expect(JSON.parse(stdout)).toMatchObject({ type: 'video', media: { url } });
  expect(JSON.parse(stdout).media).toEqual({ url });
});

test('commands name the media of a testimonial', async () => {
  const { api, url, bytes, line } = await exported();
  const { stdout } = await adminOf(api.table)(
    'testimonial',
    'show',
    '--organization',
    'acme',
    JSON.parse(line).id,
  );
  expect(stdout).toContain(url);
  expect(stdout).toContain('video/mp4');
  expect(stdout).toContain(bytes.toLocaleString('en'));
});
