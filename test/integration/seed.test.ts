import { createTestimonial } from '../../functions/domain/create-testimonial.ts';
import type { TestimonialInput } from '../../functions/domain/testimonial.ts';
import { verifyIndex } from '../../functions/list-index/verify.ts';
import type { Table } from '../../functions/persistence/document-client.ts';
import { idempotencyKeyStore } from '../../functions/persistence/dynamodb-idempotency-key-store.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { seedOrganization } from '../../lib/sample-data/seed.ts';
import { createTestTable } from '../test-table.ts';

const input: TestimonialInput = {
  content: 'Amazing product, we love it',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text',
};

test('seeding adds to what is there, in order, indexed, and tells how far it is', async () => {
  const table = await createTestTable();
  const testimonials = testimonialStore(table);
  const index = indexStore(table);
  const steps: string[] = [];
  const clock = { time: Date.parse('2026-01-15T10:00:00.000Z') };
  const options = {
    now: () => new Date(clock.time),
    progress: (step: string) => steps.push(step),
    sleep: async () => {},
  };
  await seedOrganization(table, 'demo', 60, options);
  clock.time += 60_000;
  const deps = {
    testimonials,
    idempotencyKeys: idempotencyKeyStore(table),
    now: options.now,
    randomInt: () => 123_456_789_012,
  };
  await createTestimonial(deps, { organization: 'demo', input });
  clock.time += 60_000;
  await seedOrganization(table, 'demo', 40, options);

  const all = (await Array.fromAsync(testimonials.from('demo', 0))).flat();
  expect(all).toHaveLength(101);
  const times = all.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted());
  expect(new Set(all.map(({ id }) => id)).size).toBe(101);
  // The newest are younger than 15 s: lists find them in the table.
  const settled = all.filter(({ createdAt }) => Date.parse(createdAt) <= clock.time - 15_000);
  expect(settled.length).toBeGreaterThan(80);
  expect(await index.readHead('demo')).toMatchObject({ indexed: settled.length + 1 });
  const differences: unknown[] = [];
  await verifyIndex({ testimonials, index }, 'demo', (difference) => differences.push(difference));
  expect(differences).toEqual([]);
  expect(steps.at(-2)).toBe(`${settled.length} testimonials indexed`);
});

/** Fails the first writes of batches with an error of this name, before the SDK's own retries. */
function failBatches(table: Table, name: string, times: number) {
  let failed = 0;
  table.client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName !== 'BatchWriteItemCommand' || failed === times) return next(args);
        failed += 1;
        throw Object.assign(new Error('too much at once'), { name });
      },
    { step: 'initialize' },
  );
}

const quiet = { now: () => new Date(), progress: () => {}, sleep: async () => {} };

test('seeding waits where the table is throttled', async () => {
  const table = await createTestTable();
  failBatches(table, 'ThrottlingException', 3);
  await seedOrganization(table, 'demo', 60, quiet);
  const all = (await Array.fromAsync(testimonialStore(table).from('demo', 0))).flat();
  expect(all).toHaveLength(60);
});

test('seeding that fails says what to do about what it has stored', async () => {
  const table = await createTestTable();
  failBatches(table, 'AccessDeniedException', 1);
  await expect(seedOrganization(table, 'demo', 60, quiet)).rejects.toThrow(
    /^Seeding stopped \(too much at once\)\..*admin index rebuild --organization demo\.$/,
  );
});
