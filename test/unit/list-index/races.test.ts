/**
 * The races of the list engine, one in each test. A test pauses a process before a call, and moves its own
 * clock.
 */

import { describe, expect, test } from '@jest/globals';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import { ordinalOf } from '../../../functions/domain/testimonial-id.ts';
import { partitions } from '../../../functions/testimonials/list-index/index-terms.ts';
import { updateIndex, wholeTail } from '../../../functions/testimonials/list-index/write/update-index.ts';
import { verifyIndex } from '../../../functions/testimonials/list-index/write/verify.ts';
import {
  clockErrorMs,
  forgetAfterMs,
  rebuildLeaseMs,
  requestTimeoutMs,
  settledMs,
} from '../../../functions/timing.ts';
import { position } from '../../position.ts';
import { type InMemoryBackend, inMemoryBackend } from '../../world/in-memory-backend.ts';
import { Process } from '../../world/process.ts';
import {
  approved,
  approvedAmazing,
  base,
  expectNoZebra,
  expectRightForGood,
  expectRightLists,
  input,
  pausedList,
  pausedUpdate,
  pending,
  queries,
  rememberedHead,
  storesWith,
  withThree,
  zebra,
  zebras,
} from '../../world/races.ts';
import { type LateTry, withTries } from '../../world/tries.ts';
import { createWorld, otherTerms } from '../../world/world.ts';

const textOf = async (backend: InMemoryBackend) => backend.text();
const hourMs = 3_600_000;

/** A rebuild in one step. */
const oneStep = { postings: Number.POSITIVE_INFINITY, bits: Number.POSITIVE_INFINITY };

const newWorld = async () => createWorld(inMemoryBackend());
const worldWithThree = async () => withThree(await newWorld());

/** Returns a world with three testimonials, and the id of a fourth that is not indexed yet. */
async function worldWithZebra() {
  const backend = inMemoryBackend();
  const world = await withThree(await createWorld(backend));
  const { id } = await world.create(zebra);
  return { world, id, text: () => backend.text() };
}
type WithZebra = Awaited<ReturnType<typeof worldWithZebra>>;

/** Plays the erasure of that testimonial, after which no word of it may be left. */
const leavesNoWord = (although: string, play: (world: WithZebra) => Promise<void>) =>
  test(although, async () => {
    const withZebra = await worldWithZebra();
    const { world, text } = withZebra;
    await play(withZebra);
    await world.settleForGood();
    expect(await world.differences()).toEqual([]);
    for (const word of ['zebra', 'striped', '=ze']) expect(text()).not.toContain(word);
    await expectRightLists(world);
  });

/** Plays a race next to three testimonials. Afterwards every list and the index must be right. */
const race = (name: string, play: (world: Awaited<ReturnType<typeof worldWithThree>>) => Promise<void>) =>
  test(name, async () => {
    const world = await worldWithThree();
    await play(world);
    await expectRightForGood(world);
  });

