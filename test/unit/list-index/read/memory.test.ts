/** A function's memory of its lists: which reads it saves, and that it never shows anything out of date. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { ListQuery } from '../../../../functions/domain/list-query.ts';
import { type IndexHead, noIndex } from '../../../../functions/testimonials/list-index/index-store.ts';
import { type KnownPage, ListMemory } from '../../../../functions/testimonials/list-index/read/memory.ts';
import { readUnderOneHead } from '../../../../functions/testimonials/list-index/read/one-head.ts';
import { planList } from '../../../../functions/testimonials/list-index/read/plan.ts';
import { listTestimonials } from '../../../../functions/testimonials/operations/list-testimonials.ts';
import { forgetAfterMs, settledMs } from '../../../../functions/timing.ts';
import { position } from '../../../position.ts';
import { markerOf, storedAt } from '../../../testimonials.ts';
import { interceptCalls } from '../../../world/backend.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { approved, approvedText, base, input, queries, taggedUx, withThree } from '../../../world/races.ts';
import { createWorld, type World } from '../../../world/world.ts';

const worldWithThree = async () => withThree(await createWorld(inMemoryBackend()));

/** The calls of a list in a function with a memory. */
async function callsOf(world: World, query: ListQuery, cache: ListMemory): Promise<string[]> {
  const calls: string[] = [];
  const stores = interceptCalls(world.backend, (name, call) => {
    // The items that one query reads.
    if (name !== 'changeMarkers' && name !== 'from') calls.push(name);
    return call();
  });
  expect(await world.list(query, { cache, stores })).toEqual(await world.expected(query));
  return calls.toSorted();
}

describe('a repeated list', () => {
  test.each(queries.map((query) => ({ query })))(
    'reads the recent items and its rows, and nothing of the index: $query',
    async ({ query }) => {
      const world = await worldWithThree();
      const memory = new ListMemory();
      await callsOf(world, query, memory);
      const again = await callsOf(world, query, memory);
      expect(again.filter((name) => !['findMany', 'walk'].includes(name))).toEqual(['readRecent']);
      expect(again.length).toBeLessThanOrEqual(2);
    },
  );

  test('for another page reads no posting twice', async () => {
    const world = await worldWithThree();
    const memory = new ListMemory();
    await callsOf(world, { ...taggedUx, limit: 1 }, memory);
    expect(await callsOf(world, { ...taggedUx, limit: 1, page: 2 }, memory)).toEqual([
      'findMany',
      'readRecent',
    ]);
  });

  test('is right after an index update whose markers are already deleted (rule 39)', async () => {
    // Each with a function of its own: the first list that meets the new head teaches the others.
    for (const query of queries) {
      const world = await worldWithThree();
      await world.erase(world.second.id);
      await world.settle();
      const { id } = await world.create(input);
      await world.settle();
      const memory = new ListMemory();
      for (const each of queries) await callsOf(world, each, memory);
      await world.setStatus(world.first.id, 'approved');
      await world.change(world.third.id, { addTags: ['more'], removeTags: ['ux'] });
      await world.erase(id);
      await world.settle();
      expect(await world.markers()).toEqual([]);
      await callsOf(world, query, memory);
    }
  });

  test('does not show postings that it read before an index update committed (rule 39)', async () => {
    const world = await worldWithThree();
    await world.setStatus(world.first.id, 'approved');
    world.advance(settledMs + 1000);
    for (const query of [
      { ...approvedText, limit: 1 },
      { ...taggedUx, filter: { ...taggedUx.filter, status: 'approved' as const } },
    ]) {
      const memory = new ListMemory();
      // It remembers no head, reads the index, and only then the recent items.
      const listing = await world.begin(world.works.list(query, { cache: memory })).runUntil('readRecent');
      await world.settle();
      await listing.run();
      await callsOf(world, query, memory);
    }
  });
});

test('the first list of a function reads the head, and then the recent items and the index once', async () => {
  const calls = await callsOf(await worldWithThree(), approvedText, new ListMemory());
  expect(calls.filter((name) => ['readHead', 'readRecent'].includes(name))).toEqual([
    'readHead',
    'readRecent',
  ]);
});

test('the same list again finds its page in the memory, reads its rows at once, and computes nothing from the index', async () => {
  const { backend } = await worldWithThree();
  const deps = { ...backend, memory: new ListMemory() };
  await listTestimonials(deps, 'acme', approvedText);
  const { knownPage, bitsOrCounts, rows } = await readUnderOneHead(deps, 'acme', planList(approvedText));
  expect(knownPage).toMatchObject({ total: 1 });
  expect(rows).toHaveLength(1);
  expect(bitsOrCounts).toBeUndefined();
});

