/** The command `export`. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { adminOf, runAdmin } from '../../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { failingDynamoDb, pass, refusal } from '../../failing-dynamodb.ts';
import { directory, fileOf } from '../../file-of.ts';
import { mediaFile, testBucket, uploadTo } from '../../media-bucket.ts';
import { moderate } from '../../moderate.ts';
import { position } from '../../position.ts';

let api: ApiClient;
const created: Testimonial[] = [];
beforeAll(async () => {
  api = await createApiClient();
  const bodies = [
    { content: '=HYPERLINK("http://example.com")', author: { name: '@jane', email: '+j@example.com' } },
    { content: 'Two lines,\nand a "quote"', rating: 4, tags: ['-', 'x'], type: 'video' },
    { content: "'tis great, \u2028 all of it;=1+1", rating: 5 },
  ];
  for (const each of bodies) created.push((await api.create(testimonialBody(each))).body);
  await moderate(api, 'acme', created[0]?.id ?? '', 'approved', new Date());
});

/** A busy machine may take long enough for a line about progress. */
const run = async (...args: string[]) => {
  const printed = await adminOf(api.table)('export', '--organization', 'acme', ...args);
  return { ...printed, stderr: printed.stderr.replace(/^Exporting: .*\n/gm, '') };
};
const out = async (name: string) => join(await directory(), name);

test('standard output gets only NDJSON, oldest first', async () => {
  const { code, stdout, stderr } = await run();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each));
  expect(lines.map(({ id }) => id)).toEqual(created.map(({ id }) => id));
  expect(lines[1]).toEqual({ ...created[1], updateOrdinal: position(2) });
  expect(lines[0]).toMatchObject({ status: 'approved', updateOrdinal: position(4) });
});

test('export accepts the filters of a list', async () => {
  const ids = async (...args: string[]) =>
    [...(await run(...args)).stdout.matchAll(/"id":"(\w+)"/g)].map(([, id]) => id);
  const [first, second, third] = created.map(({ id }) => id);
  expect(await ids('--status', 'approved')).toEqual([first]);
  expect(await ids('--rating', '4')).toEqual([second, third]);
  expect(await ids('--tags', 'X', '--type', 'video')).toEqual([second]);
  expect(await ids('--search', 'tis')).toEqual([third]);
  expect((await run('--rating', '9')).stderr).toContain('rating must be a whole number from 1 to 5');
});

describe('a file', () => {
  test('has the format of its name, and is imported as it is', async () => {
    const file = await out('a.csv');
    const { code, stdout, stderr } = await run('--out', file);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: `3 testimonials exported to ${file}\n`,
    });
    // Spreadsheets know by it that the file is UTF-8.
    expect(await readFile(file, 'utf8')).toMatch(
      /^\uFEFF"content",.*,"updateOrdinal"\r\n"'=HYPERLINK\(""http:\/\/example.com""\)","'@jane",/,
    );
    const target = await createApiClient();
    const admin = adminOf(target.table);
    expect(await admin('import', file, '--organization', 'acme')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^3 testimonials imported into acme\.\nDates and statuses come from the file\.\nIds come from the file\.\n/,
      ),
    });
    for (const query of ['', 'sort=updatedAt']) {
      expect((await target.list(query)).body).toEqual((await api.list(query)).body);
    }
  });

  test.each([
    ['a.pdf', 'acme', /a\.pdf does not end in \.csv or \.ndjson\. Set its format with --format\.$/m],
    ['a.json', 'acme', /a\.json does not end in /],
    ['a.txt', 'acme', /a\.txt does not end in /],
    ['a.TSV', 'acme', /a\.TSV does not end in /],
    ['a', 'acme', /a does not end in /],
    [
      'a.csv',
      'acmee',
      /^There is no organization acmee\. Check the name\. To list the organizations, run: .* index status --all$/m,
    ],
  ])(
    '%s of %s is an error; nothing is written, and a file of that name stays as it is',
    async (name, organization, why) => {
      const file = await out(name);
      const args = ['export', '--organization', organization, '--out', file];
      for (const mine of [undefined, 'mine']) {
        if (mine !== undefined) await writeFile(file, mine);
        const { code, stdout, stderr } = await adminOf(api.table)(...args);
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
        expect(stderr).toMatch(why);
        expect(await readdir(join(file, '..'))).toEqual(mine === undefined ? [] : [name]);
      }
      expect(await readFile(file, 'utf8')).toBe('mine');
    },
  );

  test('with another ending needs --format', async () => {
    const file = await out('a.txt');
    expect(await run('--out', file, '--format', 'csv')).toMatchObject({ code: 0 });
    expect(await readFile(file, 'utf8')).toMatch(/^\uFEFF"content",/);
    for (const name of ['a.ndjson', 'a.jsonl']) {
      const lines = await out(name);
      await run('--out', lines);
      expect(await readFile(lines, 'utf8')).toMatch(/^\{/);
    }
  });

  test('does not exist, not even in part, if the export fails', async () => {
    const { state, endpoint } = await failingDynamoDb();
    let reads = 0;
    state.fault = async (call, forward) => {
      const isPage = call.operation === 'Query' && call.body.includes('"Limit":1000');
      if (isPage) reads += 1;
      return isPage ? refusal('ValidationException') : pass(call, forward);
    };
    const file = await out('a.csv');
    const args = ['export', '--organization', 'acme', '--out', file, '--table', api.table.name];
    expect(await runAdmin([...args, '--endpoint', endpoint], {})).toMatchObject({ code: 1, stdout: '' });
    expect(reads).toBe(1);
    expect(await readdir(join(file, '..'))).toEqual([]);
  });
});

/** An organization with the recording of a testimonial, and its export. */
async function withMedia() {
  const test = testBucket();
  const api = await createApiClient(undefined, undefined, test.bucket);
  const url = 'https://videos.example.com/1';
  const media = { recording: await uploadTo(test, api), url };
  await api.create(testimonialBody({ type: 'video', media }));
  const { stdout } = await adminOf(api.table)('export', '--organization', 'acme');
  return { api, url, bytes: mediaFile('h264-aac.mp4').length, line: stdout };
}

test('NDJSON has the facts of media and never their bytes, CSV has nothing of them, and an import keeps the URL alone', async () => {
  const { api, url, bytes, line } = await withMedia();
  expect(JSON.parse(line).media).toEqual({ recording: { type: 'video/mp4', bytes }, url });
  const { stdout: csv } = await adminOf(api.table)('export', '--organization', 'acme', '--format', 'csv');
  expect(csv).not.toContain('video/mp4');
  const path = await fileOf(line, 'acme.ndjson');
  const admin = adminOf(api.table);
  expect((await admin('import', path, '--organization', 'other', '--yes')).code).toBe(0);
  const { stdout } = await admin('export', '--organization', 'other');
  expect(JSON.parse(stdout)).toMatchObject({ type: 'video', media: { url } });
  expect(JSON.parse(stdout).media).toEqual({ url });
});

test('commands name the media of a testimonial', async () => {
  const { api, url, bytes, line } = await withMedia();
  const show = ['testimonial', 'show', '--organization', 'acme', JSON.parse(line).id];
  const { stdout } = await adminOf(api.table)(...show);
  expect(stdout).toContain(url);
  expect(stdout).toContain('video/mp4');
  expect(stdout).toContain(bytes.toLocaleString('en'));
});
