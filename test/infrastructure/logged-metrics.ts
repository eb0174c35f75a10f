/** The metrics of log lines: the template's filters applied to lines of the real handlers. */

import { randomInt } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { positionTakenMessage } from '../../functions/domain/outcomes.ts';
import { pathOfPage } from '../../functions/domain/page.ts';
import { hashSecret, makeSecret } from '../../functions/domain/token.ts';
import { Unreadable, unreadableLog } from '../../functions/domain/unreadable.ts';
import { testimonialKey } from '../../functions/dynamodb/keys.ts';
import type { Budgets } from '../../functions/fair-use/budgets.ts';
import { createHandler as createIndexHandler } from '../../functions/index-testimonials/handler.ts';
import { createHandler as createListHandler } from '../../functions/list-testimonials/handler.ts';
import { createHandler as createEventsHandler } from '../../functions/publish-events/handler.ts';
import { currentItemsOn } from '../../functions/testimonials/current-items.ts';
import { indexUpdatesOn } from '../../functions/testimonials/index-updates.ts';
import { termsVersion } from '../../functions/testimonials/list-index/terms-version.ts';
import { listsOn } from '../../functions/testimonials/lists.ts';
import { settledMs } from '../../functions/timing.ts';
import { hurriedAdminOf } from '../admin.ts';
import { contextOf, createApiClient, eventOf, storesOf, testimonialBody } from '../api-client.ts';
import { deskOf } from '../desk-client.ts';
import { noBudgets } from '../no-budgets.ts';
import { addPage, visitorOf } from '../page-visitor.ts';
import { position } from '../position.ts';
import { recordOf } from '../stream-record.ts';
import { WatchedLogger } from '../watched-logs.ts';
import { inMemoryBackend } from '../world/in-memory-backend.ts';
import { createWorld } from '../world/world.ts';
import { everything, lineBytes, synthesizeWith } from './synthesized.ts';

const { all } = synthesizeWith({ stage: 'prod', ...everything });

interface Filter {
  FilterPattern: string;
  LogGroupName: { Ref: string };
  MetricTransformations: [{ MetricName: string; MetricNamespace: string; MetricValue: string }];
}
const filters = all('Logs::MetricFilter').map(({ Properties }): Filter => Properties);

type Line = Record<string, unknown>;

/** True if a line matches a pattern, in one of the forms that the template uses. */
function matches(pattern: string, line: Line): boolean {
  const [, field = '', operator, operand = ''] =
    /^\{ \$\.(\w+) (=|>=|IS) ("[^"]*"|\d+|TRUE) \}$/.exec(pattern) ?? [];
  const value = line[field];
  if (operator === 'IS') return value === true;
  if (operator === '=') return value === JSON.parse(operand);
  if (operator === '>=') return typeof value === 'number' && value >= Number(operand);
  throw new Error(`No such pattern is known here: ${pattern}`);
}

/** Returns the values of each metric that CloudWatch makes of a function's lines. */
function measuredOf(name: string, lines: readonly Line[]): Record<string, number[]> {
  const measured: Record<string, number[]> = {};
  for (const { FilterPattern, LogGroupName, MetricTransformations } of filters) {
    if (!LogGroupName.Ref.startsWith(`${name}Logs`)) continue;
    const [{ MetricName, MetricNamespace, MetricValue }] = MetricTransformations;
    expect(MetricNamespace).toBe('Testimonials/prod');
    const values = lines
      .filter((line) => matches(FilterPattern, line))
      .map((line) => Number(MetricValue.startsWith('$.') ? line[MetricValue.slice(2)] : MetricValue));
    if (values.length > 0) measured[MetricName] = values;
  }
  return measured;
}

const token = makeSecret('tst', randomInt);
const content = `Amazing product ${'€'.repeat(6000)}`;
const input = { content, author: { name: 'Jane Doe', email: 'jane@example.com' }, type: 'text' as const };

/** Calls the list function with the stores of a world, and returns its log. */
async function listed(
  world: Awaited<ReturnType<typeof createWorld>>,
  query = '',
  budgets: Budgets = noBudgets,
): Promise<Line[]> {
  const logger = new WatchedLogger();
  const handler = createListHandler({
    findToken: async () => ({
      hash: hashSecret(token),
      organization: 'acme',
      permissions: ['testimonials:read'],
      createdAt: '2026-01-01T00:00:00.000Z',
    }),
    logger,
    budgets,
    meter: { reset: () => {}, cost: () => ({ units: 5.5, writeUnits: 1, rounds: 2, requests: 3 }) },
    now: world.now,
    lists: listsOn(() => world.backend),
    document: () => ({}),
  });
  const headers = { authorization: `Bearer ${token}` };
  const event = eventOf({ routeKey: 'GET /v1/testimonials', query, headers });
  // Values of the gateway and of Lambda.
  event.requestContext.requestId = 'JKJaXmPLvHcESHA=';
  process.env._X_AMZN_TRACE_ID = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0';
  await handler(event, contextOf());
  return logger.lines;
}

/** A batch with one record of a new testimonial. */
const batch = { Records: [recordOf(testimonialKey('acme', position(1)), 1)] };

describe('a list', () => {
  test('logs one line, and its cost becomes metrics', async () => {
    const world = await createWorld(inMemoryBackend());
    await world.create(input);
    const lines = await listed(world);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines[0]).length).toBeLessThanOrEqual(lineBytes);
    // Only the metrics of its cost.
    const cost = { readUnits: 4.5, rounds: 2, calls: 3, unindexed: 1, isWarm: false };
    expect(lines[0]).toMatchObject({ rows: 'tail', ...cost, indexLagMs: 0 });
    expect(lines[0]).not.toHaveProperty('hasOtherTerms');
    expect(measuredOf('ListTestimonials', lines)).toEqual({
      ListReadUnits: [4.5],
      ListUnindexed: [1],
      ListIndexLag: [0],
    });
  });

  test('measures for how long an index update is overdue', async () => {
    const world = await createWorld(inMemoryBackend());
    await world.create(input);
    world.advance(3_600_000);
    const { ListIndexLag: [lag = 0] = [] } = measuredOf('ListTestimonials', await listed(world));
    expect(lag).toBeGreaterThan(3_000_000);
  });

  test('measures a request that exceeds a limit of its organization', async () => {
    const world = await createWorld(inMemoryBackend());
    const refusing = { ...noBudgets, refusal: () => ({ of: 'requests' as const, seconds: 30 }) };
    const lines = await listed(world, '', refusing);
    expect(lines).toEqual([expect.objectContaining({ message: 'Request refused', organization: 'acme' })]);
    expect(measuredOf('ListTestimonials', lines)).toEqual({ RequestsRefused: [1] });
  });

  test('measures postings with other rules, and the lists that fail because of them', async () => {
    const world = await createWorld(inMemoryBackend());
    await world.create(input);
    await world.settle();
    const madeBy = async (terms: string) => {
      const head = await world.head();
      if (head) await world.backend.index.replaceHead('acme', { ...head, terms });
    };
    await madeBy(termsVersion.replace(/\/.*/, '/1.0'));
    expect(measuredOf('ListTestimonials', await listed(world))).toMatchObject({ OtherTerms: [1] });
    await madeBy('0/1.0');
    expect(measuredOf('ListTestimonials', await listed(world, 'search=amazing'))).toEqual({
      ListNotReady: [1],
    });
  });
});

