import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import {
  changeMarkerKey,
  indexRequestKey,
  type Key,
  renewalRequestKey,
  testimonialKey,
} from '../../../functions/dynamodb/keys.ts';
import { createHandler } from '../../../functions/index-testimonials/handler.ts';
import { mediaIn } from '../../../functions/media/media.ts';
import { indexUpdatesOn } from '../../../functions/testimonials/index-updates.ts';
import { termsVersion } from '../../../functions/testimonials/list-index/terms-version.ts';
import { batchingWindowMs, forgetAfterMs, indexTurnMs, settledMs } from '../../../functions/timing.ts';
import { testBucket } from '../../media-bucket.ts';
import { position } from '../../position.ts';
import { recordOf } from '../../stream-record.ts';
import { input as short } from '../../testimonials.ts';
import { remember, WatchedLogger } from '../../watched-logs.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { createWorld } from '../../world/world.ts';

/** Long enough to cause an index update by itself. */
const input = { ...short, content: `Amazing product ${'€'.repeat(6000)}` };

type Stores = Parameters<typeof indexUpdatesOn>[0];

const handlerOn = (stores: Stores, logger: WatchedLogger) =>
  createHandler({ updates: indexUpdatesOn(stores), now: stores.now, logger });

/** Returns the handler on stores in memory, with the organization `acme`. */
async function service() {
  const backend = inMemoryBackend();
  const world = await createWorld(backend);
  const logger = new WatchedLogger();
  let sequenceNumber = 100;
  const records = (...keys: Key[]): DynamoDBStreamEvent => ({
    Records: keys.map((key) => {
      sequenceNumber += 1;
      return recordOf(key, sequenceNumber);
    }),
  });
  const handle = (event: Partial<DynamoDBStreamEvent>, overrides: Partial<Stores> = {}) =>
    handlerOn({ ...backend, now: world.now, ...overrides }, logger)(event);
  return { world, backend, logger, records, handle };
}

const done = { batchItemFailures: [] };

/** The fields of every line. */
const always = { timestamp: expect.any(String), service: 'test', sampling_rate: 0 };

// The texts that are indexed here.
remember(input.content, short.content, input.author.name);

test('a create is indexed by one invocation once it has settled, which is logged, and its record again does nothing', async () => {
  const { world, backend, logger, records, handle } = await service();
  const other = await createWorld(backend, { organization: 'acme-2' });
  await world.create(input);
  await world.create(input);
  await other.create(input);
  world.advance(settledMs);
  expect(await handle(records(testimonialKey('acme', 2), testimonialKey('acme-2', 1)))).toEqual(done);
  const head = await world.head();
  expect(head).toMatchObject({ indexed: position(3) });
  expect(logger.lines).toContainEqual({
    ...always,
    level: 'INFO',
    message: 'Organization indexed',
    organization: 'acme',
    steps: 1,
    testimonials: 2,
    changes: 0,
    postingsWritten: expect.any(Number),
    hasMore: false,
    lagMs: 0,
  });
  expect(await handle(records(testimonialKey('acme', 1)))).toEqual(done);
  expect(await world.head()).toEqual(head);
  expect(backend.requests).toEqual([]);
  expect(logger.lines).toHaveLength(2);
});

test('short creates stay in the tail, without another request', async () => {
  const { world, backend, logger, records, handle } = await service();
  for (let i = 0; i < 10; i += 1) {
    await world.create(short);
    world.advance(batchingWindowMs);
    await handle(records(testimonialKey('acme', i + 1)));
  }
  world.advance(24 * 3_600_000);
  await handle(records(testimonialKey('acme', 10)));
  expect(await world.head()).toMatchObject({ indexed: position(1) });
  expect(backend.requests).toEqual([]);
  expect(logger.lines).toEqual([]);
});

