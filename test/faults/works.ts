/** The works of the service that faults hit: the state before, the calls, and the checks afterwards. */

import type { DynamoDBRecord } from 'aws-lambda';
import * as v from 'valibot';
import { organizationStore } from '../../functions/accounts/dynamodb-organization-store.ts';
import { pageStore } from '../../functions/accounts/dynamodb-page-store.ts';
import { cachedLookup, tokenReader } from '../../functions/accounts/dynamodb-token-store.ts';
import type { Page } from '../../functions/domain/page.ts';
import { testimonialInput } from '../../functions/domain/testimonial.ts';
import { firstPosition } from '../../functions/domain/testimonial-order.ts';
import { testimonialKey } from '../../functions/dynamodb/keys.ts';
import type { Table } from '../../functions/dynamodb/table.ts';
import { queryValues } from '../../functions/http/validate.ts';
import { createHandler as createIndexHandler } from '../../functions/index-testimonials/handler.ts';
import { listQuery } from '../../functions/list-testimonials/parameters.ts';
import { mediaIn } from '../../functions/media/media.ts';
import { keyOfFormUpload } from '../../functions/media/uploads.ts';
import { openCurrentItems } from '../../functions/testimonials/current-items.ts';
import { indexUpdatesOn } from '../../functions/testimonials/index-updates.ts';
import { noIndex } from '../../functions/testimonials/list-index/index-store.ts';
import { ListMemory } from '../../functions/testimonials/list-index/read/memory.ts';
import { ownIndexing } from '../../functions/testimonials/list-index/write/indexing.ts';
import { rebuildIndex } from '../../functions/testimonials/list-index/write/rebuild.ts';
import { loadsOn } from '../../functions/testimonials/loads.ts';
import { loadStore } from '../../functions/testimonials/table/load-store.ts';
import { renewalStore } from '../../functions/testimonials/table/renewal-store.ts';
import { budgetMinuteMs, claimExpiryMs, settledMs, syncEveryMs } from '../../functions/timing.ts';
import { oracle } from '../../lib/check/contract/oracle.ts';
import type { ObjectFacts } from '../../lib/local-runner/object-store.ts';
import { readWhole } from '../../lib/operator/files/whole-file.ts';
import { type ApiRequest, callHandler, handlersOf, storesOf, testimonialBody } from '../api-client.ts';
import { fileOf } from '../file-of.ts';
import { importFile } from '../import-file.ts';
import { mediaFile, type TestBucket } from '../media-bucket.ts';
import { typedFields, visitorOf } from '../page-visitor.ts';
import { recordOf } from '../stream-record.ts';
import { WatchedLogger } from '../watched-logs.ts';
import type { InMemoryBackend } from '../world/in-memory-backend.ts';
import type { World } from '../world/world.ts';
import { keysKept, keysNamed } from './bucket-state.ts';

export const organization = 'acme';
export const hourMs = 3_600_000;

/** The caller's result: a status or the name of an error, and whether the work was completed. */
export interface WorkResult {
  text: string;
  isDone: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the response of the API, which a check reads
  body?: any;
}

/** An actor that does works, on tables that may fail. */
export type Actor = ReturnType<typeof actorOf>;