describe('a list', () => {
  test.each(['readRecent', 'readPostings'])(
    'is right if it calls %s after an index update and everything else before (rule 16)',
    async (late) => {
      const world = await worldWithThree();
      await world.setStatus(world.first.id, 'approved');
      await world.setStatus(world.second.id, 'rejected');
      world.advance(settledMs + 1000);
      const listing = await pausedList(world, approved, late);
      expect(await world.updateIndex()).toMatchObject({ changes: 2 });
      // The longest life of a list, and then the next index update.
      world.advance(requestTimeoutMs);
      await world.updateIndex();
      expect(await listing.end()).toEqual(await world.expected(approved));
    },
  );

  test('passes over a covered change, and finds it in the postings', async () => {
    const world = await worldWithThree();
    await world.setStatus(world.first.id, 'approved');
    await world.updateSettled();
    expect(await world.markers()).toHaveLength(1);
    const reader = world.begin(world.works.list(approvedAmazing, { cache: 'warm' }));
    await reader.run();
    // No testimonial is read again for its marker.
    expect(reader.calls.filter((name) => name === 'findMany')).toHaveLength(1);
    await expectRightLists(world);
  });

  test('does not show a testimonial as approved if it is rejected between select and read (rule 19)', async () => {
    const world = await worldWithThree();
    const listing = await pausedList(world, approvedAmazing, 'findMany');
    await world.setStatus(world.second.id, 'rejected');
    expect(await listing.end()).toMatchObject({ testimonials: [] });
  });

  race('counts a testimonial once if a change is made after it was read (rule 17)', async (world) => {
    // This change is announced and never made: lists and the next index update read the testimonial because
    // of it.
    const dead = await world.begin(world.works.setStatus(world.first.id, 'approved')).runUntil('writeChange');
    dead.kill();
    world.advance(settledMs + 1000);
    const texts: ListQuery = { ...base, filter: { type: 'text' }, sort: 'updatedAt' };
    const listing = await pausedList(world, texts, 'readPostings');
    await world.setStatus(world.first.id, 'rejected');
    await world.updateIndex();
    expect(await listing.end()).toMatchObject({ total: 3 });
  });

  race('of whole testimonials finds masked texts, also with an older head (rule 38)', async (world) => {
    const old = await rememberedHead(world);
    const masked: ListQuery[] = [
      { ...base, filter: { search: 'bob' } },
      { ...base, filter: { search: 'bo' } },
      { ...base, filter: { tags: ['bob@shop.test'] }, sort: 'updatedAt' },
    ];
    const { id } = await world.create({
      ...input,
      content: 'Ask bob@shop.test, he knows it',
      tags: ['bob@shop.test'],
    });
    const expectFound = async (ids: string[]) => {
      for (const query of masked) {
        for (const cache of [new Map(), new Map(old)]) {
          const found = await world.list(query, { cache });
          expect(found.testimonials.map((each) => each.id)).toEqual(ids);
          expect(await world.list({ ...query, view: 'published' }, { cache })).toEqual({
            testimonials: [],
            total: 0,
          });
        }
      }
    };
    await expectFound([id]);
    await world.settle();
    expect(await world.head()).toMatchObject({ hasHidden: true });
    await expectFound([id]);
    await world.rebuild();
    expect(await world.head()).toMatchObject({ generation: 2, hasHidden: true });
    await expectFound([id]);
    await world.erase(id);
    await world.settle();
    await expectFound([]);
  });
});

describe('a create', () => {
  const late = { ...input, content: 'Late, but amazing' };

  test.each(['an index update', 'a rebuild'] as const)(
    'that pauses before it stores while %s passes its position takes another position, once (rule 2) (rule 22)',
    async (passing) => {
      const world = await worldWithThree();
      const creating = await world.begin(world.works.create(late)).runUntil('insert');
      const after = await world.create(input);
      world.advance(settledMs + 1000);
      if (passing === 'a rebuild') await world.rebuild();
      await world.updateIndex();
      expect((await world.head())?.indexed).toBe(ordinalOf(after.id) + 1);
      world.advance(hourMs);
      await creating.run();
      const [newest] = (await world.stored()).slice(-1);
      expect(newest).toMatchObject({
        ordinal: ordinalOf(after.id) + 1,
        testimonial: { content: late.content },
      });
      expect((await world.list(base)).total).toBe(5);
      await expectRightForGood(world);
    },
  );
});

describe('a change of status', () => {
  test.each(['putChangeMarkers', 'writeChange'])(
    'that pauses before %s for any time, while index updates cover and delete its marker, shows in every list (rule 4)',
    async (step) => {
      const world = await worldWithThree();
      const changing = await world.begin(world.works.setStatus(world.first.id, 'approved')).runUntil(step);
      await world.settle();
      world.advance(24 * hourMs);
      await world.settle();
      expect(await world.markers()).toEqual([]);
      await changing.run();
      await expectRightForGood(world);
      expect((await world.stored())[0]?.testimonial.status).toBe('approved');
    },
  );
});

