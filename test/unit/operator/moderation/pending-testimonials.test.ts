import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ordinalOf } from '../../../../functions/domain/testimonial-id.ts';
import { pendingTestimonials } from '../../../../lib/operator/moderation/pending-testimonials.ts';
import { place } from '../../../place.ts';
import { around } from '../../../world/backend.ts';
import { inMemoryBackend } from '../../../world/in-memory-backend.ts';
import { createWorld } from '../../../world/world.ts';

const input = {
  content: 'Amazing product',
  author: { name: 'Jane Doe', email: 'jane@example.com' },
  type: 'text' as const,
};

/** An organization with some pending testimonials, read three at once. */
async function organizationWith(count: number) {
  const backend = inMemoryBackend();
  const world = await createWorld(backend);
  for (let i = 0; i < count; i += 1) await world.create(input);
  let meanwhile = async () => {};
  const stores = around(backend, async (name, call) => {
    if (name === 'readRecent') await meanwhile();
    return call();
  });
  return {
    ...world,
    next: pendingTestimonials(stores, 'acme', {}, 3),
    /** Happens once, before the next list but so many. */
    beforeList(work: () => Promise<unknown>, lists = 0) {
      let rest = lists;
      meanwhile = async () => {
        rest -= 1;
        if (rest === -1) await work();
      };
    },
  };
}

test('they come oldest first, with how many are left, and new ones at the end', async () => {
  const { next, create, setStatus } = await organizationWith(4);
  const found: number[][] = [];
  for (let i = 0; i < 6; i += 1) {
    const shown = await next(new Set());
    if (!shown) break;
    found.push([ordinalOf(shown.testimonial.id) - place(0), shown.left]);
    await setStatus(shown.testimonial.id, 'approved');
    if (i === 1) await create(input);
  }
  expect(found.map(([ordinal]) => ordinal)).toEqual([1, 2, 3, 4, 5]);
  expect(found.map(([, left]) => left)).toEqual([4, 3, 2, 2, 1]);
});

test('what somebody else decided since it was read is not shown', async () => {
  const { next, nth, setStatus } = await organizationWith(3);
  await next(new Set());
  await setStatus((await nth(1))?.id ?? '', 'rejected');
  expect((await next(new Set()))?.testimonial).toEqual(await nth(2));
});

test('when others decide on skipped ones while pages are read, what moves to an earlier page is found', async () => {
  const { next, nth, setStatus, beforeList } = await organizationWith(4);
  const skipped = new Set<string>();
  for (let i = 0; i < 3; i += 1) skipped.add((await next(skipped))?.testimonial.id ?? '');
  // The first page has three that were skipped; before the second is read, the fourth moves to the first.
  const first = await nth(0);
  beforeList(() => setStatus(first?.id ?? '', 'approved'), 1);
  expect((await next(skipped))?.testimonial).toEqual(await nth(3));
});

type Turn = { move: 'decide' | 'skip'; others: ['decide' | 'put back' | 'create', number][] };

test('whatever others do, none is shown twice as it is, and in the end none is left but the skipped', async () => {
  const turns = fc.array(
    fc.record<Turn>({
      move: fc.constantFrom('decide', 'skip'),
      others: fc.array(fc.tuple(fc.constantFrom('decide', 'put back', 'create'), fc.nat(20)), {
        maxLength: 2,
      }),
    }),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(10), turns, async (count, script) => {
      const { next, nth, create, setStatus, stored } = await organizationWith(count);
      const skipped = new Set<string>();
      const seen = new Set<string>();
      for (let turn = 0; ; turn += 1) {
        const { move = 'decide', others = [] } = script[turn] ?? {};
        for (const [what, number] of others) {
          const other = await nth(number);
          if (what === 'create') await create(input);
          else if (other) await setStatus(other.id, what === 'decide' ? 'rejected' : 'pending');
        }
        const shown = await next(skipped);
        if (!shown) break;
        const { id, status, updatedAt } = shown.testimonial;
        expect(status).toBe('pending');
        expect(seen).not.toContain(`${id} ${updatedAt}`);
        seen.add(`${id} ${updatedAt}`);
        if (move === 'skip') skipped.add(id);
        else await setStatus(id, 'approved');
      }
      const left = (await stored()).filter(({ testimonial }) => testimonial.status === 'pending');
      expect(left.filter(({ testimonial }) => !skipped.has(testimonial.id))).toEqual([]);
    }),
  );
});
