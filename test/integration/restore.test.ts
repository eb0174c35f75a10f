/**
 * Rehearses a restore as docs/recovery.md describes it, as far as an emulator allows: a table with a backup's
 * items, later erasures repeated from the index function's log, and all indexes rebuilt and verified.
 */

import { Logger } from '@aws-lambda-powertools/logger';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from '@jest/globals';
import type { DynamoDBRecord } from 'aws-lambda';
import { hashSecret } from '../../functions/domain/token.ts';
import { indexFilters } from '../../functions/dynamodb/stream-filters.ts';
import type { Table } from '../../functions/dynamodb/table.ts';
import { createHandler } from '../../functions/index-testimonials/handler.ts';
import { findVisit, inviteAgain, makeFeed } from '../../functions/serve-desk/people.ts';
import { openIndexUpdates } from '../../functions/testimonials/index-updates.ts';
import { updateIndex, wholeTail } from '../../functions/testimonials/list-index/write/update-index.ts';
import { settledMs } from '../../functions/timing.ts';
import { recordFilter } from '../../lib/local-runner/template.ts';
import { hurriedAdminOf, refused } from '../admin.ts';
import { createApiClient, storesOf, testimonialBody } from '../api-client.ts';
import { deskOf } from '../desk-client.ts';
import { callEngine, ownDynamoDb } from '../dynamodb.ts';
import { refusal } from '../failing-dynamodb.ts';
import { fileOf } from '../file-of.ts';
import { personWith } from '../person.ts';
import { storedItems, textOf } from '../stored-items.ts';
import { recordOf } from '../stream-record.ts';
import { createTestTable } from '../test-table.ts';

type Item = Awaited<ReturnType<typeof storedItems>>[number];

const organizations = ['acme', 'other'] as const;
type Organization = (typeof organizations)[number];

/** Words that only the erased testimonials contain. */
const theirWords = /quagga|zdenka|xylander|yttrium|wolfram/i;

const person = {
  content: 'A quagga of a product',
  author: { name: 'Zdenka Xylander', email: 'zdenka@example.com', company: 'Yttrium' },
  tags: ['wolfram'],
};

/** Returns a function that creates testimonials of either organization through the API. */
async function creatorOf(table: Table) {
  const api = await createApiClient(table);
  const tokens = { acme: api.token, other: await api.issue(['testimonials:write'], 'other') };
  return async (organization: Organization, body = {}): Promise<string> => {
    const authorization = `Bearer ${tokens[organization]}`;
    return (await api.create(testimonialBody(body), { authorization })).body.id;
  };
}

/** Returns the stream records of the writes between two states of a table. */
function recordsBetween(before: readonly Item[], after: readonly Item[]): DynamoDBRecord[] {
  const keyOf = ({ PK, SK }: Item) => `${PK}\n${SK}`;
  const textsBefore = new Map(before.map((item) => [keyOf(item), JSON.stringify(item)]));
  return after.flatMap((item, i) => {
    const text = textsBefore.get(keyOf(item));
    if (text === JSON.stringify(item)) return [];
    const { PK, SK } = item;
    return [recordOf({ PK, SK }, i, text === undefined ? 'INSERT' : 'MODIFY')];
  });
}

/** Returns the lines that the deployed index function logs for some records. */
async function logOf(table: Table, records: readonly DynamoDBRecord[]): Promise<string[]> {
  const written: string[] = [];
  // With this variable Powertools writes to the global console instead of one of its own.
  process.env.POWERTOOLS_DEV = 'true';
  const { info } = console;
  console.info = (line: string) => written.push(JSON.stringify(JSON.parse(line)));
  try {
    const logger = new Logger({ serviceName: 'IndexTestimonials' });
    const handler = createHandler({ updates: openIndexUpdates(table), now: table.now, logger });
    const passes = recordFilter(indexFilters);
    expect(await handler({ Records: records.filter(passes) })).toEqual({ batchItemFailures: [] });
  } finally {
    console.info = info;
    delete process.env.POWERTOOLS_DEV;
  }
  return written;
}

async function tableOf(items: readonly Item[]): Promise<Table> {
  const table = await createTestTable();
  for (let i = 0; i < items.length; i += 25) {
    const requests = items.slice(i, i + 25).map((Item) => ({ PutRequest: { Item } }));
    await table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: requests } }));
  }
  return table;
}

let backup: Item[];
let restored: Table;
let admin: ReturnType<typeof hurriedAdminOf>;
let clock: ReturnType<typeof ownDynamoDb>;
let file: string;
/** The ids of testimonials in the backup that were erased later. */
const erased: Record<Organization, string[]> = { acme: [], other: [] };

/**
 * A session, an unused invitation, and the path of a feed, of a person at each desk at the time of the
 * backup.
 */
const visits: { cookies: Map<string, string>; used: string; feed: string }[] = [];

function visitOf(desk: Awaited<ReturnType<typeof deskOf>>, cookies: Map<string, string>) {
  const browser = desk.browser();
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  return browser;
}

const replay = (run: typeof admin, ...options: string[]) =>
  run('testimonial', 'erase', '--replay', file, ...options);

