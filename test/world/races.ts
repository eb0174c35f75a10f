/** Shared parts of the races: three testimonials, paused lists and index updates, and expectations. */
import assert from 'node:assert/strict';
import { expect } from '@jest/globals';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import type { TestimonialInput } from '../../functions/domain/testimonial.ts';
import { sortNames } from '../../functions/domain/testimonial-order.ts';
import type { IndexHead } from '../../functions/testimonials/list-index/index-store.ts';
import type { TestimonialStore } from '../../functions/testimonials/model/testimonial-store.ts';
import { settledMs } from '../../functions/timing.ts';
import { input as usual } from '../testimonials.ts';
import type { Backend } from './backend.ts';
import type { Process } from './process.ts';
import { base, queries } from './queries.ts';
import type { World } from './world.ts';

export const input: TestimonialInput = { ...usual, tags: ['UX'] };

export * from './queries.ts';

/** Creates and indexes three testimonials; the second is approved. */
export async function withThree(world: World) {
  const first = await world.create(input);
  const second = await world.create(input);
  const third = await world.create({ ...input, content: 'Terrible service, no more' });
  await world.setStatus(second.id, 'approved');
  await world.settle();
  expect(await world.markers()).toEqual([]);
  return Object.assign(world, { first, second, third });
}

/** Expects lists to be right, under the current head or a remembered one. */
export async function expectRightLists(world: World, heads?: Map<string, IndexHead>) {
  for (const query of queries) {
    const cache = heads && { cache: new Map(heads) };
    expect(await world.list(query, cache)).toEqual(await world.expected(query));
  }
}

/** Expects lists to be right now, and once they read only the postings. */
export async function expectRightForGood(world: World) {
  await expectRightLists(world);
  await world.settle();
  await expectRightLists(world);
  expect(await world.differences()).toEqual([]);
}

/** A testimonial to erase, with words and a tag that no other has. */
export const zebra: TestimonialInput = { ...input, content: 'A zebra of a product', tags: ['striped'] };
export const zebras: ListQuery[] = sortNames.flatMap((sort) => [
  { ...base, sort, filter: { search: 'zebra' } },
  { ...base, sort, filter: { search: 'ze' } },
  { ...base, sort, filter: { tags: ['striped'] } },
  { ...base, sort, filter: { tags: ['striped'], status: 'pending' } },
]);

/** Expects it in no list, under the current head or a remembered one. */
export async function expectNoZebra(world: World, remembered = new Map<string, IndexHead>()) {
  for (const query of zebras) {
    const cache = new Map(remembered);
    expect(await world.list(query, { cache })).toEqual({ testimonials: [], total: 0 });
  }
}

/** Pauses a list before a call. */
export async function pausedList(world: World, query: ListQuery, call: string) {
  const list = world.works.list(query);
  const process = await world.begin(list).runUntil(call);
  assert(
    process.waitsFor.includes(call),
    `The list never calls ${call}: it calls ${process.calls.join(', ')}`,
  );
  return {
    run: (calls?: number) => process.run(calls),
    /** Continues to its end, and returns the list. */
    async end() {
      await process.run();
      return list.listed();
    },
  };
}

/**
 * Begins an index update once everything has settled, and pauses it before the last of some calls in turn.
 */
export async function pausedUpdate(world: World, ...calls: string[]): Promise<Process> {
  world.advance(settledMs + 1000);
  const update = world.begin(world.works.updateIndex());
  for (const call of calls) await update.runUntil(call);
  return update;
}

/** Returns the stores of a world with some methods replaced. */
export function storesWith({ backend }: World, testimonials: Partial<TestimonialStore>): Backend {
  return { ...backend, testimonials: { ...backend.testimonials, ...testimonials } };
}

/** Returns the current head, as a function remembers it. */
export async function rememberedHead(world: World): Promise<Map<string, IndexHead>> {
  const heads = new Map<string, IndexHead>();
  await world.list(base, { cache: heads });
  return heads;
}
