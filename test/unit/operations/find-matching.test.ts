/** An action on all matching testimonials, while other people change and erase some of them. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Tally } from '../../../functions/domain/outcomes.ts';
import { OtherEdition, searchStart } from '../../../functions/domain/outcomes.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { applyChange, type TestimonialChange } from '../../../functions/domain/testimonial-change.ts';
import { editionOf, noIndex } from '../../../functions/testimonials/list-index/index-store.ts';
import { ListMemory } from '../../../functions/testimonials/list-index/read/memory.ts';
import { changeEach } from '../../../functions/testimonials/operations/change-testimonial.ts';
import { eraseEach } from '../../../functions/testimonials/operations/erase-testimonial.ts';
import { nextMatching, stepSize } from '../../../functions/testimonials/operations/find-matching.ts';
import { position } from '../../position.ts';
import { runsOf } from '../../some-of.ts';
import { input } from '../../testimonials.ts';
import { type Backend, interceptCalls } from '../../world/backend.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { createWorld } from '../../world/world.ts';

const full = Array.from({ length: 20 }, (_, i) => `t${i}`);
const tagsOf = { plain: [], tagged: ['x'], full } as const;

/** An action by another person, before a step or after its list. */
const disturbance = fc.record({
  step: fc.nat(8),
  isListed: fc.boolean(),
  item: fc.nat(159),
  kind: fc.constantFrom('tag', 'same', 'reject', 'erase'),
});

const actions = {
  tag: { addTags: ['x'] },
  approve: { status: 'approved' },
  erase: 'erase',
} as const satisfies Record<string, TestimonialChange | 'erase'>;

const history = fc.record({
  // In front, so that steps pass whole pages of them.
  kinds: fc.tuple(fc.nat(110), fc.nat(60), fc.constantFrom<keyof typeof tagsOf>('tagged', 'full')),
  kind: fc.constantFrom<keyof typeof actions>('tag', 'approve', 'erase'),
  isFiltered: fc.boolean(),
  isOneInstant: fc.boolean(),
  // A pass over small pages takes several steps.
  size: fc.constantFrom(3, stepSize),
  disturbances: fc.array(disturbance, { maxLength: 12 }),
});

test('the action changes each testimonial once, except those that other people changed', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ kinds, kind, isFiltered, isOneInstant, size, disturbances }) => {
      const world = await createWorld(inMemoryBackend());
      const { backend, now, clock } = world;
      const [idle, plain, idleKind] = kinds;
      const ids: string[] = [];
      for (let n = 0; n < idle + plain; n += 1) {
        const { id } = await world.create({ ...input, tags: [...tagsOf[n < idle ? idleKind : 'plain']] });
        // Nothing is to be approved of these.
        if (n < idle && kind === 'approve') await world.setStatus(id, 'approved');
        ids.push(id);
        if (!isOneInstant) clock.time += 1;
      }
      clock.time += 1000;
      const until = now().toISOString();
      const all = async () => (await world.stored()).map(({ testimonial }) => testimonial);
      const before = new Map((await all()).map((each) => [each.id, each]));
      const changedByOthers = new Map<string, Testimonial | undefined>();
      let step = 0;
      const disturb = async (isListed: boolean) => {
        clock.time += 1;
        for (const each of disturbances.filter((one) => one.step === step && one.isListed === isListed)) {
          const id = ids[each.item];
          if (id === undefined) continue;
          if (each.kind === 'erase') await world.erase(id);
          if (each.kind === 'tag') await world.change(id, { addTags: [`y${step}`] });
          if (each.kind === 'same') await world.change(id, { ...(kind !== 'erase' && actions[kind]) });
          if (each.kind === 'reject') await world.setStatus(id, 'rejected');
          const current = (await all()).find((one) => one.id === id);
          if (current?.updatedAt !== before.get(id)?.updatedAt) changedByOthers.set(id, current);
        }
      };
      const filter = isFiltered && kind === 'approve' ? ({ status: 'pending' } as const) : {};
      const done: string[] = [];
      const deps = { ...backend, now, memory: new ListMemory() };
      const shown = { filter, until, edition: editionOf(noIndex) };
      const action = actions[kind];
      const isOpen = (testimonial: Testimonial) =>
        action === 'erase' || typeof applyChange(testimonial, action) !== 'string';
      for (let from = searchStart; ; step += 1) {
        await disturb(false);
        const next = await nextMatching(deps, 'acme', shown, from, isOpen, size);
        if (!next) break;
        from = next.cursor;
        expect(next.matching.length).toBeLessThanOrEqual(size);
        await disturb(true);
        const tally =
          action === 'erase'
            ? await eraseEach(deps, 'acme', next.matching)
            : await changeEach(deps, 'acme', next.matching, action);
        done.push(...tally.done);
        expect(step).toBeLessThan(200);
      }
      const after = new Map((await all()).map((each) => [each.id, each]));
      expect(new Set(done).size).toBe(done.length);
      const expected = ids.filter((id, n) => {
        if (changedByOthers.has(id)) return false;
        return n >= idle || kind === 'erase';
      });
      // Others may change a testimonial after its action.
      expect(expected.filter((id) => !done.includes(id))).toEqual([]);
      for (const [id, left] of changedByOthers) expect(after.get(id)).toEqual(left);
    }),
    { numRuns: runsOf(15) },
  );
});

