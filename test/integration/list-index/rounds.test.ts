/** Calls and rounds of lists, in a function that remembers only the head. */
import { expect, test } from '@jest/globals';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { costMeter } from '../../../functions/dynamodb/cost-meter.ts';
import { ListMemory } from '../../../functions/testimonials/list-index/read/memory.ts';
import { storesOf } from '../../api-client.ts';
import { createTestTable } from '../../test-table.ts';
import { memoryWithHeads } from '../../world/known-heads.ts';
import { queries } from '../../world/queries.ts';
import { input } from '../../world/races.ts';
import { createWorld } from '../../world/world.ts';

const base: ListQuery = { filter: {}, sort: 'createdAt', order: 'desc', page: 1, limit: 2 };

/** Forty indexed testimonials with ratings. The last twenty are approved. */
async function fortyIn({ taken = 0, content = 'amaz' }: { taken?: number; content?: string }) {
  const table = await createTestTable();
  const world = await createWorld(storesOf(table), { taken });
  const created: Testimonial[] = [];
  for (let i = 0; i < 40; i += 1) {
    created.push(await world.create({ ...input, content, rating: (i % 5) + 1 }));
  }
  for (const { id } of created.slice(20)) await world.setStatus(id, 'approved');
  await world.settleForGood();
  const meter = costMeter(table.client);
  return {
    change: () => world.setStatus(created[0]?.id ?? '', 'rejected'),
    /**
     * Returns the costs of a function's first list, of the same list again, and of the same list once the
     * head has moved.
     */
    async listsBeforeAndAfter(query: ListQuery) {
      const cache = new ListMemory();
      const costOfNext = async () => {
        meter.reset();
        await world.list(query, { cache });
        return meter.cost();
      };
      const [cold, again] = [await costOfNext(), await costOfNext()];
      await world.replaceHead((head) => head);
      return { cold, again, moved: await costOfNext() };
    },
    async costOf(query: Partial<ListQuery>) {
      const asked = { ...base, ...query };
      const head = await world.head();
      const expected = await world.expected(asked);
      meter.reset();
      const listed = await world.list(asked, { cache: memoryWithHeads(head ? [['acme', head]] : []) });
      const { requests, rounds, units } = meter.cost();
      expect(listed).toEqual(expected);
      return { requests, rounds, units };
    },
  };
}

test.each([0, 131_052])(
  'the first list after the head has moved takes no more rounds than that of a cold function (%d)',
  async (taken) => {
    const { listsBeforeAndAfter } = await fortyIn({ taken });
    for (const query of queries) {
      const { cold, again, moved } = await listsBeforeAndAfter(query);
      expect(moved.rounds).toBeLessThanOrEqual(cold.rounds);
      // It reads once more what it read under the earlier head.
      expect(moved.units).toBeLessThanOrEqual(cold.units + again.units);
    }
  },
);

test('bits of a single chunk tell how many there are and which', async () => {
  const { costOf } = await fortyIn({});
  const costs: [Partial<ListQuery>, { requests: number; rounds: number }][] = [
    [{ filter: { status: 'approved' } }, { requests: 3, rounds: 1 }],
    [{}, { requests: 3, rounds: 1 }],
    [
      { filter: { status: 'approved' }, page: 7 },
      { requests: 3, rounds: 2 },
    ],
    [{ filter: { tags: ['ux', 'a', 'b'], search: 'am' } }, { requests: 3, rounds: 2 }],
    [
      { filter: { type: 'text' }, sort: 'updatedAt' },
      { requests: 3, rounds: 2 },
    ],
  ];
  for (const [query, cost] of costs) {
    expect({ query, ...(await costOf(query)) }).toMatchObject({ query, ...cost });
  }
});

test('the bits that a change corrects are read at the same time as its testimonial', async () => {
  const { change, costOf } = await fortyIn({ taken: 131_052 });
  const middle: Partial<ListQuery> = { filter: { status: 'approved' }, sort: 'rating', page: 10, limit: 1 };
  const { rounds } = await costOf(middle);
  expect(rounds).toBe(3);
  await change();
  expect(await costOf(middle)).toMatchObject({ rounds: rounds + 1 });
});

test('rows with long contents are read by their ordinals, once', async () => {
  const { costOf } = await fortyIn({ content: 'amaz '.repeat(600) });
  const cost = await costOf({ filter: { type: 'text', rating: 5 }, sort: 'updatedAt', limit: 20 });
  expect(cost).toEqual({ requests: 4, rounds: 3, units: 8 });
});