test('a bucket that does not respond stops no index update, and costs one organization its time', async () => {
  const { world, backend, logger, records } = await service();
  const names = ['acme', 'globex', 'initech'];
  for (const organization of names) await (await createWorld(backend, { organization })).create(input);
  world.advance(settledMs + 1000);
  const responds = Promise.withResolvers<void>();
  const asked: string[] = [];
  const keeping = {
    media: mediaIn(testBucket().bucket),
    async currentItems(organization: string) {
      asked.push(organization);
      await responds.promise;
      world.advance(indexTurnMs);
      throw new Error('The bucket does not respond to DELETE');
    },
  };
  const updates = indexUpdatesOn({ ...backend, now: world.now });
  const handler = createHandler({ updates, now: world.now, logger, keeping });
  const event = records(...names.map((name) => testimonialKey(name, 1)));
  const handling = handler(event);
  for (let turn = 0; turn < 1000; turn += 1) await setImmediate();
  const heads = await Promise.all(names.map((name) => backend.index.readHead(name)));
  expect(heads.map((head) => head?.indexed)).toEqual(names.map(() => position(2)));
  responds.resolve();
  const { batchItemFailures } = await handling;
  expect(batchItemFailures).toHaveLength(names.length);
  expect(asked).toEqual(['acme']);
});

test('a batch of many organizations ends in time and requests updates for the rest', async () => {
  const backend = inMemoryBackend();
  const { world, logger, records } = await service();
  const names = Array.from({ length: 200 }, (_, i) => `acme-${i}`);
  for (const organization of names) await (await createWorld(backend, { organization })).create(input);
  world.advance(settledMs + 1000);
  const { readHead } = backend.index;
  backend.index.readHead = (organization) => {
    // Each takes a second.
    world.advance(1000);
    return readHead(organization);
  };
  const handler = handlerOn({ ...backend, now: world.now }, logger);
  expect(await handler(records(...names.map((name) => testimonialKey(name, 1))))).toEqual(done);
  expect(backend.requests.length).toBeGreaterThan(100);
  expect(new Set(backend.requests).size).toBe(backend.requests.length);
  const heads = await Promise.all(names.map((name) => readHead(name)));
  const takenUp = heads.filter((head) => (head?.indexed ?? 1) > 1).length;
  expect(takenUp).toBeGreaterThan(0);
  expect(takenUp + backend.requests.length).toBeGreaterThanOrEqual(names.length);
});

test('a single change of status is indexed by the first invocation, and its marker is removed by a later one', async () => {
  const { world, backend, records, handle } = await service();
  const { id } = await world.create(input);
  await world.settle();
  await world.setStatus(id, 'approved');
  let invocations = 0;
  for (let event = records(changeMarkerKey('acme', 2)); invocations < 10; invocations += 1) {
    const requested = backend.requests.length;
    world.advance(batchingWindowMs);
    expect(await handle(event)).toEqual(done);
    if (backend.requests.length === requested) break;
    event = records(indexRequestKey('acme'));
  }
  expect(await world.markers()).toEqual([]);
  expect(invocations).toBeLessThanOrEqual(Math.ceil(forgetAfterMs / batchingWindowMs));
  expect(await world.differences()).toEqual([]);
});

test.each([0, 1001, 6000, batchingWindowMs - 1])(
  'an erased text is gone within a minute if its record arrives %d ms after the first of its batch',
  async (sinceFirstMs) => {
    const { world, backend, records, handle } = await service();
    for (const which of ['first', 'later']) {
      const { id } = await world.create({ ...input, content: 'A zebra of a product', tags: ['striped'] });
      await world.settle();
      backend.requests.length = 0;
      await world.erase(id);
      const erasedAt = world.clock.time;
      world.advance(batchingWindowMs - sinceFirstMs);
      await handle(records(changeMarkerKey('acme', 1)));
      while (backend.requests.pop() !== undefined) {
        world.advance(batchingWindowMs);
        await handle(records(indexRequestKey('acme')));
      }
      expect(backend.text()).not.toMatch(/zebra|striped|=ze/);
      // Leaves some seconds for the stream and for the index updates themselves.
      expect({ which, within: world.clock.time - erasedAt <= 50_000 }).toEqual({ which, within: true });
    }
  },
);

test('a create that has not settled causes another request, its age is logged, and the rest is indexed', async () => {
  const { world, backend, logger, records, handle } = await service();
  await world.create(input);
  world.advance(settledMs);
  await world.create(input);
  world.advance(1000);
  expect(await handle(records(testimonialKey('acme', 1), testimonialKey('acme', 2)))).toEqual(done);
  expect(await world.head()).toMatchObject({ indexed: position(2) });
  expect(backend.requests).toEqual(['acme']);
  expect(logger.lines).toEqual([expect.objectContaining({ testimonials: 1, lagMs: 1000 })]);
});

