/** Walls with pinned testimonials, against the list in memory: pinned ones that match, then all others. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import type { TestimonialFilter } from '../../../functions/domain/testimonial-filter.ts';
import { ListMemory } from '../../../functions/testimonials/list-index/read/memory.ts';
import { listPinnedFirst } from '../../../functions/testimonials/operations/list-pinned-first.ts';
import { runsOf } from '../../some-of.ts';
import { input } from '../../testimonials.ts';
import { type Backend, interceptCalls } from '../../world/backend.ts';
import { inMemoryBackend } from '../../world/in-memory-backend.ts';
import { createWorld, type World } from '../../world/world.ts';

const base = { filter: { status: 'approved' }, sort: 'createdAt', order: 'desc', limit: 3 } as const;
type Asked = Omit<ListQuery, 'page'>;

/** Returns the ids on each page until one is empty, and the totals that the pages name. */
async function pagesOf(
  { backend, organization }: World,
  query: Asked,
  pinned: readonly string[],
  memory = new ListMemory(),
) {
  const pages: string[][] = [];
  const totals = new Set<number>();
  for (let page = 1; pages.at(-1)?.length !== 0; page += 1) {
    const deps = { ...backend, memory };
    const { testimonials, total } = await listPinnedFirst(deps, organization, { ...query, page }, pinned);
    pages.push(testimonials.map(({ id }) => id));
    totals.add(total);
  }
  return { pages: pages.slice(0, -1), totals: [...totals] };
}

/**
 * A wall shows the pinned testimonials of the whole list, in the order of the pins, then the rest of
 * the list.
 */
async function expectedOf(world: World, query: Asked, pinned: readonly string[]): Promise<string[]> {
  const { testimonials } = await world.expected({ ...query, page: 1, limit: 1000 });
  const listed = testimonials.map(({ id }) => id);
  return [...pinned.filter((id) => listed.includes(id)), ...listed.filter((id) => !pinned.includes(id))];
}

/** Creates testimonials with these ratings, approves some of them and indexes the first ones. */
async function worldWith(
  testimonials: readonly { rating: number; isApproved: boolean; tags: string[] }[],
  indexed: number,
): Promise<{ world: World; ids: string[] }> {
  const world = await createWorld(inMemoryBackend());
  const ids: string[] = [];
  for (const [i, { rating, isApproved, tags }] of testimonials.entries()) {
    const { id } = await world.create({ ...input, tags, ...(rating > 0 && { rating }) });
    ids.push(id);
    if (isApproved) await world.setStatus(id, 'approved');
    if (i + 1 === indexed) await world.settleForGood();
  }
  return { world, ids };
}

const testimonial = fc.record({
  rating: fc.nat(5),
  isApproved: fc.oneof(fc.constant(true), fc.boolean()),
  tags: fc.subarray(['support', 'ux']),
});
const filter: fc.Arbitrary<TestimonialFilter> = fc.record(
  { rating: fc.integer({ min: 1, max: 5 }), tags: fc.constant(['support']), search: fc.constant('ama') },
  { requiredKeys: [] },
);

describe('all pages of a wall together', () => {
  test('are the pinned testimonials that match, then the others, each once, and name the total of the list', async () => {
    const wall = fc.record({
      testimonials: fc.array(testimonial, { maxLength: 30, size: 'max' }),
      indexed: fc.nat(30),
      pins: fc.uniqueArray(fc.nat(35), { maxLength: 24 }),
      filter,
      sort: fc.constantFrom('createdAt', 'rating', 'updatedAt'),
      order: fc.constantFrom('asc', 'desc'),
      limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 13 })),
      isWarm: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(wall, async ({ testimonials, indexed, pins, filter, isWarm, ...query }) => {
        const { world, ids } = await worldWith(testimonials, indexed);
        // Some ids are of no testimonial.
        const pinned = pins.map((n) => ids[n] ?? `test_${900_000_000_000 + n}${983_000 + n}`);
        const asked = { ...query, filter: { ...filter, status: 'approved' as const } };
        const memory = new ListMemory();
        if (isWarm) await pagesOf(world, asked, pinned, memory);
        const { pages, totals } = await pagesOf(world, asked, pinned, memory);
        const expected = await expectedOf(world, asked, pinned);
        expect(pages.flat()).toEqual(expected);
        expect(pages.slice(0, -1).every(({ length }) => length === query.limit)).toBe(true);
        expect(totals).toEqual([expected.length]);
      }),
      { numRuns: runsOf(20) },
    );
  });
});

