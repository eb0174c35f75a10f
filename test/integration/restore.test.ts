/**
 * Rehearses a restore as docs/recovery.md describes it, as far as an emulator allows: a table with a backup's
 * items, later erasures repeated from the index function's log, and all indexes rebuilt and verified.
 */

import { Logger } from '@aws-lambda-powertools/logger';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from '@jest/globals';
import type { DynamoDBRecord } from 'aws-lambda';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
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

interface List {
  testimonials: { id: string }[];
  pagination: { total: number };
}

const organizations = ['acme', 'other'] as const;
type Organization = (typeof organizations)[number];

/** Words that only the erased testimonials contain. */
const theirWords = /quagga|zdenka|xylander|yttrium|wolfram/i;

const person = {
  content: 'A quagga of a product',
  author: { name: 'Zdenka Xylander', email: 'zdenka@example.com', company: 'Yttrium' },
  tags: ['wolfram'],
};

/** Creates and lists testimonials of either organization through the API. */
async function clientsOf(table: Table) {
  const api = await createApiClient(table);
  const tokens = {
    acme: api.token,
    other: await api.issue(['testimonials:read', 'testimonials:write'], 'other'),
  };
  const authorized = (organization: Organization) => ({ authorization: `Bearer ${tokens[organization]}` });
  return {
    create: async (organization: Organization, body = {}): Promise<string> =>
      (await api.create(testimonialBody(body), authorized(organization))).body.id,
    list: async (organization: Organization, query: string): Promise<List> =>
      (await api.list(query, authorized(organization))).body,
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

const queries = [
  'limit=100',
  'status=approved',
  'rating=4&sort=rating',
  'sort=updatedAt&order=asc',
  'type=text',
  'search=amaz',
  'search=quagga',
  'tags=wolfram&sort=updatedAt',
  'search=zd&status=pending',
];

let backup: Item[];
let restored: Table;
let admin: ReturnType<typeof hurriedAdminOf>;
let clock: ReturnType<typeof ownDynamoDb>;
let file: string;
/** The ids of all testimonials. */
const ids: string[] = [];
/** The ids of testimonials in the backup that were erased later. */
const erased: Record<Organization, string[]> = { acme: [], other: [] };
const lists = new Map<string, List>();

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
  const live = await clientsOf(table);
  const operator = hurriedAdminOf(table);
  const create = async (organization: Organization, body?: object) => {
    const id = await live.create(organization, body);
    ids.push(id);
    return id;
  };
  const erase = (organization: Organization, ...args: string[]) =>
    operator('testimonial', 'erase', '--organization', organization, '--yes', ...args);
  for (const organization of organizations) {
    const some: string[] = [];
    for (let i = 0; i < 6; i += 1) {
      const tags = i % 2 === 0 ? ['support'] : [];
      some.push(await create(organization, { rating: (i % 5) + 1, tags }));
    }
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
  for (const organization of organizations) {
    for (const query of queries) lists.set(`${organization} ${query}`, await live.list(organization, query));
  }

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
  await operator('testimonial', 'reject', '--organization', 'other', ids[8] ?? '');
  log.push(...(await logOf(table, recordsBetween(second, await storedItems(table)))));
  // As `aws logs filter-log-events` prints it.
  file = await fileOf(JSON.stringify({ events: log.map((message) => ({ message })) }), 'erased.json');

  restored = await tableOf(backup);
  clock = ownDynamoDb();
  admin = hurriedAdminOf(restored, undefined, clock);
});

test('a backup brings erased testimonials back', async () => {
  const { list } = await clientsOf(restored);
  expect((await list('acme', 'search=quagga')).pagination.total).toBe(2);
  expect((await list('other', 'search=quagga')).pagination.total).toBe(1);
  expect(await textOf(restored)).toMatch(theirWords);
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
  const outcomes: { organization: Organization; id: string; outcome: string }[] = JSON.parse(stdout);
  const count = (wanted: string) => outcomes.filter(({ outcome }) => outcome === wanted).length;
  expect({ done: count('done'), already: count('already'), absent: count('absent') }).toEqual({
    done: 2,
    already: 2,
    absent: 1,
  });

  expect(await replay(admin, '--yes')).toEqual({
    code: 0,
    stdout: '0 testimonials erased; 4 erased before; 1 not in the backup\n',
    stderr: expect.stringMatching(
      /^Next, run: npm run admin -- --table \S+ --endpoint \S+ index rebuild --all\n$/,
    ),
  });
});

test('after the replay all indexes are rebuilt and verified', async () => {
  clock.state.aheadMs += settledMs;
  expect(await admin('index', 'rebuild', '--all')).toMatchObject({ code: 0 });
  const { code, stdout } = await admin('index', 'verify', '--all');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^acme: 6 testimonials .*: 0 differences\nother: 6 testimonials .*: 0 differences\n$/,
  );
});

test('only the ids of erased testimonials remain, and everything else is as in the backup', async () => {
  expect(await textOf(restored)).not.toMatch(theirWords);
  const all = Object.values(erased).flat();
  const others = (items: readonly Item[]) =>
    items.filter(({ id }) => id !== undefined && !all.includes(String(id)));
  expect(others(await storedItems(restored))).toEqual(others(backup));
  const { list } = await clientsOf(restored);
  for (const [name, was] of lists) {
    const [organization = 'acme', query = ''] = name.split(' ') as [Organization, string]; // as they were put in
    const testimonials = was.testimonials.filter(({ id }) => !all.includes(id));
    const is = await list(organization, query);
    expect({ name, ...is }).toMatchObject({ name, testimonials, pagination: { total: testimonials.length } });
  }
});

test('new testimonials get new ids and new positions, and are listed', async () => {
  const { create, list } = await clientsOf(restored);
  for (const organization of organizations) {
    const ordinals = (await list(organization, 'limit=100')).testimonials.map(({ id }) => ordinalOf(id));
    for (let i = 0; i < 3; i += 1) {
      const id = await create(organization);
      expect(ids).not.toContain(id);
      expect(ordinals).not.toContain(ordinalOf(id));
      expect((await list(organization, 'limit=1')).testimonials).toMatchObject([{ id }]);
    }
  }
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
