/** The arbitraries of the random histories: a filter that nothing generated matches would prove nothing. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { matcherOf } from '../../../functions/domain/list-query.ts';
import { statuses, type Testimonial } from '../../../functions/domain/testimonial.ts';
import { filterNames } from '../../../functions/domain/testimonial-filter.ts';
import { testimonialOf } from '../../testimonials.ts';
import { filterValues, input } from '../../world/arbitraries.ts';

const { id, createdAt, updatedAt } = testimonialOf();
const testimonials: Testimonial[] = fc
  .sample(fc.tuple(input, fc.constantFrom(...statuses)), { numRuns: 200, seed: 1 })
  .map(([made, status]) => ({ id, createdAt, updatedAt, ...made, status }));

test.each(filterNames)('the values of %s match some generated testimonials and not others', (name) => {
  const shares = fc.sample<unknown>(filterValues[name], { numRuns: 50, seed: 1 }).map((value) => {
    const matches = testimonials.filter(matcherOf({ [name]: value })).length;
    return matches / testimonials.length;
  });
  expect(shares.filter((share) => share > 0 && share < 1).length).toBeGreaterThan(shares.length / 2);
});