/** @param tables for requests, and for commands and the index function */
export function actorOf({
  requests,
  background,
  bucket: { bucket },
}: {
  requests: Table;
  background: Table;
  bucket: TestBucket;
}) {
  let answering = { memory: new ListMemory(), findToken: tokenReader(requests) };
  let handlers = handlersOf(requests, answering);
  const visitor = visitorOf(requests, { bucket });
  const stores = { ...storesOf(background), loads: loadStore(background) };
  // Everything stored before has settled.
  let aheadMs = hourMs;
  const later = () => new Date(Date.now() + aheadMs);
  const sleep = async (milliseconds: number) => {
    aheadMs += milliseconds;
  };
  const logger = new WatchedLogger();
  const failures = () => logger.lines.filter(({ level }) => level === 'ERROR').length;
  const updates = indexUpdatesOn({ ...stores, renewals: renewalStore(background), now: later });
  const keeping = { media: mediaIn(bucket), currentItems: openCurrentItems(background) };
  const index = createIndexHandler({ updates, now: later, logger });
  const indexWithMedia = createIndexHandler({ updates, now: later, logger, keeping });
  /** Runs an index function with a batch. */
  const deliver = async (handler: typeof index, record: DynamoDBRecord): Promise<WorkResult> => {
    const failedBefore = failures();
    const { batchItemFailures } = await handler({ Records: [record] });
    if (batchItemFailures.length > 0) return { text: 'redelivered', isDone: false };
    return failures() === failedBefore
      ? { text: 'done', isDone: true }
      : { text: 'asked again', isDone: false };
  };
  return {
    stores,
    later,
    sleep,
    now: background.now,
    organizations: organizationStore(background),
    /** Forgets remembered tokens and lists. */
    begin() {
      aheadMs = hourMs;
      answering = { memory: new ListMemory(), findToken: cachedLookup(tokenReader(requests)) };
      handlers = handlersOf(requests, answering);
    },
    /** Lists and then creates, with functions that have not read the organization's budget yet. */
    async createCharged(token: string, headers: Record<string, string>): Promise<WorkResult> {
      let aheadMs = 0;
      // Both are in one minute, because each minute the limits are read again.
      const time = requests.now().getTime();
      const minute = Math.floor((time + 2 * syncEveryMs) / budgetMinuteMs) * budgetMinuteMs;
      const now = () => new Date(Math.max(time, minute) + aheadMs);
      const charged = handlersOf(requests, { ...answering, now, limits: { dollars: moreThanAnyCost } });
      const first = await called(charged, token, { routeKey: listing });
      if (!first.isDone) return first;
      aheadMs = syncEveryMs;
      return called(charged, token, { routeKey: creating, headers, body: createdBody });
    },
    create: (token: string, headers: Record<string, string> = {}) =>
      called(handlers, token, { routeKey: creating, headers, body: createdBody }),
    list: (token: string, query: string) => called(handlers, token, { routeKey: listing, query }),
    /** Changes or erases a testimonial over HTTP. */
    moderate: (token: string, method: 'PATCH' | 'DELETE', id: string, body?: object) =>
      called(handlers, token, {
        routeKey: `${method} /v1/testimonials/{id}`,
        pathParameters: { id },
        ...(body && { body }),
      }),
    /** Sends a form. */
    async submit(page: Page, media: string[] = []): Promise<WorkResult> {
      const { status } = await visitor.send(page, { ...submission(), media });
      return { text: String(status), isDone: status === 303 };
    },
    updateIndex: () => deliver(index, recordOf(testimonialKey(organization, 1), 1)),
    /** Runs the index function of a deployment with media, after a write of the first testimonial. */
    followWrite: (eventName: 'INSERT' | 'MODIFY') =>
      deliver(indexWithMedia, recordOf(testimonialKey(organization, firstPosition), 1, eventName)),
  };
}

// Per minute, more than any request costs.
const moreThanAnyCost = 1000;
const listing = 'GET /v1/testimonials';
const creating = 'POST /v1/testimonials';

async function called(
  handlers: ReturnType<typeof handlersOf>,
  token: string,
  { headers, body: sent, ...request }: Omit<ApiRequest, 'body'> & { body?: object },
): Promise<WorkResult> {
  const { status, body } = await callHandler(handlers, {
    ...request,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(sent && { body: JSON.stringify(sent) }),
  });
  return { text: String(status), isDone: status < 300, body };
}

const created = 'Amazing news of the day';
const createdBody = testimonialBody({ content: created, tags: ['new'] });

/** The token and the first testimonial of a work. */
export interface Stage {
  token: string;
  /** The first testimonial stored before. */
  firstId: string;
  firstUpdatedAt: string;
}

type Moment = 'at once' | 'in the end';

export interface Work {
  name: string;
  /** Prepares the state before the work. */
  prepare?: (world: World, table: Table, bucket: TestBucket) => Promise<unknown>;
  /** The calls that are hit; by default all but the read of the token, which is a work of its own. */
  calls?: RegExp;
  /** The calls that may fail permanently without notice; only these are hit. */
  goesOnWithout?: RegExp;
  run: (actor: Actor, stage: Stage) => Promise<WorkResult>;
  /** True if the caller repeats the work after an error; otherwise a later actor continues. */
  isRepeated: boolean;
  /** True when nothing is written. */
  isRead?: true;
  /** True if two days pass before the end, in which the bucket deletes uploads and drafts. */
  hasMedia?: true;
  /** Returns the names of failed checks of the table and the bucket. */
  broken: (
    got: WorkResult,
    state: InMemoryBackend,
    moment: Moment,
    objects: readonly ObjectFacts[],
  ) => string[];
}

