import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { describe, expect, test } from '@jest/globals';
import type { Context, DynamoDBStreamEvent } from 'aws-lambda';
import { changeStatus } from '../../../functions/domain/change-status.ts';
import { createTestimonial } from '../../../functions/domain/create-testimonial.ts';
import type { TestimonialInput } from '../../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../../functions/domain/testimonial-order.ts';
import { createHandler } from '../../../functions/index-testimonials/handler.ts';
import { foldStep } from '../../../functions/list-index/fold.ts';
import { verifyIndex } from '../../../functions/list-index/verify.ts';
import { changeMarkerKey, type Key, testimonialKey } from '../../../functions/persistence/keys.ts';
import { inMemoryIndex } from '../../in-memory-index.ts';
import { inMemoryStores } from '../../in-memory-stores.ts';

const start = Date.parse('2026-01-15T10:00:00.000Z');
const functionMs = 120_000;
const input: TestimonialInput = {
  content: 'Amazing product',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text',
};

/** Keeps what is logged instead of writing it. */
class RecordingLogger extends Logger {
  readonly lines: { level: string; message: unknown; details: unknown }[] = [];
  override info(message: unknown, ...details: unknown[]): void {
    this.lines.push({ level: 'info', message, details: details[0] });
  }
  override error(message: unknown, ...details: unknown[]): void {
    this.lines.push({ level: 'error', message, details: details[0] });
  }
}

/** Keeps what is measured instead of writing it. */
class RecordingMetrics extends Metrics {
  readonly added: Record<string, number> = {};
  published = 0;
  override addMetric(name: string, _unit: unknown, value: number): this {
    this.added[name] = (this.added[name] ?? 0) + value;
    return this;
  }
  override publishStoredMetrics(): this {
    this.published += 1;
    return this;
  }
}

/** The handler on stores in memory, with a clock that only a sleep moves. */
function service() {
  const { testimonials, idempotencyKeys, stored } = inMemoryStores();
  const memory = inMemoryIndex(testimonials);
  const clock = { time: start };
  const sleeps: number[] = [];
  let random = 100_000_000_000;
  const logger = new RecordingLogger({ logLevel: 'SILENT' });
  const metrics = new RecordingMetrics({ namespace: 'Test' });
  const deps = {
    testimonials,
    index: memory.index,
    idempotencyKeys,
    now: () => new Date(clock.time),
    randomInt: () => {
      random += 1;
      return random;
    },
    sleep: async (milliseconds: number) => {
      sleeps.push(milliseconds);
      clock.time += milliseconds;
      if (sleeps.length > 1000) throw new Error('It sleeps for ever');
    },
    logger,
    metrics,
  };
  let sequenceNumber = 100;
  const records = (...keys: Key[]): DynamoDBStreamEvent => ({
    Records: keys.map(({ PK, SK }) => {
      sequenceNumber += 1;
      return {
        eventName: 'INSERT',
        dynamodb: { Keys: { PK: { S: PK }, SK: { S: SK } }, SequenceNumber: String(sequenceNumber) },
      };
    }),
  });
  const handle = (event: DynamoDBStreamEvent, overrides: Partial<typeof deps> = {}, timeMs = functionMs) => {
    const end = clock.time + timeMs;
    const context = {
      awsRequestId: 'lambda-1',
      getRemainingTimeInMillis: () => end - clock.time,
    } as Context; // the handler reads no other part
    return createHandler({ ...deps, ...overrides })(event, context);
  };
  const create = async (organization = 'acme') =>
    (await createTestimonial(deps, { organization, input })).testimonial;
  const head = (organization = 'acme') => memory.index.readHead(organization);
  const differences = async (organization = 'acme') => {
    const found: unknown[] = [];
    await verifyIndex(deps, organization, (difference) => found.push(difference));
    return found;
  };
  return { deps, memory, clock, sleeps, stored, records, handle, create, head, differences, logger, metrics };
}

describe('new testimonials', () => {
  test('are folded together when the last has settled, for which it sleeps just as long as it takes', async () => {
    const s = service();
    await s.create();
    s.clock.time += 4000;
    await s.create();
    const answer = await s.handle(s.records(testimonialKey('acme', 1), testimonialKey('acme', 2)));
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(await s.head()).toMatchObject({ indexed: 3 });
    expect(s.sleeps).toEqual([15_000]);
    expect(await s.differences()).toEqual([]);
  });

  test('that have settled are folded without a wait', async () => {
    const s = service();
    await s.create();
    s.clock.time += 15_000;
    await s.handle(s.records(testimonialKey('acme', 1)));
    expect(s.sleeps).toEqual([]);
    expect(await s.head()).toMatchObject({ indexed: 2 });
  });

  test('that are folded already ask for nothing', async () => {
    const s = service();
    await s.create();
    s.clock.time += 15_000;
    await foldStep(s.deps, 'acme', 10);
    let writes = 0;
    s.memory.beforeWrite = () => {
      writes += 1;
    };
    expect(await s.handle(s.records(testimonialKey('acme', 1)))).toEqual({ batchItemFailures: [] });
    expect(writes).toBe(0);
  });

  test('of more than a step are folded by several', async () => {
    const s = service();
    for (let i = 0; i < 1001; i += 1) await s.create();
    s.clock.time += 15_000;
    await s.handle(s.records(testimonialKey('acme', 1001)));
    expect(await s.head()).toMatchObject({ indexed: 1002 });
    expect(s.logger.lines[0]?.details).toMatchObject({ steps: 2, folded: 1001 });
  });
});

