/** What the races of the list engine have in common: three testimonials, and that all lists are right. */
import { expect } from '@jest/globals';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import type { TestimonialStore } from '../../functions/domain/stores.ts';
import type { TestimonialInput } from '../../functions/domain/testimonial.ts';
import { sortNames } from '../../functions/domain/testimonial-order.ts';
import type { IndexHead } from '../../functions/list-index/index-store.ts';
import { settledMs } from '../../functions/timing.ts';
import { input as usual } from '../testimonials.ts';
import type { Backend } from './backend.ts';
import type { Process } from './process.ts';
import { base, queries } from './queries.ts';
import type { World } from './world.ts';

export const input: TestimonialInput = { ...usual, tags: ['UX'] };

export * from './queries.ts';

/** Three testimonials in the index, of which the second is approved. */
export async function withThree(world: World) {
  const first = await world.create(input);
  const second = await world.create(input);
  const third = await world.create({ ...input, content: 'Terrible service, no more' });
  await world.setStatus(second.id, 'approved');
  await world.settle();
  expect(await world.markers()).toEqual([]);
  return Object.assign(world, { first, second, third });
}

/** Lists are right, by the head as it is or by a remembered one. */
export async function expectRightLists(world: World, heads?: Map<string, IndexHead>) {
  for (const query of queries) {
    const cache = heads && { cache: new Map(heads) };
    expect(await world.list(query, cache)).toEqual(await world.expected(query));
  }
}

/** Right now, and when nothing but the postings answers. */
export async function expectRightForGood(world: World) {
  await expectRightLists(world);
  await world.settle();
  await expectRightLists(world);
  expect(await world.differences()).toEqual([]);
}

/** One to be erased, by words and a tag that no other has. */
export const zebra: TestimonialInput = { ...input, content: 'A zebra of a product', tags: ['striped'] };
export const zebras: ListQuery[] = sortNames.flatMap((sort) => [
  { ...base, sort, filter: { search: 'zebra' } },
  { ...base, sort, filter: { search: 'ze' } },
  { ...base, sort, filter: { tags: ['striped'] } },
  { ...base, sort, filter: { tags: ['striped'], status: 'pending' } },
]);

/** No list has it, by the head as it is or by a remembered one. */
export async function expectNoZebra(world: World, remembered = new Map<string, IndexHead>()) {
  for (const query of zebras) {
    const cache = new Map(remembered);
    expect(await world.list(query, { cache })).toEqual({ testimonials: [], total: 0 });
  }
}

/** A list that is paused before a call. */
export async function pausedList(world: World, query: ListQuery, call: string) {
  const list = world.works.list(query);
  const process = await world.begin(list).runUntil(call);
  return {
    run: (calls?: number) => process.run(calls),
    /** Lets it go on to its end, and returns what it listed. */
    async end() {
      await process.run();
      return list.listed();
    },
  };
}

/** An index update of what has settled by then, paused before a call, and again before each of some others. */
export async function pausedUpdate(world: World, ...calls: string[]): Promise<Process> {
  world.advance(settledMs + 1000);
  const update = world.begin(world.works.updateIndex());
  for (const call of calls) await update.runUntil(call);
  return update;
}

/** The stores of an organization, which read or write testimonials in another way. */
export function storesWith({ backend }: World, testimonials: Partial<TestimonialStore>): Backend {
  return { ...backend, testimonials: { ...backend.testimonials, ...testimonials } };
}

/** A head that a function remembers from now on. */
export async function rememberedHead(world: World): Promise<Map<string, IndexHead>> {
  const heads = new Map<string, IndexHead>();
  await world.list(base, { cache: heads });
  return heads;
}