describe('an index update', () => {
  race(
    'that pauses before it reads postings does not undo a newer one, and stops (rule 8)',
    async (world) => {
      await world.setStatus(world.first.id, 'approved');
      // The index update has read the row as approved, and no posting.
      const stalled = await pausedUpdate(world, 'readPostings');
      await world.setStatus(world.first.id, 'rejected');
      await world.settle();
      const before = (await world.head())?.revision;
      await stalled.run();
      expect((await world.head())?.revision).toBe(before);
    },
  );

  race('that finds every bit right still fences off an earlier index update (rule 9)', async (world) => {
    await world.setStatus(world.first.id, 'approved');
    // The index update has read the first one as approved, and is about to write that.
    const stalled = await pausedUpdate(world, 'writePosting');
    await world.setStatus(world.first.id, 'pending');
    world.advance(settledMs + 1000);
    // The postings have it as pending already.
    expect(await world.updateIndex()).toMatchObject({ changes: 2 });
    await stalled.run();
  });

  race('that died between its postings and its commit is repaired by the next (rule 6)', async (world) => {
    const fourth = await world.create({ ...input, tags: ['ux', 'draft'] });
    await world.change(world.first.id, { status: 'approved', addTags: ['draft'], removeTags: [] });
    const dying = await pausedUpdate(world, 'writePosting', 'replaceHead');
    dying.kill();
    // Its bits are no longer true.
    for (const { id } of [fourth, world.first]) {
      await world.change(id, { status: 'rejected', addTags: ['ux'], removeTags: ['draft'] });
    }
    await world.settle();
    for (const sort of ['createdAt', 'updatedAt'] as const) {
      const draft: ListQuery = { ...base, sort, filter: { tags: ['draft'] } };
      expect(await world.list(draft)).toEqual({ testimonials: [], total: 0 });
    }
  });

  race('that pauses long before its commit keeps its markers for earlier lists (rule 15)', async (world) => {
    await world.setStatus(world.first.id, 'approved');
    const slow = await pausedUpdate(world, 'writePosting', 'replaceHead');
    world.advance(hourMs);
    const listing = await pausedList(world, approved, 'readRecent');
    // The index update commits, and another one follows at once.
    await slow.run();
    await world.updateIndex();
    expect(await world.markers()).toHaveLength(1);
    expect(await listing.end()).toEqual(await world.expected(approved));
  });

  race(
    'deletes markers only when no earlier list can still be running, by any two clocks (rule 15)',
    async (world) => {
      await world.setStatus(world.first.id, 'approved');
      world.advance(settledMs + 1000 + clockErrorMs);
      // One clock is as far behind as it can be, the next as far ahead.
      await world.begin(world.works.updateIndex(), -clockErrorMs).run();
      world.advance(requestTimeoutMs - 1);
      await world.begin(world.works.updateIndex(), clockErrorMs).run();
      expect(await world.markers()).toHaveLength(1);
      world.advance(forgetAfterMs + clockErrorMs);
      await world.updateIndex();
      expect(await world.markers()).toEqual([]);
    },
  );

  test('skips unsettled items, and reports their age (rule 5)', async () => {
    const world = await worldWithThree();
    await world.create(input);
    await world.setStatus(world.first.id, 'approved');
    world.advance(settledMs - 1);
    expect(await world.updateIndex()).toMatchObject({ steps: 0, hasMore: true, lagMs: settledMs - 1 });
    world.advance(1);
    expect(await world.updateIndex()).toMatchObject({ testimonials: 1, changes: 1, lagMs: 0 });
  });
});

describe('a secondary index', () => {
  test('that still has a rejected testimonial as approved, and returns each row twice, changes no list by status (rule 19)', async () => {
    const world = await worldWithThree();
    const stores = storesWith(world, {
      async *walk(...args) {
        for await (const page of frozen.testimonials.walk(...args)) yield [...page, ...page];
      },
    });
    const frozen = (world.backend as InMemoryBackend).clone();
    await world.setStatus(world.second.id, 'rejected');
    for (const _ of ['unindexed', 'indexed']) {
      for (const query of [approved, pending]) {
        expect(await world.list(query, { stores })).toEqual(await world.expected(query));
      }
      await world.updateSettled();
    }
  });

  test.each(['createdAt', 'updatedAt', 'rating'] as const)(
    'by %s that lags for long leaves no page short (rule 19)',
    async (sort) => {
      const world = await newWorld();
      for (let i = 0; i < 10; i += 1) await world.create({ ...input, rating: 1 + (i % 5) });
      await world.settle();
      const { walk } = world.backend.testimonials;
      const stores = storesWith(world, {
        // The secondary index has the first half.
        async *walk(...args) {
          for await (const page of walk(...args)) yield page.filter(({ ordinal }) => ordinal <= 5);
        },
      });
      const query: ListQuery = { ...base, sort };
      expect(await world.list(query, { stores })).toEqual(await world.expected(query));
    },
  );
});