describe('announced changes', () => {
  const change = { ordinal: 1, time: new Date(start), kind: 'status' } as const;

  test('are folded when they have settled and forgotten 10 s later', async () => {
    const s = service();
    const { id } = await s.create();
    s.clock.time += 15_000;
    await foldStep(s.deps, 'acme', 10);
    const changedAt = s.clock.time;
    await changeStatus(s.deps, 'acme', id, 'approved');
    const answer = await s.handle(s.records(changeMarkerKey('acme', change)));
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(await s.deps.testimonials.announcedChanges('acme')).toEqual([]);
    expect(s.clock.time - changedAt).toBe(25_000);
    expect(await s.differences()).toEqual([]);
  });

  test('are left alone by records of testimonials alone', async () => {
    const s = service();
    const { id } = await s.create();
    await changeStatus(s.deps, 'acme', id, 'approved');
    s.clock.time += 15_000;
    await s.handle(s.records(testimonialKey('acme', 1)));
    expect(await s.deps.testimonials.announcedChanges('acme')).toHaveLength(1);
    expect(s.sleeps).toEqual([]);
  });

  test('that nobody wrote in the end are forgotten as well', async () => {
    const s = service();
    await s.deps.testimonials.markChange('acme', { ...change, ordinal: 1 });
    await s.create();
    expect(await s.handle(s.records(changeMarkerKey('acme', change), testimonialKey('acme', 1)))).toEqual({
      batchItemFailures: [],
    });
    expect(await s.deps.testimonials.announcedChanges('acme')).toEqual([]);
  });

  test('that come in while it works do not keep it from ending', async () => {
    const s = service();
    const { id } = await s.create();
    await changeStatus(s.deps, 'acme', id, 'approved');
    // An operator who approves and rejects all day.
    const sleep = async (milliseconds: number) => {
      await s.deps.sleep(milliseconds);
      await changeStatus(s.deps, 'acme', id, 'rejected');
    };
    const answer = await s.handle(s.records(changeMarkerKey('acme', change)), { sleep });
    expect(answer).toEqual({ batchItemFailures: [] });
  });

  test.each([1000, 1001, 2500])('%i at once are folded without a step for nothing', async (changes) => {
    const s = service();
    const created: string[] = [];
    for (let i = 0; i < changes; i += 1) created.push((await s.create()).id);
    s.clock.time += 15_000;
    for (let i = 0; i < changes; i += 1000) await foldStep(s.deps, 'acme', 1000);
    for (const id of created) await changeStatus(s.deps, 'acme', id, 'approved');
    s.clock.time += 15_000;
    // A machine on which a step takes 100 ms: until it may forget there is time for a hundred.
    let looks = 0;
    const announcedChanges = async (organization: string) => {
      s.clock.time += 50;
      looks += 1;
      return s.deps.testimonials.announcedChanges(organization);
    };
    const answer = await s.handle(s.records(changeMarkerKey('acme', change)), {
      testimonials: { ...s.deps.testimonials, announcedChanges },
    });
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(await s.differences()).toEqual([]);
    // It looks at the changes twice a round. For each thousand a round to fold and one to forget are in order,
    // and a few to wait.
    expect(looks).toBeLessThanOrEqual(2 * (3 * Math.ceil(changes / 1000) + 3));
  });
});

describe('what is not done in time is reported, so that it comes again', () => {
  test('when another has the lease all the time', async () => {
    const s = service();
    await s.create();
    s.clock.time += 15_000;
    const event = s.records(testimonialKey('acme', 1));
    await s.deps.index.takeLease('acme', 'another', s.clock.time, s.clock.time + 10 * functionMs);
    const began = s.clock.time;
    expect(await s.handle(event)).toEqual({ batchItemFailures: [{ itemIdentifier: '101' }] });
    expect(await s.head()).toBeUndefined();
    // Within its own time, and not by asking without a pause.
    expect(s.clock.time - began).toBeLessThan(functionMs);
    expect(s.sleeps.length).toBeLessThanOrEqual(functionMs / 1000);
    expect(s.logger.lines[0]?.details).toMatchObject({ organization: 'acme', done: false });
  });

  test('but not when another has the lease for a while', async () => {
    const s = service();
    await s.create();
    s.clock.time += 15_000;
    await s.deps.index.takeLease('acme', 'another', s.clock.time, s.clock.time + 5000);
    expect(await s.handle(s.records(testimonialKey('acme', 1)))).toEqual({ batchItemFailures: [] });
    expect(await s.head()).toMatchObject({ indexed: 2 });
  });

  test('when the time is over before the changes can be forgotten', async () => {
    const s = service();
    const { id } = await s.create();
    await changeStatus(s.deps, 'acme', id, 'approved');
    const change = changeMarkerKey('acme', { ordinal: 1, time: new Date(start), kind: 'status' });
    const event = s.records(testimonialKey('acme', 1), change);
    expect(await s.handle(event, {}, 40_000)).toEqual({ batchItemFailures: [{ itemIdentifier: '101' }] });
    expect(await s.deps.testimonials.announcedChanges('acme')).toHaveLength(1);
    // It comes again.
    expect(await s.handle(event)).toEqual({ batchItemFailures: [] });
    expect(await s.deps.testimonials.announcedChanges('acme')).toEqual([]);
    expect(await s.differences()).toEqual([]);
  });

  test('and nothing is begun when there is no time at all', async () => {
    const s = service();
    await s.create();
    s.clock.time += 15_000;
    const event = s.records(testimonialKey('acme', 1));
    expect(await s.handle(event, {}, 1000)).toEqual({ batchItemFailures: [{ itemIdentifier: '101' }] });
    expect(s.sleeps).toEqual([]);
  });

  test('the lease is given back, so that the next need not wait', async () => {
    const s = service();
    await s.create();
    await s.handle(s.records(testimonialKey('acme', 1)), {}, 21_000);
    expect(await s.deps.index.takeLease('acme', 'another', s.clock.time, s.clock.time + 1)).toBe(true);
  });
});

