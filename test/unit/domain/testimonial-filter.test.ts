import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { matcherOf } from '../../../functions/domain/list-query.ts';
import { clausesOf, filters, searchLimits } from '../../../functions/domain/testimonial-filter.ts';
import { testimonialOf } from '../../testimonials.ts';

const amazing = testimonialOf({
  content: 'Amazing product! It saved our team two days.',
  author: { name: 'Zoë Müller', email: 'zoe@hidden.example', company: 'Concealed GmbH' },
  rating: 4,
  type: 'video',
  tags: ['Onboarding', 'Größe'],
  status: 'approved',
});

test('all statuses, all types and no tags are no filter', () => {
  expect(clausesOf({ status: 'all', type: 'all', tags: [] })).toEqual(clausesOf({}));
});

test('a filter matches if all of its parts match', () => {
  const filters = fc.record(
    {
      status: fc.constantFrom('pending' as const, 'approved' as const),
      type: fc.constantFrom('video' as const, 'text' as const),
      rating: fc.integer({ min: 1, max: 5 }),
      tags: fc.array(fc.constantFrom('ONBOARDING', 'other'), { minLength: 1, maxLength: 2 }),
      search: fc.constantFrom('amaz', 'zoe', 'nothing'),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(filters, (filter) => {
      const parts = Object.entries(filter).map(([name, value]) => matcherOf({ [name]: value }));
      expect(matcherOf(filter)(amazing)).toBe(parts.every((matches) => matches(amazing)));
    }),
  );
});

describe('a search that is too long', () => {
  const refusal = `must have at most ${searchLimits.length} characters`;
  const issuesOf = (value: string) =>
    v.safeParse(filters.search.schema, value, { abortPipeEarly: true }).issues?.map(({ message }) => message);

  test('is rejected, unless it composes to the limit', () => {
    expect(issuesOf('e\u0301'.repeat(searchLimits.length))).toBeUndefined();
    expect(issuesOf('e\u0301'.repeat(searchLimits.length + 1))).toEqual([refusal]);
  });

  test('is not composed, which would take quadratic time', () => {
    const normalize = jest.spyOn(String.prototype, 'normalize');
    expect(issuesOf('\u0315\u0300'.repeat(4 * searchLimits.length))).toEqual([refusal]);
    expect(normalize).not.toHaveBeenCalled();
    normalize.mockRestore();
  });
});