describe('a rebuild', () => {
  race(
    'keeps the markers of changes that are indexed meanwhile, for an index update after it (rule 23)',
    async (world) => {
      // All rows have been read.
      const rebuilding = await world.begin(world.works.rebuild()).runUntil('writePosting');
      await world.setStatus(world.first.id, 'approved');
      const fourth = await world.create(input);
      expect(await world.updateSettled()).toMatchObject({ changes: 1 });
      world.advance(forgetAfterMs);
      await world.updateIndex();
      expect(await world.markers()).toHaveLength(1);
      await expectRightLists(world);

      await rebuilding.run();
      expect(await world.head()).toMatchObject({ generation: 2, covered: [] });
      await expectRightLists(world);
      await world.settle();
      expect((await world.list(base)).testimonials.map(({ id }) => id)).toContain(fourth.id);
      await world.removeOldGenerations();
      expect(await world.markers()).toEqual([]);
    },
  );

  test('leaves lists with an old head right, even after the old postings are deleted (rule 16)', async () => {
    const world = await worldWithThree();
    const old = await rememberedHead(world);
    await world.rebuild();
    await expectRightLists(world, old);
    await world.removeOldGenerations();
    for (const query of queries) {
      const cache = new Map(old);
      expect(await world.list(query, { cache })).toEqual(await world.expected(query));
      expect(cache.get('acme')).toMatchObject({ generation: 2 });
    }
  });

  race(
    'that is taken over, finished and followed by another one writes nothing afterwards (rule 21) (rule 24)',
    async (world) => {
      // The rebuild has read the first testimonial as pending.
      const sleeper = await world.begin(world.works.rebuild()).runUntil('writePosting');
      await world.setStatus(world.first.id, 'approved');
      world.advance(rebuildLeaseMs);
      await world.settle();
      expect(await world.markers()).toEqual([]);
      await world.rebuild();
      const head = await world.head();
      await sleeper.run();
      expect(await world.head()).toEqual(head);
    },
  );

  race(
    'that pauses before its switch does not switch while another process continues it (rule 24)',
    async (world) => {
      const sleeper = world.begin(world.works.rebuild());
      while ((await world.head())?.building?.indexed !== position(4)) await sleeper.run(1);
      await (await sleeper.runUntil('replaceSummary')).runUntil('replaceHead');
      const { id } = await world.create(input);
      world.advance(rebuildLeaseMs + 1);
      // `until`: it continues no rebuild.
      const onlySteps = { ...wholeTail, until: 0 };
      expect(await updateIndex({ ...world.backend, now: world.now }, 'acme', onlySteps)).toMatchObject({
        testimonials: 1,
      });
      // The other process has read the new testimonial as pending.
      const other = await world.begin(world.works.rebuild()).runUntil('writePosting');
      await world.setStatus(id, 'approved');
      await sleeper.run();
      expect(await world.head()).toMatchObject({ generation: 1, building: { generation: 2 } });
      await world.updateSettled();
      await other.run();
    },
  );

  test('that a newer version did not finish before it was rolled back is abandoned, so that erasures end (rule 37)', async () => {
    const backend = inMemoryBackend();
    const world = await withThree(await createWorld(backend));
    await world.leaveRebuild(otherTerms.newer, 20);
    const left = (await world.head())?.building;
    expect(left).toMatchObject({ generation: 2, terms: otherTerms.newer });
    await world.erase(world.third.id);
    // A newer version may still continue it.
    world.advance(rebuildLeaseMs - 1);
    await world.updateIndex();
    expect((await world.head())?.building).toEqual(left);
    expect(await world.markers()).toHaveLength(1);
    world.advance(1);
    await world.settle();
    expect(await world.head()).toMatchObject({ generation: 3 });
    expect(await world.head()).not.toHaveProperty('building');
    expect(await world.markers()).toEqual([]);
    expect(await textOf(backend)).not.toContain('terrible');
    expect((await verifyIndex({ ...backend, now: world.now }, 'acme', () => {})).otherGenerations).toBe(0);
    await expectRightForGood(world);
  });

  test('requests an index update, and leaves no posting of the generation before (rule 31)', async () => {
    const backend = inMemoryBackend();
    const { index } = backend;
    const world = await withThree(await createWorld(backend));
    await world.rebuild();
    expect(backend.requests).toEqual(['acme']);
    await world.removeOldGenerations();
    const left = await Promise.all(partitions.map((each) => index.hasPostings('acme', 1, each)));
    expect(left).not.toContain(true);
  });
});

