/** The cost of testimonials in the tail: for small organizations, for any list, and for a million creates. */

import { expect, test } from '@jest/globals';
import type { ListQuery } from '../../functions/domain/list-query.ts';
import { type Cost, costMeter } from '../../functions/dynamodb/cost-meter.ts';
import { batchPut } from '../../functions/dynamodb/items.ts';
import type { Table } from '../../functions/dynamodb/table.ts';
import { ListMemory } from '../../functions/testimonials/list-index/read/memory.ts';
import { updateIndex, wholeTail } from '../../functions/testimonials/list-index/write/update-index.ts';
import type { IndexUpdateOptions } from '../../functions/testimonials/list-index/write/update-step.ts';
import { listTestimonials } from '../../functions/testimonials/operations/list-testimonials.ts';
import { testimonialItem } from '../../functions/testimonials/table/stored-testimonials.ts';
import { settledMs } from '../../functions/timing.ts';
import { storesOf } from '../api-client.ts';
import { lists, queryOf } from '../benchmark/lists.ts';
import { price } from '../benchmark/model.ts';
import { createTestTable } from '../test-table.ts';
import { generateTestimonials, rareTag } from '../zipf/generate-testimonials.ts';

const organization = 'acme';

/** Creates so many testimonials, which are settled. */
async function add(table: Table, count: number, words: [number, number]): Promise<void> {
  const { testimonials } = storesOf(table);
  const last = await testimonials.reserveOrdinals(organization, table.now(), count);
  const [firstOrdinal, firstUpdateOrdinal] = [last.ordinal - count + 1, last.updateOrdinal - count + 1];
  const made = generateTestimonials(count, { firstOrdinal, firstUpdateOrdinal, seed: firstOrdinal, words });
  await batchPut(
    table,
    Array.from(made, ({ testimonial, ...places }) => {
      // The generator gives the rare tag to the first ones of each call.
      const tags = testimonial.tags?.filter((tag) => tag !== rareTag || places.ordinal <= 3);
      return testimonialItem(organization, {
        ...places,
        testimonial: { ...testimonial, ...(tags && { tags }) },
      });
    }),
  );
}

function update(table: Table, options?: IndexUpdateOptions) {
  const now = () => new Date(table.now().getTime() + settledMs);
  return updateIndex({ ...storesOf(table), now }, organization, options);
}

/** Returns the queries of the benchmark's lists. */
async function queriesOf(table: Table): Promise<[string, ListQuery][]> {
  const ask = (query: ListQuery) =>
    listTestimonials({ ...storesOf(table), memory: new ListMemory() }, organization, query);
  return Promise.all(
    lists.map(async (list): Promise<[string, ListQuery]> => [list.name, await queryOf(list, ask)]),
  );
}

/** Returns the costs of lists in a function that knows nothing, and once more in the same function. */
async function costs(
  table: Table,
  queries: readonly [string, ListQuery][],
): Promise<{ name: string; cold: Cost; warm: Cost }[]> {
  const meter = costMeter(table.client);
  const results: { name: string; cold: Cost; warm: Cost }[] = [];
  for (const [name, query] of queries) {
    const memory = new ListMemory();
    const measure = async () => {
      meter.reset();
      await listTestimonials({ ...storesOf(table), memory }, organization, query);
      return meter.cost();
    };
    results.push({ name, cold: await measure(), warm: await measure() });
  }
  return results;
}

test('thirty short testimonials have no postings, and a list of them is one call', async () => {
  const table = await createTestTable();
  await add(table, 30, [3, 8]);
  expect(await update(table)).toMatchObject({ steps: 0, hasMore: false });
  for (const { cold, warm } of await costs(table, await queriesOf(table))) {
    expect([cold.requests, cold.rounds]).toEqual([2, 2]);
    expect([warm.requests, warm.rounds]).toEqual([1, 1]);
    expect(warm.units).toBeLessThanOrEqual(4);
  }
});

test('a list knows since when an index update is due, even under an old head', async () => {
  const table = await createTestTable();
  const memory = new ListMemory();
  const list = async () => {
    const query: ListQuery = { filter: {}, sort: 'createdAt', order: 'desc', page: 1, limit: 25 };
    const { explanation } = await listTestimonials({ ...storesOf(table), memory }, organization, query);
    return explanation.dueSince;
  };
  await add(table, 5, [3, 8]);
  expect(await list()).toBeUndefined();
  await add(table, 100, [10, 40]);
  const since = await list();
  expect(Date.parse(since ?? '')).not.toBeNaN();
  const remembered = memory.get(organization).head;
  await update(table);
  memory.get(organization).head = remembered;
  expect(await list()).toBeUndefined();
});

test('the tail adds at most five read units to any list, and no round', async () => {
  const table = await createTestTable();
  const { index } = storesOf(table);
  const upTo = async () => (await index.readHead(organization))?.indexed ?? 1;
  await add(table, 130, [10, 40]);
  await update(table, wholeTail);
  // Creates one after another, until an update takes them.
  const first = await upTo();
  while ((await upTo()) === first) {
    await add(table, 1, [3, 8]);
    await update(table);
  }
  const together = (await upTo()) - first;
  expect(together).toBeGreaterThan(20);
  await add(table, together - 2, [3, 8]);
  expect(await update(table)).toMatchObject({ steps: 0, hasMore: false });
  const queries = await queriesOf(table);
  const waiting = await costs(table, queries);
  await update(table, wholeTail);
  const indexed = await costs(table, queries);
  for (const [i, { name, warm }] of waiting.entries()) {
    const { rounds = 0, units = 0 } = indexed[i]?.warm ?? {};
    expect([name, warm.rounds]).toEqual([name, Math.min(warm.rounds, rounds)]);
    expect([name, warm.units]).toEqual([name, Math.min(warm.units, units + 5)]);
  }
});

test('indexing a million creates one by one costs less than $50', async () => {
  const table = await createTestTable();
  const meter = costMeter(table.client);
  const count = 60;
  let dollars = 0;
  for (let i = 0; i < count; i += 1) {
    await add(table, 1, [10, 40]);
    meter.reset();
    await update(table);
    const { units, writeUnits } = meter.cost();
    dollars += (units - writeUnits) * price.readUnit + writeUnits * price.writeUnit;
  }
  // The prices are for a million units, so this is for a million creates.
  expect(dollars / count).toBeLessThan(50);
});
