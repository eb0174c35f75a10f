/**
 * Every right of the template is used: the functions, wired as on Lambda, and the commands make each kind of
 * call once. Every suite refuses calls without a right (test/iam/acting.ts).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { beforeAll, expect, test } from '@jest/globals';
import { pathOfPage } from '../../functions/domain/page.ts';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { indexRequestKey, type Key, renewalRequestKey } from '../../functions/dynamodb/keys.ts';
import { openConnections, type Table } from '../../functions/dynamodb/table.ts';
import { mediaIdOf } from '../../functions/media/media-view.ts';
import { openChanges } from '../../functions/testimonials/changes.ts';
import { noIndex } from '../../functions/testimonials/list-index/index-store.ts';
import { budgetMinuteMs, forgetAfterMs, settledMs } from '../../functions/timing.ts';
import { removeCheckOrganization } from '../../lib/check/own-organizations.ts';
import { operatorOf } from '../../lib/operator/session.ts';
import { hurriedAdminOf } from '../admin.ts';
import {
  type ApiRequest,
  contextOf,
  createApiClient,
  eventOf,
  ownPermissions,
  storesOf,
  testimonialBody,
} from '../api-client.ts';
import { deskOf } from '../desk-client.ts';
import { ownDynamoDb } from '../dynamodb.ts';
import { directory, fileOf } from '../file-of.ts';
import { type Actor, actAs, isRetiring, policyOf, rightOf, usedRights } from '../iam/acting.ts';
import { mediaFile, testBucket } from '../media-bucket.ts';
import { playStream } from '../media-stream.ts';
import { addPage, typedFields, visitorOf } from '../page-visitor.ts';
import { recordOf } from '../stream-record.ts';
import { createTestTable } from '../test-table.ts';

const organization = 'acme';
/** Without the rights of the function whose call it runs in. */
const outside = AsyncLocalStorage.snapshot();
let table: Table;
/** Runs a command, which must succeed. */
let run: (command: string, ...more: string[]) => Promise<string>;
/** Advances the functions' clock. */
let advance: (milliseconds: number) => void;

beforeAll(async () => {
  table = await createTestTable();
  // Functions and commands share a clock, which commands advance instead of waiting.
  const own = ownDynamoDb();
  const { state, endpoint } = own;
  const admin = hurriedAdminOf(table, undefined, own);
  run = async (command, ...more) => {
    const { code, stdout, stderr } = await admin(...command.split(' '), ...more);
    if (code !== 0) throw new Error(`${command}: ${stderr}${stdout}`);
    return stdout;
  };
  advance = (milliseconds) => {
    state.aheadMs += milliseconds;
  };
  Object.assign(process.env, {
    TABLE_NAME: table.name,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'us-east-1',
    ORGANIZATION_BUDGET: '1000',
    ORGANIZATION_DAILY_BUDGET: '0.02',
    ORGANIZATION_RATE: '0',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    POWERTOOLS_METRICS_DISABLED: 'true',
  });
  await playFunctions();
  await playCommands();
  await sendMedia();
});

