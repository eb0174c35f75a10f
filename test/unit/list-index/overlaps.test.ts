/** Lists beside changes whose markers look settled although they were just put, after a pause or by wrong clocks, and their index update. */
import { expect, test } from '@jest/globals';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import { input as usual } from '../../testimonials.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { pausedList } from '../../world/races.ts';
import { createWorld } from '../../world/world.ts';

const input = { ...usual, tags: ['ux'] };
const query: ListQuery = {
  filter: { tags: ['ux'], type: 'text' },
  sort: 'updatedAt',
  order: 'desc',
  page: 1,
  limit: 10,
};

/** Indexes some testimonials; `taken` positions were taken before. */
async function worldWith(count: number, taken = 0) {
  const world = await createWorld(inMemoryBackend(), { taken });
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) ids.push((await world.create(input)).id);
  await world.settle();
  return { ...world, ids };
}

/** A change of the first, paused before its first call. */
const changeOf = ({ begin, works, ids }: Awaited<ReturnType<typeof worldWith>>, clockOffset = 0) =>
  begin(works.setStatus(ids[0] ?? '', 'approved'), clockOffset);

test('a change pauses for 12 s before it puts its marker: a list of 0 s lacks no row', async () => {
  const world = await worldWith(3);
  const change = await changeOf(world).runUntil('putChangeMarker');
  world.advance(12_000);
  const listing = await pausedList(world, query, 'readTerm'); // head, tail and markers are read: no marker is there
  await listing.run(1); // the postings of the first clause
  await change.run();
  await world.updateIndex();
  // The change concerns neither clause: before and after, three match.
  expect(await listing.end()).toMatchObject({ total: 3 });
});

test('clocks are 3 s off, and the change does not pause: a list of 6 s lacks no row', async () => {
  const world = await worldWith(3);
  const listing = await pausedList(world, query, 'readTerm');
  await listing.run(1);
  await changeOf(world, -3000).run();
  world.advance(6000);
  await world.begin(world.works.updateIndex(), 3000).run();
  expect(await listing.end()).toMatchObject({ total: 3 });
});

test.each([1, 2, 3, 4, 5, 6])(
  'a list by summaries counts and shows each testimonial once, if the change is made after %d calls',
  async (calls) => {
    // The last positions of a chunk: the change moves the testimonial to the next one.
    const world = await worldWith(5, 65_531);
    const change = await changeOf(world).runUntil('putChangeMarker');
    world.advance(12_000);
    const list = world.works.list({ ...query, filter: {} });
    const listing = await world.begin(list).run(calls);
    await change.run();
    await world.updateIndex();
    // Rows may show the change.
    await listing.run();
    expect(list.listed()).toMatchObject({ total: 5 });
    const { testimonials } = list.listed() as Awaited<ReturnType<typeof world.list>>; // of this very list
    expect(new Set(testimonials.map((each) => each.id)).size).toBe(5);
  },
);

test('a list that meets bits of the second step of an index update has seen its markers, too', async () => {
  const world = await worldWith(3);
  await world.setStatus(world.ids[1] ?? '', 'rejected');
  const change = await changeOf(world).runUntil('putChangeMarker');
  world.advance(12_000);
  // The first step has been committed, and the second has read nothing yet.
  const updateIndex = await world
    .begin(world.works.updateIndex({ limits: { places: 1 } }))
    .runUntil('replaceHead');
  await updateIndex.run(1);
  await updateIndex.runUntil('replaceHead');
  await updateIndex.run(1);
  const listing = await pausedList(world, query, 'readTerm');
  await listing.run(1);
  await change.run();
  await updateIndex.run();
  expect(await listing.end()).toMatchObject({ total: 3 });
});
