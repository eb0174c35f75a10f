/** Laws of what is done with all that match, whoever else changes and erases them meanwhile. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { changed, type TestimonialChange } from '../../../functions/domain/testimonial-change.ts';
import { editionOf, noIndex } from '../../../functions/list-index/index-store.ts';
import { ListMemory } from '../../../functions/list-index/read/memory.ts';
import {
  OtherEdition,
  stepSize,
  stepThroughMatching,
} from '../../../functions/operations/attempt-matching.ts';
import { changeEach } from '../../../functions/operations/change-testimonial.ts';
import { eraseEach } from '../../../functions/operations/erase-testimonial.ts';
import { input } from '../../testimonials.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { createWorld } from '../../world/world.ts';

const full = Array.from({ length: 20 }, (_, i) => `t${i}`);
const tagsOf = { plain: [], tagged: ['x'], full } as const;

/** What somebody else does in the middle of it: before a step, or once it has listed. */
const disturbance = fc.record({
  step: fc.nat(4),
  isListed: fc.boolean(),
  item: fc.nat(159),
  kind: fc.constantFrom('tag', 'same', 'reject', 'erase'),
});

const deeds = {
  tag: { addTags: ['x'] },
  approve: { status: 'approved' },
  erase: 'erase',
} as const satisfies Record<string, TestimonialChange | 'erase'>;

const history = fc.record({
  // In front, so that steps pass whole pages of them.
  kinds: fc.tuple(fc.nat(110), fc.nat(60), fc.constantFrom<keyof typeof tagsOf>('tagged', 'full')),
  deed: fc.constantFrom<keyof typeof deeds>('tag', 'approve', 'erase'),
  isFiltered: fc.boolean(),
  isOneInstant: fc.boolean(),
  disturbances: fc.array(disturbance, { maxLength: 12 }),
});

test('nothing is skipped, nothing done twice, and what somebody else changed is left', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ kinds, deed, isFiltered, isOneInstant, disturbances }) => {
      const world = await createWorld(inMemoryBackend());
      const { backend, now, clock } = world;
      const [idle, plain, idleKind] = kinds;
      const ids: string[] = [];
      for (let n = 0; n < idle + plain; n += 1) {
        const { id } = await world.create({ ...input, tags: [...tagsOf[n < idle ? idleKind : 'plain']] });
        // Nothing is to be approved of these.
        if (n < idle && deed === 'approve') await world.setStatus(id, 'approved');
        ids.push(id);
        if (!isOneInstant) clock.time += 1;
      }
      clock.time += 1000;
      const until = now().toISOString();
      const all = async () => (await world.stored()).map(({ testimonial }) => testimonial);
      const before = new Map((await all()).map((each) => [each.id, each]));
      const theirs = new Map<string, Testimonial | undefined>();
      let step = 0;
      const disturb = async (isListed: boolean) => {
        clock.time += 1;
        for (const each of disturbances.filter((one) => one.step === step && one.isListed === isListed)) {
          const id = ids[each.item];
          if (id === undefined) continue;
          if (each.kind === 'erase') await world.erase(id);
          if (each.kind === 'tag') await world.change(id, { addTags: [`y${step}`] });
          if (each.kind === 'same') await world.change(id, { ...(deed !== 'erase' && deeds[deed]) });
          if (each.kind === 'reject') await world.setStatus(id, 'rejected');
          const found = (await all()).find((one) => one.id === id);
          if (found?.updatedAt !== before.get(id)?.updatedAt) theirs.set(id, found);
        }
      };
      const filter = isFiltered && deed === 'approve' ? ({ status: 'pending' } as const) : {};
      const done: string[] = [];
      let reached: { page: number } | undefined = { page: 1 };
      for (; reached; step += 1) {
        await disturb(false);
        const to = deeds[deed];
        const isOpen = (found: Testimonial) =>
          to === 'erase' || ![found, undefined].includes(changed(found, to));
        reached = await stepThroughMatching({ ...backend, memory: new ListMemory() }, 'acme', {
          filter,
          until,
          edition: editionOf(noIndex),
          page: reached.page,
          isOpen,
          attempt: async (some) => {
            expect(some.length).toBeLessThanOrEqual(stepSize);
            await disturb(true);
            const deps = { ...backend, now };
            const tally =
              to === 'erase' ? await eraseEach(deps, 'acme', some) : await changeEach(deps, 'acme', some, to);
            done.push(...tally.done);
            return tally;
          },
        });
        expect(step).toBeLessThan(100);
      }
      const after = new Map((await all()).map((each) => [each.id, each]));
      expect(new Set(done).size).toBe(done.length);
      const expected = ids.filter((id, n) => {
        if (theirs.has(id)) return false;
        return n >= idle || deed === 'erase';
      });
      // What somebody changed after it was done is theirs, and was done all the same.
      expect(expected.filter((id) => !done.includes(id))).toEqual([]);
      for (const [id, left] of theirs) expect(after.get(id)).toEqual(left);
    }),
    { numRuns: 40 },
  );
});

test('a line that an import under way stores with a time before is left', async () => {
  const world = await createWorld(inMemoryBackend());
  const { backend, now, clock } = world;
  const shown = await world.create(input);
  const places = await backend.testimonials.takeOrdinals('acme', now());
  const until = now().toISOString();
  clock.time += 1000;
  const { ordinal, updateOrdinal, time } = places;
  const late = { ...input, id: 'test_1', status: 'pending', createdAt: time, updatedAt: time } as const;
  const writtenAt = now().toISOString();
  const line = { testimonial: late, ordinal, updateOrdinal, version: 1, isLoaded: true, writtenAt } as const;
  await backend.testimonials.insert('acme', line);
  const attempted: string[] = [];
  const step = {
    filter: {},
    until,
    edition: editionOf(noIndex),
    page: 1,
    isOpen: () => true,
    attempt: async (some: readonly { id: string }[]) => {
      attempted.push(...some.map(({ id }) => id));
      return { done: [], already: [], conflict: [], absent: [], tooManyTags: [] };
    },
  };
  const deps = { ...backend, memory: new ListMemory() };
  await stepThroughMatching(deps, 'acme', step);
  expect(attempted).toEqual([shown.id]);

  const imported = await backend.index.replaceHead('acme', { ...noIndex, imports: 1 });
  expect(imported).toBeDefined();
  await expect(stepThroughMatching(deps, 'acme', step)).rejects.toThrow(OtherEdition);
  expect(attempted).toEqual([shown.id]);
});
