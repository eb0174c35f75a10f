import { expect, test } from '@jest/globals';
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { renewalStore } from '../../functions/persistence/dynamodb-renewal-store.ts';
import { createTestTable } from '../test-table.ts';

const now = new Date('2026-01-15T10:00:00.000Z');

test('a renewal walks the organizations in order, from where it stands', async () => {
  const table = await createTestTable();
  for (const name of ['corp', 'acme', '0-first', 'beta']) await organizationStore(table).add(name);
  const { organizations } = renewalStore(table);
  expect(await Array.fromAsync(organizations(''))).toEqual(['0-first', 'acme', 'beta', 'corp']);
  expect(await Array.fromAsync(organizations('beta'))).toEqual(['beta', 'corp']);
});

test('a renewal goes on and ends, unless another has taken its place', async () => {
  const store = renewalStore(await createTestTable());
  expect(await store.read()).toBeUndefined();
  await store.begin(now);
  const first = await store.read();
  if (!first) throw new Error('Nothing was begun');
  await store.goOn(first, 'beta', now);
  expect(await store.read()).toEqual({ id: first.id, from: 'beta' });
  await store.begin(now);
  await store.goOn(first, 'corp', now);
  await store.end(first);
  const second = await store.read();
  expect(second).toMatchObject({ from: '' });
  expect(second?.id).not.toBe(first.id);
  if (second) await store.end(second);
  expect(await store.read()).toBeUndefined();
});
