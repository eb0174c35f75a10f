import { randomInt } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createTestimonial } from '../../functions/operations/create-testimonial.ts';
import { createApiClient, storesOf, testimonialBody } from '../api-client.ts';

test('a text of letters that each stand for eighteen is refused; sixty that were stored before are looked through', async () => {
  const api = await createApiClient();
  const content = '\ufdfa'.repeat(10_000);
  const refused = await api.create(testimonialBody({ content }));
  expect([refused.status, refused.body.error.details]).toEqual([
    422,
    { content: 'must stand for at most 20,000 letters: some of its characters stand for several each' },
  ]);
  const author = { name: 'Jane Doe', email: 'jane@example.com' };
  const deps = { ...storesOf(api.table), now: api.table.now, randomInt, onPlaceTaken: () => {} };
  for (let i = 0; i < 60; i += 1) {
    await createTestimonial(deps, { organization: 'acme', input: { content, author, type: 'text' } });
  }
  const totalOf = async (search: string) =>
    (await api.list(`search=${encodeURIComponent(search)}`)).body.pagination.total;
  expect(await totalOf('nothing')).toBe(0);
  expect(await totalOf('\ufdfa')).toBe(60);
  // The letters are there, and no word begins so.
  expect(await totalOf('لله')).toBe(0);
});