async function playFunctions(): Promise<void> {
  const allowed = ['--permission', ...ownPermissions];
  const token = (await run(`token issue --organization ${organization}`, ...allowed)).trim();
  const api = await apiOf(token);
  const { handler: index } = await actAs(
    'IndexTestimonials',
    () => import('../../functions/index-testimonials/lambda.ts'),
  );
  const act = (event: Parameters<typeof index>[0]) => actAs('IndexTestimonials', () => index(event));
  const updateIndex = async (after: number, ...others: Key[]) => {
    advance(after);
    const Records = [indexRequestKey(organization), ...others].map((key) => recordOf(key, 1));
    expect(await act({ Records })).toEqual({ batchItemFailures: [] });
  };

  // Long enough for an index update.
  const content = `Amazing product ${'x'.repeat(9900)}`;
  const first = await api.create({ content, rating: 5, tags: ['ux'] }, 'k1');
  expect(await api.create({ content, rating: 5, tags: ['ux'] }, 'k1')).toEqual(first);
  const second = await api.create({ content: `Great zebra ${'y'.repeat(9900)}` });
  await updateIndex(settledMs + 1000);
  // A later request adds the costs of the earlier ones.
  for (const key of ['k2', 'k3']) await api.create({ content: 'Amazing, we love it' }, key);
  const queries = ['', 'status=pending', 'search=amaz&limit=1', 'search=prod&sort=rating', 'tags=ux&page=2'];
  for (const query of queries) await api.list(query);

  await run(`testimonial approve --organization ${organization}`, first.id);
  await api.moderate('GET', first.id);
  // Each change adds the previous one's cost to a new minute, and the first cost of a minute has the day
  // added up.
  for (const status of ['rejected', 'approved', 'rejected', 'approved']) {
    advance(budgetMinuteMs);
    await api.moderate('PATCH', first.id, { status });
  }
  await api.list('search=amaz');
  await updateIndex(settledMs + 1000);

  await visitPages(updateIndex);

  // A change that is announced but never made.
  const { testimonials, index: indexStore } = storesOf(table);
  const ordinal = ordinalOf(second.id);
  const stored = await testimonials.find(organization, ordinal);
  const { updateOrdinal, time } = await testimonials.reserveUpdateOrdinal(organization, new Date());
  const places = { ordinal, updateOrdinal, previousUpdateOrdinal: Number(stored?.updateOrdinal) };
  await testimonials.putChangeMarkers(organization, [{ ...places, version: Number(stored?.version), time }]);
  await updateIndex(settledMs + 1000);
  await api.moderate('DELETE', second.id);
  for (let i = 0; i < 3; i += 1) await updateIndex(settledMs + forgetAfterMs);

  // A deployment with other terms.
  const head = (await indexStore.readHead(organization)) ?? noIndex;
  await indexStore.replaceHead(organization, { ...head, terms: '0/1.0' });
  await act({});
  for (let i = 0; i < 5; i += 1) {
    // The function learns the time from the database's responses, and ends a turn that is over.
    await updateIndex(settledMs + forgetAfterMs);
    await updateIndex(0, renewalRequestKey);
  }
  expect(await indexStore.readHead(organization)).toMatchObject({ generation: 2 });
  // The first learns the time, and the second adds the costs of the earlier ones.
  for (let i = 0; i < 2; i += 1) await api.list('');
}

/**
 * Sends media with a form and with a token, plays them at the desk, and erases them: once while the function
 * that creates them copies them.
 */
