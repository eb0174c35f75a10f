import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { oldestPending } from '../../../functions/serve-desk/parts/desk.ts';
import { listsOn } from '../../../functions/testimonials/lists.ts';
import { input } from '../../testimonials.ts';
import { interceptCalls } from '../../world/backend.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { createWorld } from '../../world/world.ts';

/** Creates an organization with pending testimonials. */
async function organizationWith(count: number) {
  const backend = inMemoryBackend();
  const world = await createWorld(backend);
  for (let i = 0; i < count; i += 1) await world.create(input);
  const next = (skipped: readonly string[] = [], stores = world.backend) =>
    oldestPending(listsOn(() => stores)('acme'), {}, skipped);
  return { ...world, next };
}

test('skipped testimonials are counted but not returned', async () => {
  const { next, nth } = await organizationWith(3);
  const [first, second, third] = await Promise.all([nth(0), nth(1), nth(2)]);
  const skipped = [first, second].map((each) => each?.id ?? '');
  expect(await next(skipped)).toEqual({ testimonial: third, total: 3 });
  expect(await next([...skipped, third?.id ?? ''])).toEqual({ total: 3 });
});

test('if someone decides on the testimonial between the list and the read, the next one is returned', async () => {
  const world = await organizationWith(3);
  const { backend, next, nth, setStatus } = world;
  await world.settle();
  await world.updateIndex();
  const first = await nth(0);
  let isDecided = false;
  const stores = interceptCalls(backend, async (name, call) => {
    if (!isDecided && ['findMany', 'walk'].includes(name)) {
      isDecided = true;
      await setStatus(first?.id ?? '', 'approved');
    }
    return call();
  });
  expect((await next([], stores)).testimonial).toEqual(await nth(1));
  expect(isDecided).toBe(true);
});

type Turn = { move: 'decide' | 'skip'; others: ['decide' | 'put back' | 'create', number][] };

test('while others decide too, no unchanged testimonial is shown twice, and only skipped ones remain in the end', async () => {
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
        const { testimonial } = await next([...skipped]);
        if (!testimonial) break;
        const { id, status, updatedAt } = testimonial;
        expect(status).toBe('pending');
        expect(seen).not.toContain(`${id} ${updatedAt}`);
        seen.add(`${id} ${updatedAt}`);
        if (move === 'skip') skipped.add(id);
        else await setStatus(id, 'approved');
      }
      const remaining = (await stored()).filter(({ testimonial }) => testimonial.status === 'pending');
      expect(remaining.filter(({ testimonial }) => !skipped.has(testimonial.id))).toEqual([]);
    }),
  );
});