test('an index update that another overtook writes nothing and requests another', async () => {
  const { world, backend, logger, records, handle } = await service();
  await world.create(input);
  world.advance(settledMs);
  const index = { ...backend.index, writePosting: async () => false };
  expect(await handle(records(testimonialKey('acme', 1)), { index })).toEqual(done);
  expect(backend.requests).toEqual(['acme']);
  expect(logger.lines.filter(({ level }) => level === 'ERROR')).toEqual([]);
});

describe('an error of one organization', () => {
  /** `broken` cannot be read, `acme` can. */
  async function handledWithOneBroken(requestIndexUpdate?: () => Promise<void>) {
    const s = await service();
    const broken = await createWorld(s.backend, { organization: 'broken' });
    await broken.create(input);
    await s.world.create(input);
    s.world.advance(settledMs);
    const index = {
      ...s.backend.index,
      ...(requestIndexUpdate && { requestIndexUpdate }),
      readHead: async (organization: string) => {
        if (organization === 'broken') throw new Error('the table is on fire');
        return s.backend.index.readHead(organization);
      },
    };
    const event = s.records(
      testimonialKey('acme', 1),
      testimonialKey('broken', 1),
      testimonialKey('acme', 1),
      testimonialKey('broken', 1),
    );
    return { ...s, response: await s.handle(event, { index }) };
  }

  test('does not delay others, causes another request, and is logged with its reason', async () => {
    const { response, world, backend, logger } = await handledWithOneBroken();
    expect(response).toEqual(done);
    expect(await world.head()).toMatchObject({ indexed: position(2) });
    expect(backend.requests).toEqual(['broken']);
    expect(logger.lines.filter(({ level }) => level === 'ERROR')).toEqual([
      {
        ...always,
        level: 'ERROR',
        message: 'Indexing failed',
        organization: 'broken',
        error: expect.stringContaining('the table is on fire'),
      },
    ]);
  });

  test('fails its first record if the request fails too', async () => {
    const { response } = await handledWithOneBroken(() => Promise.reject(new Error('still on fire')));
    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: '102' }] });
  });
});

test('postings built with other rules are updated, and the log says so', async () => {
  const { world, logger, records, handle } = await service();
  await world.create(input);
  await world.settle();
  const head = await world.head();
  if (head) await world.backend.index.replaceHead('acme', { ...head, terms: '0/1.0' });
  await world.create(input);
  world.advance(settledMs);
  await handle(records(testimonialKey('acme', 2)));
  expect(await world.head()).toMatchObject({ indexed: position(3), terms: '0.0/1.0' });
  expect(logger.lines).toContainEqual(expect.objectContaining({ testimonials: 1, hasOtherTerms: true }));
});

describe('a deployment', () => {
  test('requests a rebuild of all indexes built with other rules, and the stream delivers the requests', async () => {
    const { world, backend, logger, records, handle } = await service();
    await world.create(input);
    await world.settle();
    const head = await world.head();
    if (head) await backend.index.replaceHead('acme', { ...head, terms: '0/1.0' });
    // A deployment sends an event without records.
    expect(await handle({})).toEqual(done);
    expect(backend.renewals.request).toMatchObject({ from: '' });
    expect(await handle(records(renewalRequestKey))).toEqual(done);
    expect(backend.requests).toEqual(['acme']);
    expect(logger.lines).toContainEqual(
      expect.objectContaining({ message: 'Rebuilding with the rules of this version' }),
    );
    expect(await handle(records(indexRequestKey('acme'), renewalRequestKey))).toEqual(done);
    expect(await world.head()).toMatchObject({ terms: termsVersion });
    expect(await handle(records(renewalRequestKey))).toEqual(done);
    expect(backend.renewals.request).toBeUndefined();
  });

  test('fails the record of a rebuild that fails', async () => {
    const { backend, logger, records, handle } = await service();
    await handle({});
    const event = records(renewalRequestKey);
    const renewals = { ...backend.renewals, read: () => Promise.reject(new Error('throttled')) };
    expect(await handle(event, { renewals })).toEqual({
      batchItemFailures: [{ itemIdentifier: event.Records[0]?.dynamodb?.SequenceNumber }],
    });
    expect(logger.lines).toContainEqual(expect.objectContaining({ level: 'ERROR' }));
  });
});