const jane = { name: 'Jane Doe', email: 'jane@example.com' };
const text = (content: string, more: object = {}) => ({
  content,
  author: jane,
  type: 'text' as const,
  ...more,
});

const few = async (world: World) => {
  for (let i = 1; i <= 3; i += 1) await world.create(text(`Amazing product ${i}`, { rating: i }));
};
const nthId = async (world: World, number: number) => (await world.nth(number))?.id ?? '';

/** Indexed testimonials, newer ones, and a change that is not indexed yet. */
const many = async (world: World) => {
  for (let i = 0; i < 12; i += 1) {
    await world.create(
      text(`${i % 3 === 0 ? 'Great' : 'Amazing'} product ${i}`, {
        ...(i % 4 > 0 && { rating: 1 + (i % 5) }),
        type: i % 2 === 0 ? 'text' : 'video',
        tags: [i % 2 === 0 ? 'ux' : 'price'],
      }),
    );
  }
  for (const number of [1, 4, 6, 7]) await world.setStatus(await nthId(world, number), 'approved');
  await world.settle();
  for (let i = 0; i < 2; i += 1) await world.create(text('Amazing and newer', { tags: ['ux'] }));
  await world.setStatus(await nthId(world, 2), 'approved');
};

const contentsOf = (state: InMemoryBackend) =>
  state.stored(organization).map(({ testimonial }) => testimonial.content);
const count = (all: readonly string[], content: string) => all.filter((each) => each === content).length;
const unless = (isRight: boolean, name: string) => (isRight ? [] : [name]);

/** A list, whose result must equal that of an oracle. */
function list(plan: string, query: string, prepare: Work['prepare'] = many): Work {
  const { query: asked } = v.parse(listQuery, queryValues(query));
  return {
    name: `list: ${plan}`,
    prepare,
    isRead: true,
    isRepeated: true,
    run: (actor, { token }) => actor.list(token, query),
    broken({ isDone, body }, state) {
      if (!isDone) return [];
      const { testimonials, total } = oracle(state.stored(organization), asked);
      const ids = (all: { id: string }[]) => String(all.map(({ id }) => id));
      const isRight = ids(body.testimonials) === ids(testimonials) && body.pagination.total === total;
      return unless(isRight, 'right');
    },
  };
}

const listsByPlan = [
  list('empty page', 'page=9'),
  list('tail only', 'search=amaz', few),
  list('walk', 'limit=5'),
  list('walk from the end', 'limit=2&page=6'),
  list('range', 'limit=1&page=7'),
  list('by ordinal', 'type=text&sort=rating'),
  list('by ordinal, search', 'search=amaz%20pr&tags=ux&status=approved'),
  list('by update ordinal', 'type=text&sort=updatedAt'),
  list('order of updates', 'search=amaz&sort=updatedAt'),
  list('sorting all', 'search=amaz&sort=updatedAt', async (world) => {
    await world.backend.testimonials.reserveOrdinals(organization, world.now(), 65_000);
    await world.backend.index.replaceHead(organization, { ...noIndex, indexed: 65_001 });
    await few(world);
    await world.settle();
  }),
];

const create = (name: string, headers: Record<string, string>, prepare: Work['prepare'] = few): Work => {
  const isSafe = 'idempotency-key' in headers;
  return {
    name,
    prepare,
    isRepeated: isSafe,
    run: (actor, { token }) => actor.create(token, headers),
    broken({ isDone, body }, state, moment) {
      const stored = state.stored(organization).map(({ testimonial }) => testimonial);
      const copies = count(contentsOf(state), created);
      const acknowledged = stored.find(({ id }) => id === body?.id);
      return [
        ...unless(!isDone || acknowledged?.content === created, 'acknowledged'),
        ...unless(copies <= 1 && (!isDone || copies === 1), 'once'),
        ...unless(moment === 'at once' || !isSafe || copies === 1, 'repeatable'),
      ];
    },
  };
};

