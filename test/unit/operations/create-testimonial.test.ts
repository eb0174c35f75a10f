import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { TestimonialInput } from '../../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../../functions/domain/testimonial-id.ts';
import { changeTestimonial } from '../../../functions/operations/change-testimonial.ts';
import { createTestimonial } from '../../../functions/operations/create-testimonial.ts';
import { place } from '../../place.ts';
import { storedAt, input as usual } from '../../testimonials.ts';
import { around } from '../../world/backend.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { Process } from '../../world/process.ts';

const start = Date.parse('2026-01-15T10:30:00.000Z');
const dayMs = 24 * 60 * 60 * 1000;
const input: TestimonialInput = { ...usual, rating: 5, tags: ['a', 'b'] };

/** Stores, a clock to set, and a create in organization `acme`. */
function service() {
  const backend = inMemoryBackend();
  const clock = { afterMs: 0 };
  const calls: string[] = [];
  const watched = around(backend, (name, call) => {
    calls.push(name);
    return call();
  });
  const stored = async () =>
    (await Array.fromAsync(backend.testimonials.from('acme', 0))).flat().map((each) => each.testimonial);
  let random = 100_000_000_000;
  const deps = {
    ...watched,
    now: () => new Date(start + clock.afterMs),
    randomInt: () => {
      random += 1;
      return random;
    },
  };
  const create = (idempotencyKey?: string, body: TestimonialInput = input, organization = 'acme') =>
    createTestimonial(deps, {
      organization,
      input: body,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
  return { backend, clock, calls, stored, deps, create };
}

describe('where another testimonial stands at the place that it was given', () => {
  const other = (ordinal: number) =>
    storedAt(ordinal, { id: `test_999999999999${ordinal}`, content: "A stranger's words" });

  test.each([undefined, 'key'])(
    'takes the next place, tells of it, and answers with its own, key %s',
    async (key) => {
      const { backend, stored, create, deps } = service();
      const told: unknown[] = [];
      Object.assign(deps, { onPlaceTaken: (...place: unknown[]) => told.push(place) });
      await backend.testimonials.insert('acme', other(place(1)));
      await backend.testimonials.insert('acme', other(place(2)));
      const { testimonial, replayed } = await create(key);
      expect(testimonial).toMatchObject({
        id: expect.stringMatching(new RegExp(`${place(3)}$`)),
        content: input.content,
      });
      expect(replayed).toBe(false);
      expect(told).toEqual([
        ['acme', place(1)],
        ['acme', place(2)],
      ]);
      expect(await stored()).toHaveLength(3);
      if (key !== undefined) expect(await create(key)).toEqual({ testimonial, replayed: true });
    },
  );

  test('also where that was erased', async () => {
    const { backend, create } = service();
    await backend.testimonials.insert('acme', other(place(1)));
    await backend.testimonials.erase('acme', other(place(1)), {
      updateOrdinal: place(2),
      time: '2026-01-15T10:00:00.000Z',
    });
    expect((await create()).testimonial).toMatchObject({
      id: expect.stringMatching(new RegExp(`${place(2)}$`)),
    });
  });

  test('and a key whose request stopped before never answers with it', async () => {
    const { backend, create, deps } = service();
    const stopping = { ...backend.testimonials, insert: () => Promise.reject(new Error('stopped')) };
    const request = { organization: 'acme', input, idempotencyKey: 'key' };
    await expect(createTestimonial({ ...deps, testimonials: stopping }, request)).rejects.toThrow('stopped');
    await backend.testimonials.insert('acme', other(place(1)));
    const { testimonial } = await create('key');
    expect(testimonial).toMatchObject({
      id: expect.stringMatching(new RegExp(`${place(2)}$`)),
      content: input.content,
    });
    expect((await create('key')).testimonial).toEqual(testimonial);
  });
});

test('whatever the clock does, ordinal order is createdAt order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: -dayMs, max: dayMs }), { maxLength: 20 }), async (times) => {
      const { stored, clock, create } = service();
      for (const time of times) {
        clock.afterMs = time;
        await create();
      }
      const created = (await stored()).map(({ createdAt }) => createdAt);
      expect(created).toEqual(created.toSorted());
    }),
  );
});

describe('with an idempotency key', () => {
  test('writes the key between the counter and the testimonial', async () => {
    const { calls, create } = service();
    await create('k');
    expect(calls).toEqual(['find', 'takeOrdinals', 'claim', 'insert']);
  });

  test('the second request returns the first testimonial and writes nothing', async () => {
    const { calls, clock, create } = service();
    const first = await create('k');
    calls.length = 0;
    clock.afterMs = dayMs - 1000;
    expect(await create('k')).toEqual({ testimonial: first.testimonial, replayed: true });
    // One finds the key, the other the testimonial.
    expect(calls).toEqual(['find', 'find']);
  });

  test('a replay shows the testimonial as it is now', async () => {
    const { backend, create } = service();
    const { testimonial } = await create('k');
    const now = () => new Date(start + 60_000);
    const moderated = await changeTestimonial({ ...backend, now }, 'acme', testimonial.id, {
      status: 'approved',
    });
    const { testimonial: found, replayed } = await create('k');
    expect({ found, replayed }).toMatchObject({ found: { status: 'approved' }, replayed: true });
    expect(moderated).toMatchObject({ kind: 'done', testimonial: found });
  });

  test('of concurrent requests with different bodies one is made and the others are refused', async () => {
    const { stored, create } = service();
    const answers = await Promise.allSettled(
      [1, 2, 3, 4, 5].map((rating) => create('k', { ...input, rating })),
    );
    expect(await stored()).toHaveLength(1);
    expect(answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.name] : []))).toEqual(
      Array(4).fill('IdempotencyKeyReused'),
    );
  });

  /** A request that stopped between key and testimonial, and its service an hour later. */
  async function serviceWithKeyLeft() {
    const s = service();
    const request = { organization: 'acme', input, idempotencyKey: 'k' };
    const process = new Process('create', s.backend).begin((stores) =>
      createTestimonial({ ...s.deps, ...stores }, request),
    );
    await process.runUntil('insert');
    s.clock.afterMs = 60 * 60 * 1000;
    return { ...s, process };
  }

  test('a key whose place was sealed meanwhile gets another place, once', async () => {
    const { backend, process, stored, create } = await serviceWithKeyLeft();
    expect(await backend.testimonials.sealPlace('acme', place(1))).toBeUndefined();
    const answers = await Promise.all([create('k'), create('k'), create('k')]);
    await process.run();
    const [testimonial] = await stored();
    expect(await stored()).toHaveLength(1);
    expect(answers.map((answer) => answer.testimonial)).toEqual(Array(3).fill(testimonial));
    expect(ordinalOf(testimonial?.id ?? '')).toBeGreaterThan(place(1));
    expect(testimonial?.createdAt).toBe('2026-01-15T11:30:00.000Z');
  });
});

test('a create whose place was sealed meanwhile takes another', async () => {
  const { backend, deps, stored } = service();
  const process = new Process('create', backend).begin((stores) =>
    createTestimonial({ ...deps, ...stores }, { organization: 'acme', input }),
  );
  await process.runUntil('insert');
  expect(await backend.testimonials.sealPlace('acme', place(1))).toBeUndefined();
  await process.run();
  expect((await stored()).map(({ id }) => ordinalOf(id))).toEqual([place(2)]);
});