describe('an error of one organization', () => {
  /** `broken` cannot be read, `acme` can. */
  async function handledWithOneBroken() {
    const s = service();
    await s.create('broken');
    await s.create('acme');
    s.clock.time += 15_000;
    const index = {
      ...s.deps.index,
      readHead: async (organization: string) => {
        if (organization === 'broken') throw new Error('the table is on fire');
        return s.deps.index.readHead(organization);
      },
    };
    const event = s.records(
      testimonialKey('acme', 1),
      testimonialKey('broken', 1),
      testimonialKey('acme', 1),
      testimonialKey('broken', 1),
    );
    const answer = await s.handle(event, { index });
    return { ...s, answer };
  }

  test('is reported by its first record, and others are done', async () => {
    const { answer, head } = await handledWithOneBroken();
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '102' }] });
    expect(await head('acme')).toMatchObject({ indexed: 2 });
  });

  test('is logged with its organization, its goal and its reason', async () => {
    const { logger } = await handledWithOneBroken();
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: 'Folding failed',
        details: {
          organization: 'broken',
          goal: { ordinal: 1, changes: false },
          error: expect.stringContaining('the table is on fire'),
        },
      },
    ]);
  });

  test('is counted', async () => {
    const { metrics } = await handledWithOneBroken();
    expect(metrics.added).toMatchObject({ FoldFailures: 1, TestimonialsFolded: 1 });
    expect(metrics.published).toBe(1);
  });

  test('gives the lease back', async () => {
    const s = await handledWithOneBroken();
    expect(await s.deps.index.takeLease('broken', 'another', s.clock.time, s.clock.time + 1)).toBe(true);
  });

  test('that comes when the lease is given back hides no earlier one', async () => {
    const s = service();
    await s.create();
    s.clock.time += 15_000;
    const index = {
      ...s.deps.index,
      readHead: () => Promise.reject(new Error('the first error')),
      releaseLease: () => Promise.reject(new Error('the second error')),
    };
    await s.handle(s.records(testimonialKey('acme', 1)), { index });
    expect(JSON.stringify(s.logger.lines)).toContain('the first error');
  });
});

test('what was folded is logged by organization and measured in all', async () => {
  const s = service();
  const ids = [await s.create(), await s.create()].map(({ id }) => id);
  const other = await s.create('acme-2');
  s.clock.time += 15_000;
  await s.handle(s.records(testimonialKey('acme', 2), testimonialKey('acme-2', ordinalOf(other))));
  expect(ids).toHaveLength(2);
  const folded = s.logger.lines.map(({ level, message, details }) => ({ level, message, details }));
  expect(folded).toEqual(
    expect.arrayContaining([
      {
        level: 'info',
        message: 'Organization folded',
        details: {
          organization: 'acme',
          goal: { ordinal: 2, changes: false },
          steps: 1,
          folded: 2,
          changes: 0,
          postingsWritten: expect.any(Number),
          done: true,
        },
      },
    ]),
  );
  expect(folded).toHaveLength(2);
  expect(s.metrics.added).toMatchObject({ TestimonialsFolded: 3, ChangesFolded: 0 });
  expect(s.metrics.added.PostingsWritten).toBeGreaterThan(0);
  expect(s.metrics.published).toBe(1);
});

test('no log line has an e-mail address or the text of a testimonial', async () => {
  const s = service();
  await s.create();
  s.clock.time += 15_000;
  await s.handle(s.records(testimonialKey('acme', 1)));
  expect(JSON.stringify(s.logger.lines)).not.toMatch(/jane|amazing/i);
});

test('records of no organization ask for nothing and fail nothing', async () => {
  const s = service();
  expect(await s.handle({ Records: [] })).toEqual({ batchItemFailures: [] });
  expect(s.logger.lines).toEqual([]);
});
