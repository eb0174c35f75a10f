import { expect, test } from '@jest/globals';
import type { Status } from '../../../../functions/domain/testimonial.ts';
import {
  type Changes,
  changeMatching,
  findMatching,
} from '../../../../lib/operator/moderation/change-matching.ts';
import { around } from '../../../world/backend.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { createWorld } from '../../../world/world.ts';

const input = (rating: number) => ({
  content: 'Amazing product',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text' as const,
  rating,
});

async function organizationWith(ratings: number[]) {
  const backend = inMemoryBackend();
  const world = await createWorld(backend);
  const ids: string[] = [];
  for (const rating of ratings) ids.push((await world.create(input(rating))).id);
  const statuses = async () => (await world.stored()).map(({ testimonial }) => testimonial.status);
  return { ...world, ids, statuses };
}

const approved = { filter: { rating: 4 }, change: { status: 'approved' } } as const;

test('finds what matches and is to be changed, by status, oldest first', async () => {
  const { backend, ids, setStatus } = await organizationWith([5, 1, 4, 5, 4, 5]);
  await setStatus(ids[3] ?? '', 'rejected');
  await setStatus(ids[4] ?? '', 'approved');
  const progress: [number, number][] = [];
  const found = await findMatching(backend, 'acme', approved, (...of) => progress.push(of));
  expect(found).toEqual([
    { status: 'pending', filter: { rating: 4, status: 'pending' }, ids: [ids[0], ids[2], ids[5]] },
    { status: 'rejected', filter: { rating: 4, status: 'rejected' }, ids: [ids[3]] },
  ]);
  expect(progress).toEqual([
    [3, 4],
    [4, 4],
  ]);
});

test.each([0, 1, 2, 3, 4])('passes over none when another decides before page %i is read', async (lists) => {
  const { backend, ids, setStatus } = await organizationWith([5, 5, 5, 5, 5, 5, 5]);
  let rest = lists;
  const stores = around(backend, async (name, call) => {
    if (name === 'readRecent') {
      rest -= 1;
      if (rest === -1) await setStatus(ids[0] ?? '', 'rejected');
    }
    return call();
  });
  const asked = { filter: { status: 'pending' }, change: { status: 'approved' } } as const;
  const [found] = await findMatching(stores, 'acme', asked, undefined, 2);
  const expected = ids.slice(1);
  expect(found?.ids.filter((id) => id !== ids[0])).toEqual(expected);
});

test('changes what still matches, and leaves alone what does not', async () => {
  const { backend, now, ids, setStatus, statuses } = await organizationWith([5, 5, 5]);
  const matching = await findMatching(backend, 'acme', approved);
  await setStatus(ids[1] ?? '', 'rejected');
  let changes: Changes | undefined;
  await changeMatching({ ...backend, now }, 'acme', { matching, change: { status: 'approved' } }, (each) => {
    changes = each;
  });
  expect(changes).toEqual({ changed: 2, leftAlone: 1, full: 0 });
  expect(await statuses()).toEqual(['approved', 'rejected', 'approved']);
});

test('after a failure nothing more is begun, what was begun is counted, and doing it again does the rest', async () => {
  const count = 100;
  const { backend, now, statuses } = await organizationWith(Array(count).fill(5));
  const matching = await findMatching(backend, 'acme', approved);
  let begun = 0;
  const failing = around(backend, async (name, call) => {
    if (name === 'find') begun += 1;
    if (name === 'find' && begun === 20) throw new Error('the table is gone');
    return call();
  });
  let changes: Changes = { changed: 0, leftAlone: 0, full: 0 };
  const change = (stores: typeof backend | typeof failing) =>
    changeMatching({ ...stores, now }, 'acme', { matching, change: { status: 'approved' } }, (each) => {
      changes = { ...each };
    });
  const inStatus = async (status: Status) => (await statuses()).filter((each) => each === status).length;
  await expect(change(failing)).rejects.toThrow('the table is gone');
  expect(begun).toBeLessThan(count);
  expect(await inStatus('approved')).toBe(changes.changed);
  expect(changes.leftAlone).toBe(0);
  await change(backend);
  expect(await inStatus('approved')).toBe(count);
});