test('a list of an organization that was created again, with as many head writes as before, shows nothing old (rule 39)', async () => {
  const world = await worldWithThree();
  const memory = new ListMemory();
  for (const query of queries) await callsOf(world, query, memory);
  const next = await createWorld(inMemoryBackend());
  await next.create(input);
  const head = await next.backend.index.replaceHead('acme', noIndex);
  const before = (await world.head())?.revision ?? 0;
  for (let revision = 1; revision < before; revision += 1) await next.replaceHead((each) => each);
  expect(await next.head()).toMatchObject({ revision: before });
  expect(head?.identity).not.toBe((await world.head())?.identity);
  for (const query of queries) await callsOf(next, query, memory);
});

test('a page found before the first head is not shown for a new organization without a head', async () => {
  const query: ListQuery = { ...base, filter: { rating: 5 } };
  const memory = new ListMemory();
  for (const ratings of [
    [5, 1],
    [2, 5],
  ]) {
    const world = await createWorld(inMemoryBackend());
    for (const rating of ratings) await world.create({ ...input, rating });
    expect(await world.list(query, { cache: memory })).toEqual(await world.expected(query));
  }
});

describe('a testimonial that changed', () => {
  test('is read once, by lists of any kind', async () => {
    const world = await worldWithThree();
    for (const { id } of [world.first, world.third]) await world.setStatus(id, 'approved');
    const memory = new ListMemory();
    await callsOf(world, approved, memory);
    for (const query of [approved, base, { ...base, filter: { type: 'text' as const }, page: 9 }]) {
      const rows = (await callsOf(world, query, memory)).filter((name) => name === 'findMany');
      expect(rows).toEqual([]);
    }
  });

  test('is read again until the change that its marker announces has been made (rule 40)', async () => {
    const world = await worldWithThree();
    const memory = new ListMemory();
    const change = await world
      .begin(world.works.setStatus(world.first.id, 'approved'))
      .runUntil('writeChange');
    await callsOf(world, approved, memory);
    await change.run();
    await callsOf(world, approved, memory);
  });

  /**
   * A world in which a testimonial was approved while an earlier change of it pauses before it puts its
   * marker.
   */
  async function worldWithLateMarker() {
    const world = await worldWithThree();
    const change = world.works.setStatus(world.first.id, 'rejected');
    const late = await world.begin(change).runUntil('putChangeMarkers');
    await world.setStatus(world.first.id, 'approved');
    return { world, memory: new ListMemory(), late };
  }

  test('is read again if a later change was indexed and forgotten, and an older marker arrives late (rule 40)', async () => {
    const { world, memory, late } = await worldWithLateMarker();
    await callsOf(world, approved, memory);
    await world.setStatus(world.first.id, 'rejected');
    await world.settle();
    expect(await world.markers()).toEqual([]);
    await late.run(1);
    expect(await world.markers()).toHaveLength(1);
    await callsOf(world, approved, memory);
    late.kill();
  });

  test('is read again after an index update that deleted its marker before it wrote the head (rule 40)', async () => {
    const { world, memory, late } = await worldWithLateMarker();
    await callsOf(world, approved, memory);
    await world.setStatus(world.first.id, 'rejected');
    // A step begins, is committed, and is seen: three writes of the head.
    world.advance(settledMs + 1000);
    await world.updateIndex();
    world.advance(forgetAfterMs);
    const forgetting = await world.begin(world.works.updateIndex()).runUntil('replaceHead');
    expect(await world.markers()).toEqual([]);
    forgetting.kill();
    await late.run(1);
    await callsOf(world, approved, memory);
    late.kill();
  });

  /** A list that gets the answers to one call only once that is let go. */
  const slowList = (world: World, memory: ListMemory, slowCall: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stores = interceptCalls(world.backend, async (name, call) => {
      const response = await call();
      if (name === slowCall) await promise;
      return response;
    });
    return { list: world.list(approved, { cache: memory, stores }), letGo: resolve };
  };

  test('is not kept by a list whose markers are older than those read last (rule 40)', async () => {
    const { world, memory, late } = await worldWithLateMarker();
    const slow = slowList(world, memory, 'findMany');
    await setImmediate();
    await world.setStatus(world.first.id, 'rejected');
    await world.settle();
    expect(await world.markers()).toEqual([]);
    await callsOf(world, approved, memory);
    await late.run(1);
    slow.letGo();
    expect(await slow.list).toEqual(await world.expected(approved));
    await callsOf(world, approved, memory);
    late.kill();
  });

  test.each([false, true])(
    'is read again if the marker of a later change was already covered when read, and an older marker arrives late; read twice: %s',
    async (isMetOnceMore) => {
      const { world, memory, late } = await worldWithLateMarker();
      await callsOf(world, approved, memory);
      await world.setStatus(world.first.id, 'rejected');
      world.advance(settledMs + 1000);
      // It has committed, and has not said yet since when the markers are covered.
      const update = await world.begin(world.works.updateIndex()).runUntil('replaceHead');
      for (let i = 0; i < 2; i += 1) {
        await update.run(1);
        await update.runUntil('replaceHead');
      }
      if (isMetOnceMore) {
        await callsOf(world, approved, memory);
        await update.run();
        await callsOf(world, approved, memory);
        world.advance(forgetAfterMs);
        await world.updateIndex();
        expect(await world.markers()).toEqual([]);
      }
      await late.run(1);
      await callsOf(world, approved, memory);
      late.kill();
    },
  );

  test('is read again by a list that read a marker of a newer change (rule 40)', async () => {
    const world = await worldWithThree();
    await world.setStatus(world.third.id, 'approved');
    const memory = new ListMemory();
    const first = slowList(world, memory, 'findMany');
    await setImmediate();
    await world.setStatus(world.third.id, 'rejected');
    const second = slowList(world, memory, 'readRecent');
    await setImmediate();
    first.letGo();
    await first.list;
    second.letGo();
    expect(await second.list).toEqual(await world.expected(approved));
  });

  test('and is then erased is not kept (rule 40)', async () => {
    const world = await worldWithThree();
    const memory = new ListMemory();
    await world.setStatus(world.third.id, 'approved');
    await callsOf(world, approved, memory);
    const ordinal = (await world.stored()).at(-1)?.ordinal ?? 0;
    const known = async () => {
      const head = (await world.head()) ?? noIndex;
      const marker = markerOf(position(9), ordinal, { version: 1 });
      const read = () => Promise.reject(new Error('It is known'));
      return memory.get('acme').changed(head, [marker], new Set([ordinal]), read);
    };
    expect(await known()).toMatchObject([{ testimonial: { id: world.third.id } }]);
    await world.erase(world.third.id);
    await callsOf(world, approved, memory);
    expect(await known()).toEqual([]);
    expect((await callsOf(world, { ...approved, page: 9 }, memory)).includes('findMany')).toBe(false);
    world.advance(forgetAfterMs);
    await world.settle();
    await callsOf(world, approved, memory);
  });
});