async function sendMedia(): Promise<void> {
  const bucket = testBucket();
  const api = await createApiClient(table, undefined, bucket.bucket);
  const visitor = visitorOf(table, { bucket: bucket.bucket });
  const form = await addPage(table, { organization, settings: { ask: 'photo' } });
  const photo = mediaFile('photo.jpg');
  const upload = { kind: 'photo', type: 'image/jpeg', bytes: photo.length };
  const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' };
  const byToken = async (key: string) => {
    const body = JSON.stringify(upload);
    const signed = await api.call({ routeKey: 'POST /v1/uploads', headers, body });
    await bucket.post(signed.body, photo);
    const media = { photo: signed.body.upload };
    return () => api.create(testimonialBody({ media }), { 'idempotency-key': key });
  };
  const byForm = async () => {
    const hidden = await visitor.opened(form);
    const body = JSON.stringify({ ...upload, key: hidden.key });
    const signed = await visitor.ask('POST', `${pathOfPage(form)}/uploads`, { body });
    await bucket.post(JSON.parse(signed.text), photo);
    return () => visitor.send(form, typedFields({ ...hidden, media: 'photo' }));
  };
  const stop = (call: string) => (call.includes('tagging') ? new Response(null, { status: 500 }) : undefined);
  const newest = async () => String((await api.list('limit=1')).body.testimonials[0].id);
  for (const make of [() => byToken('m1'), byForm]) {
    await (await make())();
    const id = await newest();
    await openChanges(table)(organization).change(id, { status: 'approved' });
    const path = `/m/${mediaIdOf(organization, id, 'photo')}`;
    expect((await visitor.get(path)).status).toBe(200);
    const desk = await deskOf(table, { bucket: bucket.bucket });
    expect((await (await desk.signedIn()).get(`/desk${path}`)).status).toBe(200);
  }
  for (const make of [() => byToken('m2'), byForm]) {
    const send = await make();
    // The first request stops before it stores the testimonial. While the second one copies, a third one
    // stores it, and it is erased.
    bucket.fault = (call) => (call.startsWith('PUT') ? new Response(null, { status: 500 }) : undefined);
    await send();
    bucket.fault = async (call) => {
      if (!call.startsWith('PUT')) return undefined;
      bucket.fault = () => undefined;
      await outside(async () => {
        await send();
        await openChanges(table)(organization).erase(await newest());
      });
      return undefined;
    };
    await send();
  }
  for (const make of [() => byToken('m3'), byForm]) {
    bucket.fault = stop;
    await (await make())();
    bucket.fault = () => undefined;
    await playStream(table, bucket);
    await openChanges(table)(organization).erase(await newest());
    await playStream(table, bucket);
  }
}

/** Sends a form and opens a wall. */
async function visitPages(updateIndex: (after: number) => Promise<void>): Promise<void> {
  const visitor = visitorOf(table, { limits: { dollars: 1000, dailyDollars: 0.02 } });
  // The function opens its connections when it starts.
  await actAs('ServePages', () => openConnections(table, 1));
  const form = await addPage(table, { organization });
  const hidden = await visitor.opened(form);
  for (let i = 0; i < 2; i += 1) {
    expect((await visitor.send(form, typedFields({ ...hidden, rating: '5' }))).status).toBe(303);
  }
  await updateIndex(settledMs + 1000);
  const walls = [{}, { search: 'amaz', limit: '1' }, { search: 'prod', sort: 'rating' }, { tags: 'ux' }];
  for (const settings of walls) {
    const wall = await addPage(table, { organization, kind: 'wall', settings });
    for (const path of ['', '.json?page=2']) {
      expect((await visitor.get(`${pathOfPage(wall)}${path}`)).status).toBe(200);
    }
  }
}

/** Returns the functions of the API for a client with a token. */
async function apiOf(token: string) {
  const [{ handler: create }, { handler: list }, { handler: moderate }] = await Promise.all([
    actAs('CreateTestimonial', () => import('../../functions/create-testimonial/lambda.ts')),
    actAs('ListTestimonials', () => import('../../functions/list-testimonials/lambda.ts')),
    actAs('ModerateTestimonials', () => import('../../functions/moderate-testimonials/lambda.ts')),
  ]);
  const ask = async (actor: Actor, handler: typeof create, request: Partial<ApiRequest>) => {
    const always = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const event = eventOf({ routeKey: '', ...request, headers: { ...always, ...request.headers } });
    const { statusCode, body = '' } = await actAs(actor, () => handler(event, contextOf()));
    expect(Math.floor(Number(statusCode) / 100)).toBe(2);
    return body;
  };
  return {
    async create(fields: Record<string, unknown>, key?: string): Promise<{ id: string }> {
      const body = JSON.stringify(testimonialBody(fields));
      const headers = { ...(key !== undefined && { 'idempotency-key': key }) };
      const routeKey = 'POST /v1/testimonials';
      return JSON.parse(await ask('CreateTestimonial', create, { routeKey, body, headers }));
    },
    moderate(method: 'GET' | 'PATCH' | 'DELETE', id: string, change?: object): Promise<string> {
      const body = change && { body: JSON.stringify(change) };
      const request = { routeKey: `${method} /v1/testimonials/{id}`, pathParameters: { id }, ...body };
      return ask('ModerateTestimonials', moderate, request);
    },
    list: (query: string) => ask('ListTestimonials', list, { routeKey: 'GET /v1/testimonials', query }),
  };
}

