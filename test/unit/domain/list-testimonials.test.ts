import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { changeStatus } from '../../../functions/domain/change-status.ts';
import { createTestimonial } from '../../../functions/domain/create-testimonial.ts';
import { type ListQuery, listTestimonials } from '../../../functions/domain/list-testimonials.ts';
import {
  statuses,
  type Testimonial,
  type TestimonialInput,
  testimonialTypes,
} from '../../../functions/domain/testimonial.ts';
import { matcherOf } from '../../../functions/domain/testimonial-filter.ts';
import { comparison, orders, sorts } from '../../../functions/domain/testimonial-order.ts';
import { inMemoryStores } from '../../in-memory-stores.ts';

const start = Date.parse('2026-01-15T10:30:00.000Z');
const everything: ListQuery = { filter: {}, sort: 'createdAt', order: 'desc', page: 1, limit: 25 };

type Event =
  | { kind: 'create'; input: TestimonialInput }
  | { kind: 'change'; nth: number; status: (typeof statuses)[number] }
  /** A create with a key that stops before its testimonial. */
  | { kind: 'stop'; key: string }
  /** The same request again. */
  | { kind: 'retry'; key: string };

const inputs: fc.Arbitrary<TestimonialInput> = fc
  .record({
    content: fc.constantFrom('Amazing product', 'Terrible service', 'Amazing service, 素晴らしい'),
    rating: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    type: fc.constantFrom(...testimonialTypes),
    tags: fc.option(fc.subarray(['a', 'B', 'c']), { nil: undefined }),
  })
  .map(({ content, rating, type, tags }) => ({
    content,
    author: { name: 'Jane Doe', email: 'jane@example.com' },
    ...(rating !== undefined && { rating }),
    type,
    ...(tags && { tags }),
  }));

const keys = fc.constantFrom('k1', 'k2');
const events: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: inputs.map((input) => ({ kind: 'create' as const, input })) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      nth: fc.nat(),
      status: fc.constantFrom(...statuses),
    }),
  },
  { weight: 1, arbitrary: keys.map((key) => ({ kind: 'stop' as const, key })) },
  { weight: 1, arbitrary: keys.map((key) => ({ kind: 'retry' as const, key })) },
);
/** Each event, and how long after the one before. */
const histories = (gap: number) => fc.array(fc.tuple(fc.nat({ max: gap }), events), { maxLength: 15 });

const queries: fc.Arbitrary<ListQuery> = fc.record({
  filter: fc.record(
    {
      status: fc.constantFrom(...statuses),
      type: fc.constantFrom(...testimonialTypes),
      minRating: fc.integer({ min: 1, max: 5 }),
      tags: fc.subarray(['A', 'b', 'd'], { minLength: 1 }),
      search: fc.constantFrom('amaz', 'serv jane', '素晴', 'nothing'),
    },
    { requiredKeys: [] },
  ),
  sort: fc.constantFrom(...sorts),
  order: fc.constantFrom(...orders),
  page: fc.integer({ min: 1, max: 4 }),
  limit: fc.integer({ min: 1, max: 10 }),
});

/** An organization that lives through events. */
function organization() {
  const stores = inMemoryStores();
  const clock = { time: start };
  let random = 100_000_000_000;
  const deps = {
    ...stores,
    now: () => new Date(clock.time),
    randomInt: () => {
      random += 1;
      return random;
    },
  };
  const keyed = (idempotencyKey: string) => ({
    organization: 'acme',
    input: {
      content: 'Amazing, with a key',
      author: { name: 'Jane Doe', email: 'jane@example.com' },
      type: 'audio' as const,
    },
    idempotencyKey,
  });
  const stopping = {
    ...deps,
    testimonials: {
      ...deps.testimonials,
      insert: async () => {
        throw new Error('stopped');
      },
    },
  };
  const live = async (history: [number, Event][]) => {
    for (const [gap, event] of history) {
      clock.time += gap;
      const stored = stores.stored('acme');
      if (event.kind === 'create') {
        await createTestimonial(deps, { organization: 'acme', input: event.input });
      } else if (event.kind === 'stop') {
        await createTestimonial(stopping, keyed(event.key)).catch(() => undefined);
      } else if (event.kind === 'retry') {
        await createTestimonial(deps, keyed(event.key));
      } else {
        const target = stored[event.nth % stored.length];
        if (target) await changeStatus(deps, 'acme', target.id, event.status);
      }
    }
  };
  return { stores, clock, deps, live, list: (query: ListQuery) => listTestimonials(deps, 'acme', query) };
}

/** What a list is by definition. */
function oracle(all: Testimonial[], { filter, sort, order, page, limit }: ListQuery) {
  const matching = all.filter(matcherOf(filter)).sort(comparison(sort, order));
  return { testimonials: matching.slice((page - 1) * limit, page * limit), total: matching.length };
}

test('a list is filter, sort and slice over all testimonials, also while the indexes are 20 s behind', async () => {
  await fc.assert(
    fc.asyncProperty(
      histories(10 * 60_000),
      fc.nat({ max: 60_000 }),
      histories(1300),
      fc.array(queries, { minLength: 1, maxLength: 5 }),
      async (early, pause, late, asked) => {
        const { stores, clock, live, list } = organization();
        await live(early);
        stores.freezeIndexes();
        // At most 15 events 1.3 s apart: what the indexes lack is younger than 20 s.
        await live(late);
        const frozenFor = late.reduce((sum, [gap]) => sum + gap, 0);
        clock.time += Math.min(pause, 20_000 - frozenFor);
        for (const query of asked) expect(await list(query)).toEqual(oracle(stores.stored('acme'), query));
      },
    ),
    { numRuns: 300 },
  );
});

test('an organization without testimonials has an empty list', async () => {
  expect(await organization().list(everything)).toEqual({ testimonials: [], total: 0 });
});

test('an organization sees only its own testimonials', async () => {
  const { deps, live } = organization();
  await live([
    [
      0,
      {
        kind: 'create',
        input: { content: 'Amazing product', author: { name: 'J', email: 'j@x.org' }, type: 'text' },
      },
    ],
  ]);
  expect(await listTestimonials(deps, 'other', everything)).toEqual({ testimonials: [], total: 0 });
});

test('a row that an index shows twice is counted once', async () => {
  const { stores, clock, deps, live } = organization();
  await live([
    [
      0,
      {
        kind: 'create',
        input: { content: 'Amazing product', author: { name: 'J', email: 'j@x.org' }, type: 'text' },
      },
    ],
  ]);
  clock.time += 60_000;
  const [row] = stores.stored('acme');
  if (!row) throw new Error('nothing was created');
  const twice = {
    ...deps,
    testimonials: {
      ...deps.testimonials,
      async *walk() {
        yield row;
        yield row;
      },
    },
  };
  expect(await listTestimonials(twice, 'acme', everything)).toEqual({ testimonials: [row], total: 1 });
});

test('a row that no longer satisfies the filter is left out, whatever the index says', async () => {
  const { stores, clock, list, live } = organization();
  await live([
    [
      0,
      {
        kind: 'create',
        input: { content: 'Amazing product', author: { name: 'J', email: 'j@x.org' }, type: 'text' },
      },
    ],
  ]);
  await live([[60_000, { kind: 'change', nth: 0, status: 'approved' }]]);
  stores.freezeIndexes();
  clock.time += 10 * 60_000;
  await live([[0, { kind: 'change', nth: 0, status: 'rejected' }]]);
  const approved = await list({ ...everything, filter: { status: 'approved' } });
  expect(approved).toEqual({ testimonials: [], total: 0 });
});