const head = { ...noIndex, revision: 1 };

describe('the memory of a function', () => {
  /** Lists something of this size, and returns whether it is kept. */
  const ask = (memory: ListMemory, organization: string, size: number) => {
    memory.get(organization).cache(head, new Map([['term', { value: 1, size }]]));
    memory.trim(organization);
    return has(memory, organization);
  };
  const has = (memory: ListMemory, organization: string) =>
    memory.get(organization).cached(head, 'term') !== undefined;

  test('is bounded for all organizations together, and forgets the least recently used ones', () => {
    // Each takes 2,000 more for its head.
    const memory = new ListMemory(20_000);
    for (const organization of ['a', 'b', 'c', 'd', 'a', 'e']) {
      ask(memory, organization, 2900);
      expect(memory.bytes).toBeLessThanOrEqual(20_000);
    }
    expect(['a', 'b'].map((organization) => has(memory, organization))).toEqual([true, false]);
  });

  test('is bounded for each organization at a quarter, so that one with many pages pushes out no other', () => {
    const memory = new ListMemory(100_000);
    expect(ask(memory, 'quiet', 5000)).toBe(true);
    expect(ask(memory, 'acme', 23_000)).toBe(true);
    expect(ask(memory, 'acme', 23_001)).toBe(false);
    for (let i = 0; i < 1000; i += 1) {
      memory.get('greedy').cache(head, new Map([[`term ${i}`, { value: i, size: 1000 }]]));
      memory.get('greedy').cachePage(head, `page ${i}`, page('x'.repeat(100)));
      memory.trim('greedy');
      expect(memory.bytes).toBeLessThanOrEqual(100_000);
    }
    expect(has(memory, 'quiet')).toBe(true);
  });

  test('is bounded after each list', async () => {
    const world = await worldWithThree();
    const memory = new ListMemory(10_000);
    for (const query of queries) await callsOf(world, query, memory);
    expect(memory.bytes).toBeGreaterThan(0);
    expect(memory.bytes).toBeLessThanOrEqual(10_000);
  });
});

