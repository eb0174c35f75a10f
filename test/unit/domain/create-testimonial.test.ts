import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTestimonial, IdempotencyKeyReused } from '../../../functions/domain/create-testimonial.ts';
import type { TestimonialInput } from '../../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../../functions/domain/testimonial-order.ts';
import { inMemoryStores } from '../../in-memory-stores.ts';

const start = Date.parse('2026-01-15T10:30:00.000Z');
const dayMs = 24 * 60 * 60 * 1000;
const input: TestimonialInput = {
  content: 'Amazing product',
  author: { name: 'Jane Doe', email: 'jane@example.com', company: 'Acme Inc.' },
  rating: 5,
  type: 'text',
  tags: ['a', 'b'],
};

/** Stores, a clock to set, and a create in organization `acme`. */
function service() {
  const stores = inMemoryStores();
  const clock = { afterMs: 0 };
  let random = 100_000_000_000;
  const deps = {
    ...stores,
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
  return { stores, clock, deps, create };
}

test('stores the input as pending with both times set', async () => {
  const { stores, create } = service();
  const { testimonial, replayed } = await create();
  expect(testimonial).toEqual({
    id: 'test_1000000000011',
    ...input,
    status: 'pending',
    createdAt: '2026-01-15T10:30:00.000Z',
    updatedAt: '2026-01-15T10:30:00.000Z',
  });
  expect(replayed).toBe(false);
  expect(stores.stored('acme')).toEqual([testimonial]);
});

test('each organization counts from 1', async () => {
  const { create } = service();
  await create();
  const { testimonial } = await create(undefined, input, 'other');
  expect(ordinalOf(testimonial)).toBe(1);
});

test('without a key the same body makes a testimonial each time', async () => {
  const { stores, create } = service();
  await create();
  await create();
  expect(stores.stored('acme')).toHaveLength(2);
});

test('whatever the clock does, ordinal order is createdAt order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: -dayMs, max: dayMs }), { maxLength: 20 }), async (times) => {
      const { stores, clock, create } = service();
      for (const time of times) {
        clock.afterMs = time;
        await create();
      }
      const created = stores.stored('acme').map(({ createdAt }) => createdAt);
      expect(created).toEqual(created.toSorted());
    }),
  );
});

describe('with an idempotency key', () => {
  test('writes the key between the counter and the testimonial', async () => {
    const { stores, create } = service();
    await create('k');
    expect(stores.writes).toEqual(['takeOrdinal', 'claim', 'insert']);
  });

  test('the second request returns the first testimonial and writes nothing', async () => {
    const { stores, clock, create } = service();
    const first = await create('k');
    stores.writes.length = 0;
    clock.afterMs = dayMs - 1000;
    expect(await create('k')).toEqual({ testimonial: first.testimonial, replayed: true });
    expect(stores.writes).toEqual([]);
  });

  test('a replay shows the testimonial as it is now', async () => {
    const { stores, create } = service();
    const { testimonial } = await create('k');
    const moderated = { ...testimonial, status: 'approved' as const, updatedAt: '2026-01-15T10:31:00.000Z' };
    await stores.testimonials.replaceStatus('acme', testimonial, moderated);
    expect(await create('k')).toEqual({ testimonial: moderated, replayed: true });
  });

  test('after 24 hours the key is free again', async () => {
    const { stores, clock, create } = service();
    await create('k');
    clock.afterMs = dayMs;
    expect((await create('k')).replayed).toBe(false);
    expect(stores.stored('acme')).toHaveLength(2);
  });

  test('another body is refused, takes no ordinal and writes nothing', async () => {
    const { stores, create } = service();
    await create('k');
    stores.writes.length = 0;
    await expect(create('k', { ...input, rating: 4 })).rejects.toThrow(IdempotencyKeyReused);
    expect(stores.writes).toEqual([]);
  });

  test('another organization has its own keys', async () => {
    const { create } = service();
    await create('k');
    expect((await create('k', { ...input, rating: 4 }, 'other')).replayed).toBe(false);
  });

  test('concurrent requests make one testimonial and all return it', async () => {
    const { stores, create } = service();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create('k')));
    expect(stores.stored('acme')).toHaveLength(1);
    expect(answers.map(({ testimonial }) => testimonial)).toEqual(Array(10).fill(stores.stored('acme')[0]));
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  test('of concurrent requests with different bodies one is made and the others are refused', async () => {
    const { stores, create } = service();
    const answers = await Promise.allSettled(
      [1, 2, 3, 4, 5].map((rating) => create('k', { ...input, rating })),
    );
    expect(stores.stored('acme')).toHaveLength(1);
    expect(answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason.name] : []))).toEqual(
      Array(4).fill('IdempotencyKeyReused'),
    );
  });

  test('a key without its testimonial is completed, announced first, as the first request made it', async () => {
    const { stores, clock, deps, create } = service();
    const stopped = {
      ...deps,
      testimonials: {
        ...deps.testimonials,
        insert: async () => {
          throw new Error('stopped');
        },
      },
    };
    const request = { organization: 'acme', input, idempotencyKey: 'k' };
    await expect(createTestimonial(stopped, request)).rejects.toThrow('stopped');
    stores.writes.length = 0;

    clock.afterMs = 60 * 60 * 1000;
    const { testimonial, replayed } = await create('k');
    expect(stores.writes).toEqual(['markChange', 'insert']);
    expect(await stores.testimonials.announcedChanges('acme')).toEqual([
      { ordinal: 1, time: new Date(start + clock.afterMs), kind: 'create' },
    ]);
    expect(replayed).toBe(true);
    expect(testimonial).toEqual({
      id: 'test_1000000000011',
      ...input,
      status: 'pending',
      createdAt: '2026-01-15T10:30:00.000Z',
      updatedAt: '2026-01-15T10:30:00.000Z',
    });
    expect(stores.stored('acme')).toEqual([testimonial]);
  });
});

test('passes the signal to every call of the stores', async () => {
  const { deps } = service();
  const { signal } = new AbortController();
  const without: string[] = [];
  // Only the names of methods matter; each is called as it was.
  const watched = <Store extends object>(store: Store) =>
    new Proxy(store, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) => {
          if (args.at(-1) !== signal) without.push(String(name));
          return method.apply(target, args);
        };
      },
    });
  const watching = {
    ...deps,
    testimonials: watched(deps.testimonials),
    idempotencyKeys: watched(deps.idempotencyKeys),
  };
  const request = { organization: 'acme', input, idempotencyKey: 'k' };
  await createTestimonial(watching, request, signal);
  await createTestimonial(watching, request, signal);
  expect(without).toEqual([]);
});
