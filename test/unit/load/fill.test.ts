import { describe, expect, test } from '@jest/globals';
import { loadsOn } from '../../../functions/testimonials/loads.ts';
import { generateLines } from '../../../lib/operator/sample-data/generate-testimonials.ts';
import { position } from '../../position.ts';
import { input } from '../../testimonials.ts';
import { createImportWorld } from '../../world/import-world.ts';

/** Returns an organization, and a function to seed it. */
async function organization() {
  const world = await createImportWorld();
  const { importDependencies } = world;
  const seed = (count: number) =>
    loadsOn(importDependencies)('acme').fill(
      count,
      (start) => generateLines(count, start),
      importDependencies,
    );
  return { ...world, seed };
}

test('a seed adds to earlier testimonials, in both orders and indexed, and reports its progress', async () => {
  const { seed, create, advance, stored, head, differences, steps } = await organization();
  await seed(60);
  advance(60_000);
  await create(input);
  await seed(40);

  const all = await stored();
  expect(all).toHaveLength(101);
  expect(all.map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 101 }, (_, i) => position(i + 1)));
  const created = all.map(({ testimonial }) => testimonial.createdAt);
  expect(created).toEqual(created.toSorted());
  const updated = all
    .toSorted((a, b) => a.updateOrdinal - b.updateOrdinal)
    .map(({ testimonial }) => testimonial.updatedAt);
  expect(updated).toEqual(updated.toSorted());
  expect(new Set(all.map(({ testimonial: { id } }) => id)).size).toBe(101);
  expect(await head()).toMatchObject({ indexed: position(102) });
  expect(await differences()).toEqual([]);
  expect(steps).toContain('40 of 40 stored');
  expect(steps.at(-1)).toBe('40 of 40 indexed');
});

test('an index update during a seed costs a position, but no testimonial', async () => {
  const { seed, backend, create, updateIndex, stored, differences, advance } = await organization();
  const { testimonials } = backend;
  const { insert } = testimonials;
  let inserts = 0;
  testimonials.insert = async (...args) => {
    inserts += 1;
    // A pause so long that the index seals the positions of the seed.
    if (inserts === 5) {
      advance(60_000);
      await create(input);
      advance(60_000);
      await updateIndex();
    }
    return insert(...args);
  };
  await seed(20);
  const all = await stored();
  expect(all.filter(({ testimonial }) => testimonial.tags)).toHaveLength(20);
  const created = all.map(({ testimonial }) => testimonial.createdAt);
  expect(created).toEqual(created.toSorted());
  expect(await differences()).toEqual([]);
});

describe('a first seed that fails', () => {
  const query = { filter: {}, sort: 'createdAt', order: 'desc', page: 1, limit: 100 } as const;

  /** Fails after 30 testimonials. */
  async function failed() {
    const world = await organization();
    const { testimonials } = world.backend;
    const { insert } = testimonials;
    testimonials.insert = (organization, stored) =>
      stored.ordinal > position(30) ? Promise.reject(new Error('gone')) : insert(organization, stored);
    await expect(world.seed(60)).rejects.toThrow('gone');
    testimonials.insert = insert;
    expect(await world.list(query)).toEqual({ testimonials: [], total: 0 });
    expect(await world.head()).toMatchObject({ load: expect.any(String) });
    return world;
  }

  test.each([
    ['repeated, shows each testimonial once', 60, 60],
    ['and another seed show the testimonials of both', 10, 40],
  ])('shows nothing; %s', async (_, count, total) => {
    const { seed, list, expected, differences } = await failed();
    await seed(count);
    expect(await list(query)).toEqual(await expected(query));
    expect((await list(query)).total).toBe(total);
    expect(await differences()).toEqual([]);
  });
});
