import { expect, test } from '@jest/globals';
import { testimonialKey } from '../../../functions/dynamodb/keys.ts';
import type { TestimonialEvent } from '../../../functions/publish-events/event.ts';
import { createHandler } from '../../../functions/publish-events/handler.ts';
import { currentItemsOn } from '../../../functions/testimonials/current-items.ts';
import { recordOf } from '../../stream-record.ts';
import { storedAt } from '../../testimonials.ts';
import { WatchedLogger } from '../../watched-logs.ts';

/**
 * Delivers the records of new testimonials with these ordinals to a bus that rejects the event of one of
 * them.
 */
async function deliver(ordinals: readonly number[], rejected?: number, organizations = ['acme']) {
  const batches: string[][] = [];
  const idOf = (ordinal: number) => storedAt(ordinal).testimonial.id;
  const handler = createHandler({
    readItems: currentItemsOn({
      atPositions: async (organization, some) => {
        expect(organization).toBe('acme');
        return some.map((ordinal) => storedAt(ordinal));
      },
      endedImports: async () => [],
    }),
    bus: {
      put: async (events: readonly TestimonialEvent[]) => {
        const ids = events.map(({ detail }) => ('id' in detail ? detail.id : ''));
        batches.push(ids);
        return ids.map((id) => (rejected !== undefined && id === idOf(rejected) ? 'Throttled' : undefined));
      },
    },
    logger: new WatchedLogger(),
  });
  const keys = organizations.flatMap((each) => ordinals.map((ordinal) => testimonialKey(each, ordinal)));
  const records = keys.map((key, i) => recordOf(key, 100 + i));
  const { batchItemFailures } = await handler({ Records: records });
  return { batches: batches.map(({ length }) => length), batchItemFailures };
}

const ordinals = Array.from({ length: 25 }, (_, i) => i + 1);

test('publishing stops at a batch with a rejected event, and the stream repeats from that event on', async () => {
  expect(await deliver(ordinals, 12)).toEqual({
    batches: [10, 10],
    batchItemFailures: [{ itemIdentifier: '111' }],
  });
});

test('an event that several records cause is published once, for the first of them', async () => {
  expect(await deliver([1, 2, 1, 1], 1)).toEqual({
    batches: [2],
    batchItemFailures: [{ itemIdentifier: '100' }],
  });
});

test('nothing is read or published about the organizations of a check, whatever they write', async () => {
  const published = { batches: [2], batchItemFailures: [] };
  expect(await deliver([1, 2], undefined, ['check-20261126-093000-0a1b2c-1', 'acme', 'check-x'])).toEqual(
    published,
  );
  expect(await deliver([1, 2], undefined, ['check-x'])).toEqual({ batches: [], batchItemFailures: [] });
});