describe('an erasure', () => {
  test('of a testimonial that a late index update writes again is right, and its words are removed again (rule 30)', async () => {
    const { world, id, text } = await worldWithZebra();
    const late = await pausedUpdate(world, 'writePosting');
    await world.settle();
    const heads = await rememberedHead(world);
    await world.erase(id);
    await world.settle();
    expect(await world.differences()).toEqual([]);
    await late.run();
    await expectNoZebra(world);
    await expectNoZebra(world, heads);
    await expectRightLists(world);
    expect(text()).toContain('zebra');
    await world.settle();
    expect(await world.differences()).toEqual([]);
    expect(text()).not.toContain('zebra');
    // Lists read no more of a new index, in which nothing was deleted.
    await world.rebuild();
    expect(await world.head()).not.toHaveProperty('hasErased');
    await expectNoZebra(world);
  });

  race('of a testimonial that an index update counted before it died is right (rule 28)', async (world) => {
    const { id } = await world.create(zebra);
    const dead = await pausedUpdate(world, 'writePosting', 'replaceHead');
    dead.kill();
    await world.erase(id);
    await expectNoZebra(world);
  });

  test.each(['in the index', 'in the tail'])(
    'that is made while an index update seals the testimonial, %s, is indexed with all its words',
    async (where) => {
      const world = await worldWithThree();
      // After an erasure, searches do not rely on words alone.
      await world.erase((await world.create(zebra)).id);
      await world.settle();
      const { id } = await world.create(zebra);
      if (where === 'in the index') await world.settle();
      const eraser = await world.begin(world.works.erase(id)).runUntil('erase');
      const updateIndex = await pausedUpdate(world, 'sealVersion');
      await eraser.run();
      await updateIndex.run();
      await expectNoZebra(world);
      await expectRightForGood(world);
    },
  );

  race(
    'that comes after an index update has read the markers and before it reads the testimonial clears its tags at all positions (rule 27)',
    async (world) => {
      // Another testimonial also has the tag.
      await world.create(zebra);
      const { id } = await world.create(zebra);
      await world.settle();
      await world.setStatus(id, 'approved');
      const updateIndex = await pausedUpdate(world, 'findMany');
      await world.erase(id);
      await updateIndex.run();
      for (const query of zebras) expect(await world.list(query)).toEqual(await world.expected(query));
    },
  );

  race(
    'before a change that was on its way leaves no permanent marker, although other testimonials keep changing (rule 27)',
    async (world) => {
      const { id } = await world.create(zebra);
      await world.settle();
      const changing = await world.begin(world.works.setStatus(id, 'approved')).runUntil('putChangeMarkers');
      await world.erase(id);
      await world.settle();
      await changing.run();
      expect(await world.markers()).toHaveLength(1);
      world.advance(settledMs + 1000);
      await world.setStatus(world.first.id, 'approved');
      expect(await world.updateIndex()).toMatchObject({ changes: 1 });
    },
  );

  test('that ends before a late rebuild wakes up shows in no list, and its words are removed again', async () => {
    const backend = inMemoryBackend();
    const world = await createWorld(backend);
    await world.create(input);
    const { id } = await world.create(zebra);
    await world.settle();
    const rebuilding = await world.begin(world.works.rebuild()).runUntil('writePosting');
    await world.erase(id);
    world.advance(rebuildLeaseMs);
    await world.settle();
    await world.removeOldGenerations();
    expect(backend.text()).not.toContain('zebra');
    await rebuilding.run();
    for (const query of zebras) expect((await world.list(query)).total).toBe(0);
    await expectRightLists(world);
    expect(backend.text()).toContain('zebra');
    await world.settle();
    expect(backend.text()).not.toContain('zebra');
    await expectRightForGood(world);
  });

  race(
    'that pauses before it deletes a word takes no other testimonial out of it (rule 29)',
    async (world) => {
      const { id } = await world.create(zebra);
      await world.settle();
      await world.erase(id);
      const late = await pausedUpdate(world, 'deletePosting');
      await world.settle();
      await world.create(zebra);
      await world.settle();
      await late.run();
      for (const query of zebras) expect((await world.list(query)).total).toBe(1);
    },
  );
});