/** Ten approved testimonials, the first of which is the oldest. */
async function ten() {
  const ten = Array.from({ length: 10 }, () => ({ rating: 5, isApproved: true, tags: [] }));
  const { world, ids } = await worldWith(ten, 10);
  const at = (n: number) => ids[n] ?? '';
  const firstPage = async (pinned: string[]) => (await pagesOf(world, base, pinned)).pages[0];
  return { world, ids, at, firstPage };
}

test('an id of another organization shows nothing, also where both have a testimonial at that position', async () => {
  const { world, at, firstPage } = await ten();
  const other = await createWorld(world.backend, { organization: 'other' });
  const theirs: Testimonial[] = [];
  for (let n = 0; n < 12; n += 1) theirs.push(await other.create({ ...input, content: 'Theirs' }));
  for (const { id } of theirs) await other.setStatus(id, 'approved');
  const last = theirs.at(-1)?.id ?? '';
  const sameNumber = at(3).replace(/^test_\d{12}/, 'test_999999999999');
  expect(await firstPage([last, sameNumber, at(4)])).toEqual([at(4), at(9), at(8)]);
});

test('an unreadable testimonial is left out, and no other one is shown twice or missing', async () => {
  const { world, ids, at } = await ten();
  const hidden = at(7);
  const backend: Backend = interceptCalls(world.backend, async (_name, call) =>
    withoutId(await call(), hidden),
  );
  const { pages } = await pagesOf({ ...world, backend }, base, [at(1), hidden, at(5)]);
  expect(pages.flat()).toEqual([1, 5, 9, 8, 6, 4, 3, 2, 0].map(at));
  expect(pages.flat()).toHaveLength(ids.length - 1);
});

/** Removes a testimonial from the rows that a store returns, or that one page of a walk has. */
function withoutId<T>(result: T, id: string): T {
  if (typeof result === 'object' && result && 'value' in result)
    return { ...result, value: withoutId(result.value, id) };
  if (!Array.isArray(result)) return result;
  const isOther = (row: { testimonial?: Testimonial; stored?: { testimonial: Testimonial } }) =>
    (row.testimonial ?? row.stored?.testimonial)?.id !== id;
  return result.filter(isOther) as T; // rows of the same kind
}

describe('the calls', () => {
  /** Returns the number of batch reads and of lists that a page makes beside those of the list. */
  async function callsOf(page: number, pins: number[], query: Partial<Asked> = {}): Promise<string[]> {
    const { world, at } = await ten();
    const memory = new ListMemory();
    const calls: string[] = [];
    const backend = interceptCalls(world.backend, (name, call) => {
      calls.push(name);
      return call();
    });
    const asked = { ...base, ...query, page };
    const run = (pinned: string[]) =>
      listPinnedFirst({ ...backend, memory }, world.organization, asked, pinned);
    await run([]);
    calls.length = 0;
    await run([]);
    const alone = calls.splice(0);
    await run(pins.map(at));
    for (const name of alone) calls.splice(calls.indexOf(name), 1);
    return calls.sort();
  }

  test('the first page makes one batch read more, and none without pinned testimonials', async () => {
    expect(await callsOf(1, [0, 4])).toEqual(['findMany']);
    expect(await callsOf(1, [])).toEqual([]);
  });

  test('a page behind the places of all pinned testimonials costs what the list costs', async () => {
    expect(await callsOf(3, [9, 8, 5])).toEqual([]);
    expect(await callsOf(2, [0, 1], { order: 'asc' })).toEqual([]);
    expect(await callsOf(7, [0, 1])).toEqual([]);
  });

  test('a page with or before such a place makes one batch read and one more list', async () => {
    expect(await callsOf(2, [0, 9])).toEqual(['findMany', 'readRecent', 'walk']);
  });
});
