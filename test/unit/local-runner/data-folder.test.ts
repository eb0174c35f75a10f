/** A damaged data folder, or a full disk: one line that says what to do, and never an empty database. */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ClassicLevel } from 'classic-level';
import {
  ensureTable,
  type RunningDynamoDb,
  startEmbeddedDynamoDb,
} from '../../../lib/local-runner/dynamodb.ts';
import { localClientConfig } from '../../../lib/local-runner/settings.ts';

const table = { name: 'things', definition: JSON.parse(String(process.env.TEST_TABLE_DEFINITION)) };

let intact: string;
let dataDir: string;
let path: string;
beforeAll(async () => {
  intact = await mkdtemp(join(tmpdir(), 'testimonials-intact-'));
  // The data of the first two starts becomes tables; the log of the last one stays.
  for (const start of [0, 1000, 2000]) {
    const store = new ClassicLevel<string, string>(join(intact, 'dynamodb'), { writeBufferSize: 65_536 });
    await store.open();
    for (let i = 0; i < (start < 2000 ? 500 : 50); i += 1)
      await store.put(`${start + i}`, 'text '.repeat(50));
    await store.close();
  }
});
afterAll(() => rm(intact, { recursive: true }));
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'testimonials-data-'));
  path = join(dataDir, 'dynamodb');
});
afterEach(() => rm(dataDir, { recursive: true }));

const file = async (ending: RegExp) =>
  join(path, (await readdir(path)).find((name) => ending.test(name)) ?? '');
const halve = async (ending: RegExp) => {
  const name = await file(ending);
  await truncate(name, Math.floor((await readFile(name)).length / 2));
};
const change = async (ending: RegExp) => {
  const name = await file(ending);
  const bytes = await readFile(name);
  // After the header of the first record.
  bytes.fill('damage', 12, 18);
  await writeFile(name, bytes);
};
const zero = async (ending: RegExp) => {
  const name = await file(ending);
  await writeFile(name, Buffer.alloc((await readFile(name)).length));
};
const damaged = (cause: string) =>
  new RegExp(
    `^The data in ${path} is damaged \\(${cause}\\)\\. Replace the folder with a copy, or move it away to start with an empty one\\.$`,
  );

test.each([
  ['without CURRENT', () => rm(join(path, 'CURRENT')), 'the file CURRENT is missing'],
  [
    'whose CURRENT names no file',
    () => writeFile(join(path, 'CURRENT'), 'MANIFEST-999999\n'),
    'IO error: .+MANIFEST-999999: No such file or directory',
  ],
  [
    'with an empty manifest',
    async () => truncate(await file(/^MANIFEST/), 0),
    'MANIFEST-\\d+ is cut off, or 000000\\.log is missing',
  ],
  ['with a changed manifest', () => change(/^MANIFEST/), 'MANIFEST-\\d+ has a damaged record'],
  ['with a changed log', () => change(/\.log$/), '\\d+\\.log has a damaged record'],
  ['with a log of zeros', () => zero(/\.log$/), '\\d+\\.log contains only zeros'],
  [
    'without its log',
    async () => rm(await file(/\.log$/)),
    'MANIFEST-\\d+ is cut off, or \\d+\\.log is missing',
  ],
  ['without a table', async () => rm(await file(/\.ldb$/)), 'Corruption: 1 missing files.+'],
])('a folder %s is not opened, and keeps its data', async (_, damage, cause) => {
  await cp(intact, dataDir, { recursive: true });
  await damage();
  const data = async () => (await readdir(path)).filter((name) => /\.(ldb|log)$/.test(name));
  const before = await data();
  const started = startEmbeddedDynamoDb(dataDir, 0).then(
    async ({ stop }) => {
      await stop();
      return 'it has started';
    },
    (error: Error) => error.message,
  );
  expect(await started).toMatch(damaged(cause));
  expect(await data()).toEqual(expect.arrayContaining(before));
});

test('a log with an incomplete end is opened with the data before it', async () => {
  await cp(intact, dataDir, { recursive: true });
  const log = await file(/\.log$/);
  await truncate(log, (await readFile(log)).length - 10);
  const dynamoDb = await startEmbeddedDynamoDb(dataDir, 0);
  await dynamoDb.stop();
});

/** Starts on the folder, and collects its reports of failures. */
async function started() {
  const reports: string[] = [];
  const dynamoDb = await startEmbeddedDynamoDb(dataDir, 0, (why) => reports.push(why));
  const config = { ...localClientConfig(dynamoDb.endpoint), maxAttempts: 1 };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(config));
  return { dynamoDb, client, reports };
}

const key = (i: number) => ({ PK: 'ORG#acme', SK: `THING#${i}` });
async function stop(dynamoDb: RunningDynamoDb, client: DynamoDBDocumentClient): Promise<void> {
  client.destroy();
  await dynamoDb.stop();
}
const put = (client: DynamoDBDocumentClient, from: number, text: string) =>
  client.send(
    new BatchWriteCommand({
      RequestItems: {
        things: Array.from({ length: 20 }, (_, i) => ({
          PutRequest: { Item: { ...key(from + i), text } },
        })),
      },
    }),
  );

test('an unreadable table is reported when it is read, and the request gets a response', async () => {
  const first = await started();
  await ensureTable(first.dynamoDb.endpoint, table);
  await put(first.client, 0, 'x'.repeat(10_000));
  await stop(first.dynamoDb, first.client);
  // The data of the log becomes a table.
  await (await startEmbeddedDynamoDb(dataDir, 0)).stop();
  await halve(/\.ldb$/);
  const { dynamoDb, client, reports } = await started();
  const get = new GetCommand({ TableName: 'things', Key: key(3) });
  await expect(client.send(get)).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } });
  expect(reports[0]).toMatch(damaged('IO error: .+\\.ldb: Invalid argument'));
  await stop(dynamoDb, client);
});

const onLinux = existsSync('/dev/full') ? test : test.skip;

onLinux('a disk that gets full is reported, and no stored item is lost', async () => {
  const { dynamoDb, client, reports } = await started();
  await ensureTable(dynamoDb.endpoint, table);
  await put(client, 0, 'before');
  // A write of one of the next tables fails.
  for (let i = 1; i < 60; i += 1)
    await symlink('/dev/full', join(path, `${String(i).padStart(6, '0')}.ldb`)).catch(() => {});
  // Writes until a table is due.
  for (let i = 1; reports.length === 0 && i < 20; i += 1)
    await put(client, 20 * i, 'x'.repeat(100_000)).catch(() => {});
  expect(reports[0]).toMatch(
    new RegExp(
      `^The data in ${path} cannot be written because the disk is full \\(IO error: .+No space left on device\\)\\. Free disk space, then start the service again\\.$`,
    ),
  );
  await stop(dynamoDb, client);
  for (const name of await readdir(path)) if (name.endsWith('.ldb')) await rm(join(path, name));

  const again = await started();
  const { Item } = await again.client.send(new GetCommand({ TableName: 'things', Key: key(3) }));
  expect(Item).toEqual({ ...key(3), text: 'before' });
  await stop(again.dynamoDb, again.client);
});
