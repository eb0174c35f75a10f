import { expect, test } from '@jest/globals';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { KnownTestimonials } from '../../contract/known-testimonials.ts';

const time = '2026-01-01T00:00:00.000Z';

function testimonial(ordinal: number, overrides: Partial<Testimonial> = {}): Testimonial {
  return {
    id: `test_100000000000${ordinal}`,
    content: 'Amazing product',
    author: { name: 'Jane Doe', email: 'jane@example.com' },
    type: 'text',
    status: 'pending',
    createdAt: time,
    updatedAt: time,
    ...overrides,
  };
}

const ordinals = (known: KnownTestimonials, query: string) =>
  known.list(query).testimonials.map(({ id }) => Number(id.slice('test_100000000000'.length)));

test('lists are filtered, sorted and sliced, with the total of all that match', () => {
  const known = new KnownTestimonials();
  for (const [ordinal, rating] of [
    [2, 5],
    [1, 3],
    [3, undefined],
    [4, 5],
  ] as const) {
    known.created(testimonial(ordinal, rating === undefined ? {} : { rating }));
  }
  expect(ordinals(known, '')).toEqual([4, 3, 2, 1]);
  expect(ordinals(known, 'sort=rating&order=asc')).toEqual([3, 1, 2, 4]);
  expect(known.list('rating=3&limit=2').pagination).toEqual({
    ...{ page: 1, limit: 2, total: 3, totalPages: 2 },
    ...{ hasNext: true, hasPrev: false },
  });
});

test('changes at one time are in the order in which they were made, and between creates', () => {
  const known = new KnownTestimonials();
  for (const ordinal of [1, 2, 3]) known.created(testimonial(ordinal));
  known.changed(testimonial(2, { status: 'approved' }));
  known.changed(testimonial(1, { status: 'approved' }));
  known.created(testimonial(4));
  expect(ordinals(known, 'sort=updatedAt')).toEqual([4, 1, 2, 3]);
  expect(ordinals(known, 'status=approved')).toEqual([2, 1]);
});

test('what was erased is in no list', () => {
  const known = new KnownTestimonials();
  for (const ordinal of [1, 2]) known.created(testimonial(ordinal));
  known.erase(testimonial(1).id);
  expect(ordinals(known, '')).toEqual([2]);
  expect(known.size).toBe(1);
});