const form: Page = {
  id: 'f'.repeat(22),
  organization,
  kind: 'form',
  title: 'How do you like it?',
  settings: { tags: 'website' },
  createdAt: '2026-01-15T10:30:00.000Z',
};

const key = 'k'.repeat(22);

/** Returns what a person sends, the same each time. */
const submission = () => typedFields({ content: created, key, shownAt: String(Date.now() - hourMs) });

const fewAndForm = async (world: World, table: Table) => {
  await few(world);
  await pageStore(table).add(form);
};

const submitted = (name: string, prepare: NonNullable<Work['prepare']>, page = form): Work => ({
  name,
  prepare,
  isRepeated: true,
  run: (actor) => actor.submit(page),
  broken({ isDone }, state, moment) {
    const copies = state.stored(organization).filter(({ testimonial: { content } }) => content === created);
    const [first] = copies;
    const hasConsent = first?.consent?.page === page.id && first.consent.at === first.testimonial.createdAt;
    return [
      ...unless(!isDone || copies.length > 0, 'acknowledged'),
      ...unless(copies.length <= 1, 'once'),
      ...unless(moment === 'at once' || copies.length === 1, 'repeatable'),
      ...unless(!first || hasConsent, 'consent'),
    ];
  },
});

const mediaForm: Page = { ...form, id: 'm'.repeat(22), settings: { ...form.settings, ask: 'photo,audio' } };
const uploads = { photo: ['image/jpeg', 'photo.jpg'], recording: ['audio/mpeg', 'tone.mp3'] } as const;

/** Uploads a photo and a recording with the key of the submission. */
const upload = async (table: Table, bucket: TestBucket) => {
  await pageStore(table).add(mediaForm);
  for (const kind of ['photo', 'recording'] as const) {
    const [type, name] = uploads[kind];
    const file = mediaFile(name);
    const object = { key: keyOfFormUpload(mediaForm.id, key, kind), type, bytes: file.length };
    await bucket.post(await bucket.bucket.signForm(object), file);
  }
};
const wordsWithMedia = submitted(
  'media: form with a photo and a recording',
  async (world, table, bucket) => {
    await few(world);
    await upload(table, bucket);
  },
  mediaForm,
);

const submittedWithMedia: Work = {
  ...wordsWithMedia,
  hasMedia: true,
  run: (actor) => actor.submit(mediaForm, Object.keys(uploads)),
  broken(got, state, moment, objects) {
    const row = state.stored(organization).find(({ testimonial: { content } }) => content === created);
    const { photo, recording } = row?.testimonial.media ?? {};
    const [named, kept] = [keysNamed(state.stored(organization), organization), keysKept(objects)];
    const isTheEnd = moment === 'in the end';
    return [
      ...wordsWithMedia.broken(got, state, moment, objects),
      ...unless(!row || (photo !== undefined && recording !== undefined), 'all of its media'),
      ...unless(!(got.isDone || isTheEnd) || String(kept) === String(named), 'kept'),
      ...unless(!isTheEnd || objects.length === named.length, 'nothing left behind'),
    ];
  },
};

const callsOfKeeping = /copy$|upload|^BatchGetItem testimonial/;
const sendWithMedia = (table: Table, bucket: TestBucket) =>
  visitorOf(table, bucket).send(mediaForm, { ...submission(), media: Object.keys(uploads) });

/** The record of a create makes copies last whose create has stopped. */
const createOfMedia: Work = {
  name: 'media: record of a create that has stopped',
  hasMedia: true,
  prepare: async (world, table, bucket) => {
    await upload(table, bucket);
    bucket.fault = (call) => (call.includes('tagging') ? new Response(null, { status: 500 }) : undefined);
    await sendWithMedia(table, bucket);
    bucket.fault = () => undefined;
    await few(world);
  },
  isRepeated: true,
  calls: callsOfKeeping,
  run: (actor) => actor.followWrite('INSERT'),
  broken({ isDone }, state, moment, objects) {
    const [named, kept] = [keysNamed(state.stored(organization), organization), keysKept(objects)];
    const isTheEnd = moment === 'in the end';
    return [
      ...unless(named.length === 2 && (!(isDone || isTheEnd) || String(kept) === String(named)), 'kept'),
      ...unless(!isTheEnd || objects.length === 2, 'nothing left behind'),
    ];
  },
};