const page = (text: string): KnownPage => ({
  ordinals: [1],
  rowRead: { by: 'ordinal', ordinals: [1] },
  total: 1,
  rowPlan: { by: 'ordinal' },
  unindexedState: text,
});

describe('the memory of an organization', () => {
  const marker = markerOf(position(9), position(1), { version: 1 });
  const changedOne = storedAt(position(1), { content: 'x'.repeat(1000) }, { version: 2 });

  /** A memory that has read a testimonial which a marker names. */
  async function memoryWithChanged() {
    const mine = new ListMemory().get('acme');
    const empty = mine.bytes;
    const reads: number[] = [];
    const ask = (now: IndexHead, markers = [marker]) =>
      mine.changed(now, markers, new Set(markers.map(({ ordinal }) => ordinal)), async (ordinals) => {
        reads.push(...ordinals);
        return [changedOne];
      });
    // Two lists at once.
    await Promise.all([ask(head), ask(head)]);
    reads.length = 1;
    expect(mine.bytes).toBe(empty + 1000 + 2 * 1000);
    expect(await ask({ ...head, revision: head.revision + 2 })).toEqual([changedOne]);
    expect(reads).toEqual([position(1)]);
    return { mine, empty, reads, ask };
  }

  test.each([
    ['the head was replaced three times since its markers were read', { revision: 6 }, [marker]],
    [
      'one of its markers announces a newer change',
      { revision: 3 },
      [marker, markerOf(position(10), position(1), { version: 2 })],
    ],
    ['the organization was removed and created again', { revision: 3, identity: 'another' }, [marker]],
  ])('reads a changed testimonial again if %s', async (_, now, markers) => {
    const { mine, reads, ask } = await memoryWithChanged();
    const before = mine.bytes;
    await ask({ ...head, ...now }, markers);
    expect(reads).toHaveLength(2);
    expect(mine.bytes).toBe(before);
  });

  test('forgets a changed testimonial that no marker names', async () => {
    const { mine, empty, reads, ask } = await memoryWithChanged();
    await ask({ ...head, revision: 3 }, []);
    expect(mine.bytes).toBe(empty);
    await ask({ ...head, revision: 3 });
    expect(reads).toHaveLength(2);
  });

  test('forgets everything above its share', async () => {
    const { mine, empty, reads, ask } = await memoryWithChanged();
    mine.cache(head, new Map([['term', { value: 1, size: 5000 }]]));
    mine.clear();
    expect(mine.bytes).toBe(empty);
    expect(mine.cached(head, 'term')).toBeUndefined();
    await ask({ ...head, revision: 3 });
    expect(reads).toHaveLength(2);
  });

  test('keeps what all lists have read under a head, each item once, and nothing else', () => {
    const mine = new ListMemory().get('acme');
    const empty = mine.bytes;
    mine.cachePage(head, 'page', page('beside'));
    expect(mine.bytes).toBe(empty);
    mine.cache(head, new Map([['one', { value: 'one', size: 100 }]]));
    for (const size of [5000, 7000]) mine.cache(head, new Map([['other', { value: 1, size }]]));
    expect(mine.cached(head, 'one')).toMatchObject({ value: 'one' });
    expect(mine.bytes).toBe(empty + 7100);
    mine.cachePage(head, 'page', page('beside'));
    const next = { ...head, revision: 2 };
    mine.cachePage(next, 'page', page('beside'));
    expect(mine.page(next, 'page')).toBeUndefined();
    mine.cache(next, new Map());
    expect(mine.bytes).toBe(empty);
    expect(mine.page(head, 'page')).toBeUndefined();
  });

  test('counts a page once, with all its texts and ordinals', () => {
    const mine = new ListMemory().get('acme');
    mine.cache(head, new Map());
    const added = (key: string, known: KnownPage) => {
      const before = mine.bytes;
      mine.cachePage(head, key, known);
      return mine.bytes - before;
    };
    const least = added('a', page(''));
    expect(least).toBeGreaterThan(1000);
    expect(added('a', page(''))).toBe(0);
    expect(added('b'.repeat(101), page(''))).toBe(least + 200);
    expect(added('c', page('x'.repeat(100)))).toBe(least + 200);
    expect(added('d', { ...page(''), ordinals: [1, 2, 3] })).toBe(least + 64);
  });
});
