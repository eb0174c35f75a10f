/** The log of erasures contains every erasure, whichever step fails. */

import { describe, expect, test } from '@jest/globals';
import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import { indexRequestKey, testimonialKey } from '../../../functions/dynamodb/keys.ts';
import { createHandler, erasedMessage } from '../../../functions/index-testimonials/handler.ts';
import { indexUpdatesOn } from '../../../functions/testimonials/index-updates.ts';
import { forgetAfterMs } from '../../../functions/timing.ts';
import { position } from '../../position.ts';
import { recordOf } from '../../stream-record.ts';
import { input } from '../../testimonials.ts';
import { WatchedLogger } from '../../watched-logs.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { createWorld } from '../../world/world.ts';

/** Returns the erasures in the log, in order. */
const erasedIn = ({ lines }: WatchedLogger) =>
  lines.flatMap(({ message, organization, id }) => (message === erasedMessage ? [{ organization, id }] : []));

/** Returns the index function on stores in memory, and the stream's records of replaced testimonials. */
async function service() {
  const memory = inMemoryBackend();
  const records: DynamoDBRecord[] = [];
  const reads: number[][] = [];
  const state = { failures: 0 };
  const written = (organization: string, ordinal: number) =>
    records.push(recordOf(testimonialKey(organization, ordinal), records.length + 1, 'MODIFY'));
  const { findErased } = memory.testimonials;
  const rewriting =
    <Rest extends unknown[]>(
      write: (organization: string, stored: StoredTestimonial, ...rest: Rest) => Promise<boolean>,
    ) =>
    async (organization: string, stored: StoredTestimonial, ...rest: Rest) => {
      const isDone = await write(organization, stored, ...rest);
      if (isDone) written(organization, stored.ordinal);
      return isDone;
    };
  memory.testimonials.writeChange = rewriting(memory.testimonials.writeChange);
  memory.testimonials.sealVersion = rewriting(memory.testimonials.sealVersion);
  memory.testimonials.erase = rewriting(memory.testimonials.erase);
  memory.testimonials.findErased = async (organization, ordinals) => {
    if (state.failures > 0) {
      state.failures -= 1;
      throw new Error('the table is on fire');
    }
    reads.push([...ordinals]);
    return findErased(organization, ordinals);
  };
  const world = await createWorld(memory);
  const logger = new WatchedLogger();
  const handler = createHandler({
    updates: indexUpdatesOn({ ...memory, now: world.now }),
    now: world.now,
    logger,
  });
  return { world, memory, logger, records, reads, state, handler };
}

const done = { batchItemFailures: [] };

describe('an erasure', () => {
  test('is logged with its organization and its id, and nothing else, but for those of a check', async () => {
    const { world, memory, logger, records, reads, handler } = await service();
    const check = await createWorld(memory, { organization: 'check-20261126-093000-0a1b2c-1' });
    const { id } = await world.create(input);
    await world.create(input);
    await world.erase(id);
    await check.erase((await check.create(input)).id);
    expect(await handler({ Records: records })).toEqual(done);
    const every = expect.anything();
    const ofEachLine = { timestamp: every, service: every, sampling_rate: every };
    expect(logger.lines).toEqual([
      { level: 'INFO', message: erasedMessage, organization: 'acme', id, ...ofEachLine },
    ]);
    expect(reads).toHaveLength(1);
  });

  test('is repeated until it is logged, and the rest of the batch succeeds', async () => {
    const { world, memory, logger, records, state, handler } = await service();
    const other = await createWorld(memory, { organization: 'other' });
    const { id } = await world.create(input);
    await world.setStatus(id, 'approved');
    await world.erase(id);
    const theirs = await other.create(input);
    await other.erase(theirs.id);
    state.failures = 1;
    expect(await handler({ Records: records })).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    expect(erasedIn(logger)).toEqual([{ organization: 'other', id: theirs.id }]);
    expect(logger.lines.filter(({ level }) => level === 'ERROR')).toEqual([
      expect.objectContaining({
        message: 'Erasures cannot be logged',
        organization: 'acme',
        error: expect.stringContaining('the table is on fire'),
      }),
    ]);
    expect(await handler({ Records: records })).toEqual(done);
    expect(erasedIn(logger)).toContainEqual({ organization: 'acme', id });
  });

  test('is logged before the batch is indexed, which can run out of time', async () => {
    const { world, memory, logger, records, handler } = await service();
    const { id } = await world.create(input);
    await world.erase(id);
    const request = recordOf(indexRequestKey('acme'), 1, 'MODIFY');
    let loggedThen: unknown[] = [];
    memory.index.readHead = async () => {
      loggedThen = erasedIn(logger);
      throw new Error('the end');
    };
    await handler({ Records: [request, ...records] });
    expect(loggedThen).toEqual([{ organization: 'acme', id }]);
  });
});

test('creates cost no read, several changes one, and no index update besides that of their markers', async () => {
  const { world, memory, logger, records, reads, handler } = await service();
  const ids = [(await world.create(input)).id, (await world.create(input)).id];
  await handler({ Records: [recordOf(testimonialKey('acme', 1), 1)] });
  expect([records, reads]).toEqual([[], []]);
  for (const id of ids) await world.setStatus(id, 'approved');
  memory.index.readHead = () => Promise.reject(new Error('It updates the index'));
  expect(await handler({ Records: records })).toEqual(done);
  expect(reads).toEqual([[position(1), position(2)]]);
  expect(logger.lines).toEqual([]);
});

test('the log contains every erasure of any history, even if batches fail and repeat', async () => {
  const step = fc.record({ testimonial: fc.nat(5), erases: fc.boolean(), indexUpdates: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      fc.array(fc.record({ size: fc.integer({ min: 1, max: 5 }), failures: fc.nat(2) }), { minLength: 1 }),
      async (history, batches) => {
        const { world, logger, records, state, handler } = await service();
        const ids: string[] = [];
        for (let i = 0; i < 6; i += 1) ids.push((await world.create(input)).id);
        const erased = new Set<string>();
        for (const { testimonial, erases, indexUpdates } of history) {
          const id = ids[testimonial] ?? '';
          if (erases) erased.add(id);
          if (erases) await world.erase(id);
          else if (!erased.has(id)) await world.setStatus(id, 'approved');
          world.advance(forgetAfterMs);
          if (indexUpdates) await world.updateIndex();
        }
        // Like Lambda: repeats from the first failed record until all are done.
        for (let at = 0, turn = 0; at < records.length; turn += 1) {
          const { size, failures } = batches[turn % batches.length] ?? { size: 1, failures: 0 };
          state.failures = turn < 20 ? failures : 0;
          const Records = records.slice(at, at + size);
          const { batchItemFailures } = await handler({ Records });
          const failed = batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier) - 1);
          at = Math.min(at + Records.length, ...failed);
        }
        expect(new Set(erasedIn(logger).map((each) => JSON.stringify(each)))).toEqual(
          new Set([...erased].map((id) => JSON.stringify({ organization: 'acme', id }))),
        );
      },
    ),
    { numRuns: 60 },
  );
});