/** The record of an erasure deletes the bytes. */
const erasureOfMedia: Work = {
  name: 'media: record of an erasure',
  hasMedia: true,
  prepare: async (world, table, bucket) => {
    await upload(table, bucket);
    await sendWithMedia(table, bucket);
    await world.erase(await nthId(world, 0));
    await few(world);
  },
  isRepeated: true,
  calls: callsOfKeeping,
  run: (actor) => actor.followWrite('MODIFY'),
  broken: ({ isDone }, _, moment, objects) =>
    unless(!(isDone || moment === 'in the end') || objects.length === 0, 'deleted'),
};

async function attempt(work: () => Promise<unknown>): Promise<WorkResult> {
  try {
    await work();
    return { text: 'done', isDone: true };
  } catch (error) {
    const { name, message } = error as Error; // whatever else is thrown fails the test
    const isLost = /socket hang up|ECONNRESET/.test(message);
    return { text: isLost ? 'connection lost' : name === 'Error' ? message : name, isDone: false };
  }
}

const firstOf = (state: InMemoryBackend) => state.stored(organization)[0]?.testimonial;

/** Changes the status if nobody has changed the testimonial since it was read. */
const statusChange: Work = {
  name: 'status change',
  prepare: async (world) => {
    await few(world);
    await world.settle();
  },
  isRepeated: true,
  run: (actor, { token, firstId, firstUpdatedAt: ifUpdatedAt }) =>
    actor.moderate(token, 'PATCH', firstId, { status: 'approved', ifUpdatedAt }),
  broken: ({ isDone }, state, moment) =>
    unless(
      firstOf(state)?.status === 'approved' || (!isDone && moment === 'at once'),
      isDone ? 'acknowledged' : 'repeatable',
    ),
};

const secret = 'zebra';

const erasure: Work = {
  name: 'erasure',
  prepare: async (world) => {
    await world.create(text(`Amazing ${secret}`, { tags: [`${secret}s`] }));
    await few(world);
    await world.settle();
  },
  isRepeated: true,
  run: (actor, { token, firstId }) => actor.moderate(token, 'DELETE', firstId),
  broken: ({ isDone }, state, moment) => [
    ...unless(!isDone || !contentsOf(state).some((each) => each.includes(secret)), 'acknowledged'),
    ...unless(moment === 'at once' || !state.text().includes(secret), 'forgotten'),
  ],
};

// Long enough to be worth an index update on its own.
const long = `Amazing product ${'€'.repeat(6000)}`;

const updateIndex = (name: string, prepare: NonNullable<Work['prepare']>, broken: Work['broken']): Work => ({
  name: `index update: ${name}`,
  prepare,
  broken,
  isRepeated: false,
  run: (actor) => actor.updateIndex(),
});

const firstUpdate = updateIndex(
  'the first',
  async (world) => {
    await few(world);
    await world.create(text(long, { tags: ['ux'] }));
  },
  () => [],
);

const laterUpdate = updateIndex(
  'changes and an erasure',
  async (world) => {
    await few(world);
    await world.create(text(`Amazing ${secret}`, { tags: [`${secret}s`] }));
    await world.settle();
    await world.setStatus(await nthId(world, 0), 'approved');
    world.advance(settledMs);
    // The second update finds the change covered by the first. Its marker may be deleted later.
    await world.updateIndex();
    await world.updateIndex();
    await world.setStatus(await nthId(world, 1), 'rejected');
    await world.erase(await nthId(world, 3));
  },
  (_, state, moment) => unless(moment === 'at once' || !state.text().includes(secret), 'forgotten'),
);

const updateAfterRebuild: Work = {
  ...updateIndex(
    'after a rebuild',
    async (world) => {
      await few(world);
      await world.settle();
      await world.rebuild();
      await world.updateIndex();
    },
    () => [],
  ),
  // Everything else is as with the others.
  calls: /^BatchWriteItem|^Query (posting|summary|ordinals)/,
};