test('lists of the desk and of walls that fail because of postings with other rules count like those of the API', async () => {
  const { table, create } = await createApiClient();
  await create(testimonialBody());
  await hurriedAdminOf(table)('index', 'rebuild', '--organization', 'acme');
  const { index } = storesOf(table);
  const head = await index.readHead('acme');
  if (head) await index.replaceHead('acme', { ...head, terms: '0/1.0' });
  const wall = await addPage(table, { kind: 'wall', settings: { tags: 'ux' } });
  const responses = {
    ServeDesk: await (await (await deskOf(table)).signedIn()).get('/desk/list?search=amazing'),
    ServePages: await visitorOf(table).get(pathOfPage(wall)),
  };
  for (const [name, { status, logged }] of Object.entries(responses)) {
    expect([name, status]).toEqual([name, 503]);
    const lines = logged.split('\n').map((line): Line => JSON.parse(line));
    expect(measuredOf(name, lines)).toEqual({ ListNotReady: [1] });
  }
});

describe('the index function', () => {
  const service = async () => {
    const backend = inMemoryBackend();
    const world = await createWorld(backend);
    const logger = new WatchedLogger();
    const handle = createIndexHandler({
      updates: indexUpdatesOn({ ...backend, now: world.now }),
      now: world.now,
      logger,
    });
    await world.create(input);
    return { world, logger, handle };
  };

  test('measures its lag', async () => {
    const { world, logger, handle } = await service();
    world.advance(settledMs - 1000);
    await handle(batch);
    expect(measuredOf('IndexTestimonials', logger.lines)).toEqual({ IndexUpdateLag: [settledMs - 1000] });
  });

  test('measures its failures', async () => {
    const { world, logger, handle } = await service();
    world.backend.index.readHead = () => Promise.reject(new Error('throttled'));
    await handle(batch);
    expect(measuredOf('IndexTestimonials', logger.lines)).toEqual({ IndexUpdateFailures: [1] });
  });
});

test('the function that publishes events measures their number', async () => {
  const backend = inMemoryBackend();
  const world = await createWorld(backend);
  const logger = new WatchedLogger();
  await world.create(input);
  const bus = { put: async (events: readonly unknown[]) => events.map(() => undefined) };
  const handle = createEventsHandler({ readItems: currentItemsOn(backend.eventItems), bus, logger });
  await handle(batch);
  expect(measuredOf('PublishEvents', logger.lines)).toEqual({ EventsPublished: [1] });
});

test.each(['ListTestimonials', 'CreateTestimonial', 'IndexTestimonials', 'PublishEvents'])(
  '%s measures an unreadable item once',
  (name) => {
    const logger = new WatchedLogger();
    const report = unreadableLog(logger);
    for (let i = 0; i < 2; i += 1) {
      report(new Unreadable('a testimonial', testimonialKey('acme', position(1)), 'rating'));
    }
    expect(measuredOf(name, logger.lines)).toMatchObject({ UnreadableItems: [1] });
  },
);

test.each(['CreateTestimonial', 'ServeDesk', 'ServePages'])('%s counts taken positions', (name) => {
  expect(measuredOf(name, [{ message: positionTakenMessage }])).toEqual({ PositionTaken: [1] });
});

test('alarms and graphs use each metric of the log filters, and no other of our namespace', () => {
  const made = [...new Set(filters.map(({ MetricTransformations: [{ MetricName }] }) => MetricName))];
  const watching = ['CloudWatch::Alarm', 'CloudWatch::Dashboard'].map((type) => JSON.stringify(all(type)));
  const inAlarms = [
    ...(watching[0] ?? '').matchAll(/"MetricName":"(\w+)","Namespace":"Testimonials\/prod"/g),
  ];
  const inGraphs = [...(watching[1] ?? '').matchAll(/\\"Testimonials\/prod\\",\\"(\w+)\\"/g)];
  const watched = [...inAlarms, ...inGraphs].map(([, name = '']) => name);
  expect([...new Set(watched)].toSorted()).toEqual(made.toSorted());
});