beforeAll(async () => {
  const table = await createTestTable();
  const create = await creatorOf(table);
  const operator = hurriedAdminOf(table);
  const erase = (organization: Organization, ...args: string[]) =>
    operator('testimonial', 'erase', '--organization', organization, '--yes', ...args);
  for (const organization of organizations) {
    const some: string[] = [];
    for (let i = 0; i < 6; i += 1) some.push(await create(organization, { tags: ['support'] }));
    await operator('testimonial', 'approve', '--organization', organization, ...some.slice(1, 4));
    erased[organization].push(await create(organization, person));
  }
  const desk = await deskOf(table);
  for (const organization of organizations) {
    const ann = await desk.signedIn({ organization });
    const used = await inviteAgain(desk.people, ann.person);
    const [session = ''] = ann.cookies.values();
    const visit = await findVisit(desk.people, hashSecret(session));
    const secret = visit && (await makeFeed(desk.people, visit));
    visits.push({ cookies: ann.cookies, used, feed: `/desk/feed?secret=${secret}` });
  }
  // The testimonials of one organization are indexed, those of the other stay in the tail.
  const later = () => new Date(Date.now() + settledMs);
  await updateIndex({ ...storesOf(table), now: later }, 'acme', wholeTail);
  const gone = await create('acme', person);
  erased.acme.push(await create('acme', { ...person, rating: 5 }));
  const first = await storedItems(table);
  await erase('acme', gone);
  const log = await logOf(table, recordsBetween(first, await storedItems(table)));

  backup = await storedItems(table);

  // Each person uses the invitation in another browser and then ends all sessions.
  for (const { cookies, used, feed } of visits) {
    const { get, post } = desk.browser();
    expect((await post('/desk/open', { invitation: used })).status).toBe(303);
    await post('/desk/me', { end: 'all', confirmed: 'yes' });
    expect((await visitOf(desk, cookies).get('/desk/queue')).status).toBe(401);
    expect((await get(feed)).status).toBe(404);
  }
  const late = await create('other', { ...person, content: 'A quagga, created later' });
  const second = await storedItems(table);
  // The command removes the words from the index. The index function receives the records after that.
  await erase('acme', ...erased.acme);
  await erase('other', ...erased.other, late);
  log.push(...(await logOf(table, recordsBetween(second, await storedItems(table)))));
  // As `aws logs filter-log-events` prints it.
  file = await fileOf(JSON.stringify({ events: log.map((message) => ({ message })) }), 'erased.json');

  restored = await tableOf(backup);
  clock = ownDynamoDb();
  admin = hurriedAdminOf(restored, undefined, clock);
});

test('a replay asks before it begins', async () => {
  const hesitant = personWith({ answers: ['n'] });
  expect(await replay(hurriedAdminOf(restored, hesitant))).toEqual(
    refused('Cancelled. Nothing was changed.'),
  );
  expect(hesitant.asked).toEqual([
    `Erase 5 testimonials of 2 organizations again in the table ${restored.name}, as ${file} says? [y/N] `,
  ]);
  expect((await replay(admin)).stderr).toContain('add --yes');
});

test('a stopped replay continues, and reports erased, already erased and unknown testimonials', async () => {
  const failing = ownDynamoDb();
  let tombstones = 0;
  failing.state.answer = async (call) => {
    const isErasing =
      call.body.includes('"erased":{"S"') && call.headers['x-amz-target']?.endsWith('PutItem');
    if (isErasing) tombstones += 1;
    return isErasing && tombstones > 1 ? refusal('AccessDeniedException') : callEngine(call);
  };
  expect(await replay(hurriedAdminOf(restored, undefined, failing), '--yes')).toMatchObject({
    code: 1,
    stdout: '',
  });
  const { code, stdout } = await replay(admin, '--yes', '--json');
  expect(code).toBe(0);
  const outcomes: { outcome: string }[] = JSON.parse(stdout);
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
    'absent',
    'already',
    'already',
    'done',
    'done',
  ]);

  expect(await replay(admin, '--yes')).toEqual({
    code: 0,
    stdout: '0 testimonials erased; 4 erased before; 1 not in the backup\n',
    stderr: expect.stringMatching(
      /^Next, run: npm run admin -- --table \S+ --endpoint \S+ index rebuild --all\n$/,
    ),
  });
});

test('after the replay and a rebuild, only the ids of erased testimonials remain, and all else is as in the backup', async () => {
  clock.state.aheadMs += settledMs;
  expect(await admin('index', 'rebuild', '--all')).toMatchObject({ code: 0 });
  const { code, stdout } = await admin('index', 'verify', '--all');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^acme: 6 testimonials .*: 0 differences\nother: 6 testimonials .*: 0 differences\n$/,
  );
  expect(JSON.stringify(backup)).toMatch(theirWords);
  expect(await textOf(restored)).not.toMatch(theirWords);
  const all = Object.values(erased).flat();
  const others = (items: readonly Item[]) =>
    items.filter(({ id }) => id !== undefined && !all.includes(String(id)));
  expect(others(await storedItems(restored))).toEqual(others(backup));
});

test('ending all sessions also ends the sessions, invitations and feeds that the backup brought back', async () => {
  const desk = await deskOf(restored);
  const queues = () =>
    Promise.all(visits.map(async ({ cookies }) => (await visitOf(desk, cookies).get('/desk/queue')).status));
  const feeds = () => Promise.all(visits.map(async ({ feed }) => (await desk.browser().get(feed)).status));
  expect([await queues(), await feeds()]).toEqual([
    [200, 200],
    [200, 200],
  ]);
  expect(await admin('desk', 'end-sessions', '--all')).toMatchObject({ code: 0 });
  expect([await queues(), await feeds()]).toEqual([
    [401, 401],
    [404, 404],
  ]);
  for (const { used } of visits) {
    expect((await desk.browser().post('/desk/open', { invitation: used })).status).toBe(403);
  }
});