const rebuild: Work = {
  name: 'rebuild',
  prepare: async (world) => {
    await few(world);
    await world.settle();
    await world.setStatus(await nthId(world, 0), 'approved');
  },
  isRepeated: false,
  run: (actor) => attempt(() => rebuildIndex({ ...actor.stores, now: actor.later }, organization)),
  broken: ({ isDone }, state) =>
    unless(!isDone || state.items.heads.get(organization)?.generation === 2, 'acknowledged'),
};

const lines = ['One more line', 'Another line here', 'The last of the lines'];
/** Checks that each line is stored this often at the end. */
const brokenLines =
  (wanted: 0 | 1): Work['broken'] =>
  ({ isDone }, state, moment) => {
    const copies = lines.map((content) => count(contentsOf(state), content));
    const isRight = copies.every((each) => each === wanted);
    return [
      ...unless(!isDone || isRight, 'acknowledged'),
      ...unless(Math.max(...copies) <= 1, 'once'),
      ...unless(moment === 'at once' || isRight, 'repeatable'),
    ];
  };
const importWork = (name: string, prepare: NonNullable<Work['prepare']>): Work => ({
  name: `import: ${name}`,
  prepare,
  // The final rebuild is a separate work. Here its beginning and end are enough.
  calls: /import|counter|organization|testimonial|tail|head/,
  isRepeated: true,
  run: (actor) => attempt(async () => importLines(actor, await linesFile())),
  broken: brokenLines(1),
});
const undo: Work = {
  name: 'import, then undo',
  prepare: few,
  calls: /import|counter|testimonial|tail|head/,
  isRepeated: true,
  run: (actor) =>
    attempt(async () => {
      const name = await linesFile();
      const { stores, organizations, later: now } = actor;
      const loads = loadsOn({ ...stores, organizations, now, indexing: ownIndexing })(organization);
      const what = await readWhole(name);
      const before = await loads.find(what);
      if (!before) await importLines(actor, name);
      const found = before ?? (await loads.find(what));
      await actor.sleep(claimExpiryMs);
      if (found && found.state !== 'undone') await found.undo({ progress: () => {} });
    }),
  broken: brokenLines(0),
};

let file: string | undefined;

async function linesFile(): Promise<string> {
  file ??= await fileOf(lines.map((content) => JSON.stringify(text(content))).join('\n'), 'a.ndjson');
  return file;
}

async function importLines(actor: Actor, name: string): Promise<void> {
  // A failed run may not have released the import.
  await actor.sleep(claimExpiryMs);
  const deps = {
    ...actor.stores,
    organizations: actor.organizations,
    now: actor.later,
    progress: () => {},
    sleep: actor.sleep,
  };
  await importFile(deps, organization, { file: name });
}

export const works: readonly Work[] = [
  {
    name: 'token check',
    prepare: few,
    calls: /token$/,
    isRead: true,
    isRepeated: true,
    run: (actor, { token }) => actor.list(token, ''),
    // An error is not “unauthorized”.
    broken: ({ text }) => unless(text !== '401', 'right'),
  },
  create('create', {}),
  create('create, by a clock that is behind', {}, async (world) => {
    await few(world);
    await world.backend.testimonials.reserveOrdinals(organization, new Date(Date.now() + 60_000));
  }),
  create('create with a key', { 'idempotency-key': 'k' }),
  create('create with a key, again', { 'idempotency-key': 'k' }, async (world) => {
    await few(world);
    await world.create(v.parse(testimonialInput, createdBody), { idempotencyKey: 'k' });
  }),
  {
    ...create('fair use, of a list and a create', { 'idempotency-key': 'k' }),
    goesOnWithout: /budget$/,
    run: (actor, { token }) => actor.createCharged(token, { 'idempotency-key': 'k' }),
  },
  submitted('form', fewAndForm),
  submitted('form, sent again', async (world, table) => {
    await fewAndForm(world, table);
    await visitorOf(table).send(form, submission());
  }),
  submittedWithMedia,
  ...listsByPlan,
  statusChange,
  erasure,
  createOfMedia,
  erasureOfMedia,
  firstUpdate,
  laterUpdate,
  updateAfterRebuild,
  rebuild,
  importWork('into an empty organization', async () => {}),
  importWork('beside others', few),
  undo,
];