async function playCommands(): Promise<void> {
  const to = `--organization ${organization}`;
  const [{ id: tokenId }] = JSON.parse(await run('token list --json'));
  await run(`seed --count 5 --organization seeded`);
  await run('index status --all');
  await run(`stats ${to}`);
  await run(`testimonial list ${to} --where`, 'search=am&rating=4');
  await run(`organization budget ${to}`);
  await run(`organization budget ${to} --set 2 --set-day 2`);
  await run(`organization budget ${to} --reset`);
  await run(`testimonial approve ${to} --yes`, '--where', 'status=pending');
  await run(`testimonial list ${to} --status approved`);
  await run(
    `testimonial show ${to}`,
    JSON.parse(await run(`testimonial list ${to} --json`)).testimonials[0].id,
  );
  const form = JSON.parse(await run(`page create ${to} --kind form --title Form --json`));
  await run(`page list ${to}`);
  await run(`page show ${form.id} ${to}`);
  await run(`page edit ${form.id} ${to} --set lang=de`);
  await run(`page remove ${form.id} ${to} --yes`);
  // The removal of the organization removes this one.
  await run(`page create ${to} --kind wall --title Wall`);
  await run(`desk invite ${to} --name Ann --owner --url https://api.example.com`);
  const [ann] = JSON.parse(await run(`desk people ${to} --json`));
  await run(`desk remove ${to}`, ann.id);
  await run(`desk end-sessions ${to}`);
  const csv = await fileOf('content,author.name,author.email\n"Amazing, we love it",Jane,j@example.com\n');
  await run(`import ${to} --dry-run`, csv);
  await run('import --organization imported --yes', csv);
  await run(`export --organization seeded --out`, `${await directory()}/seeded.ndjson`);
  const [{ id }] = JSON.parse(await run('testimonial list --organization imported --json')).testimonials;
  await run('testimonial erase --yes --organization imported', id);
  await run('import --organization imported --undo --dry-run', csv);
  await run('import --organization imported --undo --yes', csv);
  await run(`index verify --organization seeded`);
  await run(`index rebuild ${to}`);
  await run('token revoke', tokenId);
  // A check of a deployment ends with these.
  const { desks } = operatorOf(table);
  await actAs('Operator/Write', () => desks.removePass({ organization, person: ann.id, hash: 'x' }));
  await actAs('Operator/Write', () =>
    removeCheckOrganization(
      operatorOf(table),
      { name: organization, idempotencyKeys: ['k1'] },
      async () => {},
    ),
  );
}

test.each<Actor>([
  'CreateTestimonial',
  'ListTestimonials',
  'ModerateTestimonials',
  'IndexTestimonials',
  'ServePages',
  'Operator/Read',
  'Operator/Write',
])('%s uses every right on the table that its policy has', (actor) => {
  const rights = rightsOf(actor);
  expect(rights.length).toBeGreaterThan(5);
  // Remove an unused right from lib/infrastructure/table-rights.json, or use it above.
  expect(rights.filter((right) => !usedRights.has(right))).toEqual([]);
});

test('the policy for all commands includes the rights for reading', () => {
  const read = rightsOf('Operator/Read').map((right) => right.replace('Read', 'Write'));
  expect(read.filter((right) => !rightsOf('Operator/Write').includes(right))).toEqual([]);
});

/** Returns the rights of the statements on the table, which have names. */
function rightsOf(actor: Actor): string[] {
  return policyOf(actor)
    .filter((each) => each.Effect === 'Allow' && each.Sid !== undefined && !isRetiring(each))
    .flatMap((statement) => [statement.Action].flat().map((action) => rightOf(actor, statement, action)));
}
