import { expect, test } from '@jest/globals';
import type { Status } from '../../../functions/domain/testimonial.ts';
import type { Tally } from '../../../functions/operations/attempts.ts';
import { changeEach } from '../../../functions/operations/change-testimonial.ts';
import { findMatching } from '../../../functions/operations/find-matching.ts';
import { input } from '../../testimonials.ts';
import { around } from '../../world/backend.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { createWorld } from '../../world/world.ts';

async function organizationWith(ratings: number[]) {
  const backend = inMemoryBackend();
  const world = await createWorld(backend);
  const ids: string[] = [];
  for (const rating of ratings) ids.push((await world.create({ ...input, rating })).id);
  const statuses = async () => (await world.stored()).map(({ testimonial }) => testimonial.status);
  return { ...world, ids, statuses };
}

const change = { status: 'approved' } as const;
const approved = { filter: { rating: 4 }, change };

test('finds what matches and is to be changed, by status, oldest first', async () => {
  const { backend, ids, setStatus } = await organizationWith([5, 1, 4, 5, 4, 5]);
  await setStatus(ids[3] ?? '', 'rejected');
  await setStatus(ids[4] ?? '', 'approved');
  const progress: [number, number][] = [];
  const found = await findMatching(backend, 'acme', approved, (...of) => progress.push(of));
  expect(found.map(({ id, status }) => [id, status])).toEqual([
    ...[0, 2, 5].map((n) => [ids[n], 'pending']),
    [ids[3], 'rejected'],
  ]);
  expect(progress).toEqual([
    [3, 4],
    [4, 4],
  ]);
});

test('with tags, also those are found that have the status already', async () => {
  const { backend, ids, setStatus } = await organizationWith([5, 5]);
  await setStatus(ids[0] ?? '', 'approved');
  const found = await findMatching(backend, 'acme', {
    filter: {},
    change: { status: 'approved', addTags: ['featured'] },
  });
  expect(found.map(({ id }) => id)).toEqual([ids[1], ids[0]]);
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
  const asked = { filter: { status: 'pending' }, change } as const;
  const found = await findMatching(stores, 'acme', asked, undefined, 2);
  expect(found.map(({ id }) => id).filter((id) => id !== ids[0])).toEqual(ids.slice(1));
});

test('after a failure nothing more is begun, what was begun is counted, and doing it again does the rest', async () => {
  const count = 100;
  const { backend, now, statuses } = await organizationWith(Array(count).fill(5));
  const matching = await findMatching(backend, 'acme', approved);
  let begun = 0;
  const failing = around(backend, async (name, call) => {
    if (name === 'replace') begun += 1;
    if (name === 'replace' && begun === 20) throw new Error('the table is gone');
    return call();
  });
  let told: Tally | undefined;
  const changeAll = (stores: typeof backend | typeof failing) =>
    changeEach({ ...stores, now }, 'acme', matching, change, {
      progress: (tally) => {
        told = tally;
      },
    });
  const inStatus = async (status: Status) => (await statuses()).filter((each) => each === status).length;
  await expect(changeAll(failing)).rejects.toThrow('the table is gone');
  expect(begun).toBeLessThan(count);
  expect(told?.done).toHaveLength(await inStatus('approved'));
  expect(told?.conflict).toEqual([]);
  await changeAll(backend);
  expect(await inStatus('approved')).toBe(count);
});