/** A list of new testimonials, and the search for the ones to change. */
async function listOf(count: number, { isIndexed = false } = {}) {
  const world = await createWorld(inMemoryBackend());
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push((await world.create(input)).id);
  if (isIndexed) await world.settle();
  const until = world.now().toISOString();
  const edition = editionOf((await world.head()) ?? noIndex);
  const next = (
    from = searchStart,
    isOpen: (testimonial: Testimonial) => boolean = () => false,
    size = stepSize,
    stores: Backend = world.backend,
  ) => {
    const shown = { filter: {}, until, edition };
    return nextMatching({ ...stores, memory: new ListMemory() }, 'acme', shown, from, isOpen, size);
  };
  return { world, ids, next };
}

test('a search ends if nothing is to be changed, however many pages it takes', async () => {
  const { next } = await listOf(25);
  const places = [searchStart];
  for (let steps = 0; steps < 5; steps += 1) {
    const step = await next(places.at(-1), undefined, 1);
    if (!step) break;
    expect(step.matching).toEqual([]);
    places.push(step.cursor);
  }
  expect(places.map(({ page }) => page)).toEqual([1, 10, 19]);
});

test('a search ends although pages of rows cannot be read', async () => {
  const { world, next } = await listOf(75, { isIndexed: true });
  const { testimonials } = world.backend;
  const isReadable = (ordinal: number) => ordinal < position(31) || ordinal > position(57);
  const readable = {
    ...testimonials,
    findMany: (organization: string, ordinals: readonly number[]) =>
      testimonials.findMany(organization, ordinals.filter(isReadable)),
    async *walk(...args: Parameters<typeof testimonials.walk>) {
      for await (const page of testimonials.walk(...args))
        yield page.filter(({ ordinal }) => isReadable(ordinal));
    },
  };
  let from = searchStart;
  let steps = 0;
  for (; steps < 20; steps += 1) {
    const step = await next(from, undefined, 3, { ...world.backend, testimonials: readable });
    if (!step) break;
    from = step.cursor;
  }
  expect(steps).toBeLessThan(20);
});

test('a search finds what moved to pages that it has passed, because others erased testimonials in front', async () => {
  const { world, ids, next } = await listOf(22);
  const wanted = ids.slice(-2);
  const isOpen = ({ id }: Testimonial) => wanted.includes(id);
  const first = await next(searchStart, isOpen, 2);
  expect(first).toEqual({ matching: [], cursor: { page: 10, lastReadUpdate: expect.any(Number) } });
  world.clock.time += 1000;
  for (const id of ids.slice(0, 8)) await world.erase(id);
  const second = await next(first?.cursor, isOpen, 2);
  expect(second?.matching.map(({ id }) => id)).toEqual(wanted);
});

test('the action skips a testimonial that a running import stores with an earlier time', async () => {
  const { world, ids, next } = await listOf(1);
  const { backend, now, clock } = world;
  const { ordinal, updateOrdinal, time } = await backend.testimonials.reserveOrdinals('acme', now());
  clock.time += 1000;
  const late = { ...input, id: 'test_1', status: 'pending', createdAt: time, updatedAt: time } as const;
  const line = { testimonial: late, ordinal, updateOrdinal, version: 1, isLoaded: true } as const;
  await backend.testimonials.insert('acme', { ...line, writtenAt: now().toISOString() });
  expect((await next(searchStart, () => true))?.matching.map(({ id }) => id)).toEqual(ids);

  const imported = await backend.index.replaceHead('acme', { ...noIndex, imports: 1 });
  expect(imported).toBeDefined();
  await expect(next(searchStart, () => true)).rejects.toThrow(OtherEdition);
});

test('after a failure no other change begins, finished ones are counted, and a repeated command changes the rest', async () => {
  const count = 100;
  const world = await createWorld(inMemoryBackend());
  const { backend, now } = world;
  for (let n = 0; n < count; n += 1) await world.create(input);
  const seen = (await world.stored()).map(({ testimonial }) => testimonial);
  let writes = 0;
  const failing = interceptCalls(backend, async (name, call) => {
    if (name === 'writeChange') writes += 1;
    if (name === 'writeChange' && writes === 20) throw new Error('the table is gone');
    return call();
  });
  let last: Tally | undefined;
  const changeAll = (stores: typeof backend | typeof failing) =>
    changeEach({ ...stores, now }, 'acme', seen, actions.approve, {
      onOutcome: (_id, _outcome, tally) => {
        last = tally;
      },
    });
  const approved = async () =>
    (await world.stored()).filter(({ testimonial }) => testimonial.status === 'approved').length;
  await expect(changeAll(failing)).rejects.toThrow('the table is gone');
  expect(writes).toBeLessThan(count);
  expect(last?.done).toHaveLength(await approved());
  expect(last?.conflict).toEqual([]);
  await changeAll(backend);
  expect(await approved()).toBe(count);
});
