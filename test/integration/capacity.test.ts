/**
 * The creates per second of one organization: the formula, its figures in docs, and the measured cost of
 * creates.
 */
import { randomInt } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { organizationPartition } from '../../functions/dynamodb/keys.ts';
import { createTestimonial } from '../../functions/testimonials/operations/create-testimonial.ts';
import { storesOf } from '../api-client.ts';
import { createsPerSecond } from '../benchmark/model.ts';
import { writeUnitsOf } from '../benchmark/write-units.ts';
import { tableOf } from '../operations-page.ts';
import { position } from '../position.ts';
import { createTestTable } from '../test-table.ts';
import { storedAt } from '../testimonials.ts';

const author = { name: 'Jane Doe', email: 'jane@example.com', company: 'Acme Inc.' };
const contentBytes = [100, 600, 1000, 2000, 5000, 10_000, 20_000, 40_000];

test('the page shows the figures of the formula', () => {
  const figures = contentBytes.map((bytes) => [
    bytes.toLocaleString('en-US'),
    createsPerSecond(bytes).toString(),
  ]);
  expect(tableOf('Capacity, and the quotas that are met first')).toEqual(figures);
});

test('a create and a change of a text of 10,000 letters write little more than the text', () => {
  const long = { content: 'a'.repeat(10_000), author, tags: ['support'] };
  const created = storedAt(position(7), long);
  const changed = storedAt(
    position(7),
    { ...long, status: 'approved', updatedAt: '2026-01-16T10:00:00.000Z' },
    { updateOrdinal: position(9), previousUpdateOrdinal: position(7), version: 2 },
  );
  expect(writeUnitsOf(undefined, created)).toEqual({ table: 11, indexes: 6 });
  // Plus the counter and the marker. The one secondary index whose sort key stays is written once.
  expect(writeUnitsOf(created, changed)).toEqual({ table: 11, indexes: 10 });
});

interface Consumed {
  Table: { CapacityUnits: number };
  /** DynamoDB Local reports it, the embedded engine does not. */
  GlobalSecondaryIndexes?: Record<string, { CapacityUnits: number }>;
}

test('a create writes these units to its organization, and fewer to each secondary index', async () => {
  const table = await createTestTable();
  let ofPartition = 0;
  let mostOfIndex = 0;
  table.client.middlewareStack.add(
    (next) => async (args) => {
      // All calls of a create have this shape.
      const { Key, Item } = args.input as { Key?: { PK: string }; Item?: { PK: string } };
      const input = { ...args.input, ReturnConsumedCapacity: 'INDEXES' } as typeof args.input;
      const result = await next({ ...args, input });
      const { ConsumedCapacity: consumed } = result.output as { ConsumedCapacity: Consumed };
      expect((Key ?? Item)?.PK).toBe(organizationPartition('acme'));
      ofPartition += consumed.Table.CapacityUnits;
      const ofIndexes = Object.values(consumed.GlobalSecondaryIndexes ?? {});
      mostOfIndex = Math.max(mostOfIndex, ...ofIndexes.map(({ CapacityUnits }) => CapacityUnits));
      return result;
    },
    { step: 'initialize' },
  );
  for (const bytes of contentBytes) {
    [ofPartition, mostOfIndex] = [0, 0];
    await createTestimonial(
      { ...storesOf(table), now: table.now, randomInt },
      {
        organization: 'acme',
        input: {
          // Letters of one byte, because the embedded engine counts letters, and more of them than a request
          // allows.
          content: 'a'.repeat(bytes),
          author,
          rating: 5,
          type: 'text',
          tags: ['support'],
        },
      },
    );
    expect([bytes, Math.floor(1000 / ofPartition)]).toEqual([bytes, createsPerSecond(bytes)]);
    expect(mostOfIndex).toBeLessThan(ofPartition);
  }
});