describe('an erasure leaves no word, although', () => {
  leavesNoWord(
    'an index update takes several times as long as it needs to settle (rule 46)',
    async ({ world, id }) => {
      const slow = await pausedUpdate(world, 'writePosting');
      await slow.run(2);
      await world.erase(id);
      await world.setStatus(world.first.id, 'approved');
      world.advance(settledMs + 500);
      // It finds no word yet, and keeps the texts.
      await world.updateIndex();
      await slow.run();
    },
  );

  leavesNoWord(
    'a step that begins during the removal has read the postings (rule 27)',
    async ({ world, id }) => {
      const other = await world.create(zebra);
      await world.settle();
      await world.erase(id);
      const third = await world.create(zebra);
      world.advance(settledMs + 1000);
      const onlyChanges = { limits: { minTailBytes: Number.POSITIVE_INFINITY } };
      const removing = await world.begin(world.works.updateIndex(onlyChanges)).runUntil('erasureTexts');
      await removing.runUntil('writePosting');
      const writing = await world.begin(world.works.updateIndex()).runUntil('writePosting');
      await removing.run();
      await writing.run();
      await world.settle();
      expect(await world.differences()).toEqual([]);
      for (const each of [other, third]) await world.erase(each.id);
    },
  );

  leavesNoWord(
    'its generation was removed while a step wrote into it (rule 46)',
    async ({ world, id, text }) => {
      const late = await pausedUpdate(world, 'writePosting');
      await world.rebuild();
      world.advance(hourMs);
      await world.settle();
      await world.erase(id);
      await late.run();
      await world.settle();
      expect(text()).not.toContain('zebra');
    },
  );

  leavesNoWord('a step that died wrote into an old generation after the switch', async ({ world, id }) => {
    const dying = await pausedUpdate(world, 'writePosting');
    await world.rebuild();
    world.advance(settledMs + 1000);
    await world.updateIndex();
    world.advance(forgetAfterMs);
    await world.updateIndex();
    // All calls that it has sent arrive.
    await dying.run(dying.waitsFor.length);
    dying.kill();
    await world.erase(id);
  });

  leavesNoWord('a try of a rebuild arrives after the switch', async ({ world, id }) => {
    await world.settle();
    const late: LateTry[] = [];
    const firstTry = (name: string) => (name === 'writePosting' ? 'late' : 'answered');
    const { stores } = withTries(world.backend, firstTry, late);
    const rebuilding = new Process('rebuild', stores).begin((own) =>
      world.works.rebuild(oneStep).run(own, world.now),
    );
    await rebuilding.runUntil('writePosting');
    await world.erase(id);
    world.advance(settledMs + 1000);
    await rebuilding.run();
    await world.updateIndex();
    for (const { arrive } of late) await arrive();
  });

  leavesNoWord('a rebuild that another process took over goes on and dies', async ({ world, id }) => {
    await world.settle();
    const dying = await world.begin(world.works.rebuild(oneStep)).runUntil('writePosting');
    await world.erase(id);
    world.advance(rebuildLeaseMs);
    await world.rebuild();
    world.advance(settledMs + 1000);
    await world.updateIndex();
    await dying.run(dying.waitsFor.length);
    dying.kill();
  });
});
