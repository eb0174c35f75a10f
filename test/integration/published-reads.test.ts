/** The cost of published reads. */
import { expect, test } from '@jest/globals';
import { costMeter } from '../../functions/dynamodb/cost-meter.ts';
import { updateIndex, wholeTail } from '../../functions/testimonials/list-index/write/update-index.ts';
import { changeTestimonial } from '../../functions/testimonials/operations/change-testimonial.ts';
import { settledMs } from '../../functions/timing.ts';
import { createApiClient, storesOf, testimonialBody } from '../api-client.ts';

test('a published list costs at most as much as the full list, and the same whether a masked word matches or not', async () => {
  const api = await createApiClient();
  const token = await api.issue(['testimonials:read-published']);
  const published = { authorization: `Bearer ${token}` };
  const deps = { ...storesOf(api.table), now: api.table.now };
  const approve = (id: string) => changeTestimonial(deps, 'acme', id, { status: 'approved' });
  for (let i = 0; i < 30; i += 1) {
    const { body } = await api.create(testimonialBody({ rating: (i % 5) + 1, tags: ['page'] }));
    if (i % 3 > 0) await approve(body.id);
  }
  const { body: masked } = await api.create(
    testimonialBody({
      content: 'Ask wladimirowitsch88@example.com about it',
      tags: ['wladimirowitsch88@example.com'],
    }),
  );
  await approve(masked.id);
  const now = () => new Date(api.table.now().getTime() + settledMs);
  await updateIndex({ ...storesOf(api.table), now }, 'acme', wholeTail);
  const meter = costMeter(api.table.client);
  const costOfList = async (query: string, headers?: { authorization: string }) => {
    api.memory.get('acme').clear();
    meter.reset();
    expect((await api.list(query, headers)).status).toBe(200);
    return meter.cost();
  };
  await api.list();
  for (const query of ['', 'limit=5&page=2', 'sort=rating&order=asc', 'type=text&rating=3']) {
    const full = await costOfList(`status=approved&${query}`);
    expect({ query, ...(await costOfList(query, published)) }).toEqual({ query, ...full });
  }
  // The full list also reads hidden postings, of words in a separate call and of tags in the same call.
  const hidden: [query: string, calls: number][] = [
    ['tags=page', 0],
    ['search=amaz', 1],
    ['search=amaz&limit=5', 1],
  ];
  for (const [query, calls] of hidden) {
    const full = await costOfList(`status=approved&${query}`);
    const { requests, units, rounds } = await costOfList(query, published);
    expect({ query, requests, rounds }).toEqual({
      query,
      requests: full.requests - calls,
      rounds: full.rounds,
    });
    expect(units).toBeLessThan(full.units);
  }
  for (const guess of ['search=wladimirowitsch8', 'tags=wladimirowitsch88@example.com']) {
    const miss = guess.replace(/8(?=@|$)/, '7');
    expect((await api.list(`status=approved&${guess}`)).body.pagination.total).toBe(1);
    expect((await api.list(guess, published)).body.pagination.total).toBe(0);
    expect(await costOfList(guess, published)).toEqual(await costOfList(miss, published));
  }
});
