import { expect, test } from '@jest/globals';
import {
  changeStatus,
  findTestimonial,
  TestimonialNotFound,
} from '../../../functions/domain/change-status.ts';
import { createTestimonial } from '../../../functions/domain/create-testimonial.ts';
import { statuses } from '../../../functions/domain/testimonial.ts';
import { type InMemoryStores, inMemoryStores } from '../../in-memory-stores.ts';

const start = Date.parse('2026-01-15T10:30:00.000Z');
const input = {
  content: 'Amazing product',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text' as const,
};

async function storesWithOne(): Promise<{ stores: InMemoryStores; id: string }> {
  const stores = inMemoryStores();
  const deps = { ...stores, now: () => new Date(start), randomInt: () => 123_456_789_012 };
  const { testimonial } = await createTestimonial(deps, { organization: 'acme', input });
  stores.writes.length = 0;
  return { stores, id: testimonial.id };
}

const at = (stores: InMemoryStores, afterMs: number) => ({
  testimonials: stores.testimonials,
  now: () => new Date(start + afterMs),
});

test('sets the status and the time of the update and changes nothing else', async () => {
  const { stores, id } = await storesWithOne();
  const [before] = stores.stored('acme');
  const changed = await changeStatus(at(stores, 5000), 'acme', id, 'approved');
  expect(changed).toEqual({ ...before, status: 'approved', updatedAt: '2026-01-15T10:30:05.000Z' });
  expect(stores.stored('acme')).toEqual([changed]);
});

test('announces the change before it is made', async () => {
  const { stores, id } = await storesWithOne();
  await changeStatus(at(stores, 5000), 'acme', id, 'approved');
  expect(stores.writes).toEqual(['markChange', 'replaceStatus']);
});

test('a change that took longer than announcements live is announced again, by the time it ended', async () => {
  const { stores, id } = await storesWithOne();
  const clock = { afterMs: 0 };
  const testimonials = {
    ...stores.testimonials,
    replaceStatus: (...args: Parameters<typeof stores.testimonials.replaceStatus>) => {
      clock.afterMs += 10_001;
      return stores.testimonials.replaceStatus(...args);
    },
  };
  await changeStatus({ testimonials, now: () => new Date(start + clock.afterMs) }, 'acme', id, 'approved');
  expect(stores.writes).toEqual(['markChange', 'replaceStatus', 'markChange']);
  expect(await stores.testimonials.announcedChanges('acme')).toEqual([
    { ordinal: 1, time: new Date(start), kind: 'status' },
    { ordinal: 1, time: new Date(start + 10_001), kind: 'status' },
  ]);
});

test('any status may follow any other', async () => {
  const { stores, id } = await storesWithOne();
  for (const from of statuses) {
    for (const to of statuses) {
      await changeStatus(at(stores, 0), 'acme', id, from);
      expect((await changeStatus(at(stores, 0), 'acme', id, to)).status).toBe(to);
    }
  }
});

test.each([0, -60_000])('moves updatedAt forward when the clock is %d ms behind', async (behind) => {
  const { stores, id } = await storesWithOne();
  const first = await changeStatus(at(stores, behind), 'acme', id, 'approved');
  const second = await changeStatus(at(stores, behind), 'acme', id, 'rejected');
  expect([first.updatedAt, second.updatedAt]).toEqual([
    '2026-01-15T10:30:00.001Z',
    '2026-01-15T10:30:00.002Z',
  ]);
});

test('concurrent changes are all made, one after the other', async () => {
  const { stores, id } = await storesWithOne();
  const changes = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      changeStatus(at(stores, 0), 'acme', id, n % 2 ? 'approved' : 'rejected'),
    ),
  );
  expect(new Set(changes.map(({ updatedAt }) => updatedAt)).size).toBe(10);
  const newest = changes.toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1)).at(-1);
  expect(stores.stored('acme')).toEqual([newest]);
});

test.each([
  ['a malformed id', () => 'nonsense'],
  ['an ordinal that does not exist', () => 'test_1234567890122'],
  ['the right ordinal with other random digits', () => 'test_9999999999991'],
])('finds nothing by %s and writes nothing', async (_, id) => {
  const { stores } = await storesWithOne();
  await expect(changeStatus(at(stores, 0), 'acme', id(), 'approved')).rejects.toThrow(TestimonialNotFound);
  expect(stores.writes).toEqual([]);
});

test('an organization cannot reach the testimonial of another', async () => {
  const { stores, id } = await storesWithOne();
  await expect(findTestimonial(stores.testimonials, 'other', id)).rejects.toThrow(TestimonialNotFound);
  expect(await findTestimonial(stores.testimonials, 'acme', id)).toMatchObject({ id });
});
