/** The contracts of the operations: their examples, and what the specification says of them. Routes, permissions and statuses: openapi/document.test.ts. */
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { createTestimonialContract } from '../../functions/create-testimonial/contract.ts';
import { limits, statuses, testimonialTypes } from '../../functions/domain/testimonial.ts';
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { listQuery, pagination } from '../../functions/list-testimonials/parameters.ts';
import { contracts } from '../../lib/openapi/document.ts';

const responses = contracts.flatMap(({ operationId, responses }) =>
  Object.entries(responses).map(([status, response]) => [operationId, status, response] as const),
);
const parameters = contracts.flatMap(({ operationId, parameters }) =>
  parameters.map((parameter) => [operationId, parameter.name, parameter] as const),
);

test.each(responses)(
  '%s %s: the examples of each answer satisfy its schema, which knows all of them',
  (_, __, { examples, schema }) => {
    expect(Object.keys(examples).length > 0).toBe(schema !== undefined);
    for (const example of Object.values(examples)) {
      expect(v.parse(schema ?? v.never(), example)).toEqual(example);
    }
  },
);

test.each(parameters)('%s %s: the example and the default satisfy the schema', (_, __, parameter) => {
  for (const value of [parameter.example, parameter.default]) {
    if (value !== undefined) expect(v.safeParse(parameter.schema, String(value)).issues).toBeUndefined();
  }
});

test('the example of a create satisfies its schema, loses nothing, and is answered pending with both times', () => {
  const { schema, example } = createTestimonialContract.requestBody;
  expect(v.parse(schema, example)).toEqual(example);
  const { created } = createTestimonialContract.responses[201].examples;
  expect(created).toMatchObject({ ...example, status: 'pending', updatedAt: created.createdAt });
});

test('the pagination in the example of a list is the published one', () => {
  const published = { page: 1, limit: 25, total: 142, totalPages: 6, hasNext: true, hasPrev: false };
  expect(listTestimonialsContract.responses[200].examples.page.pagination).toEqual(published);
});

test('a parameter left out means the default that is documented', () => {
  const documented = listTestimonialsContract.parameters.flatMap(({ name, default: value }) =>
    value === undefined ? [] : [[name, [String(value)]]],
  );
  expect(v.parse(listQuery, Object.fromEntries(documented)).query).toEqual(v.parse(listQuery, {}).query);
});

test('the values and limits are those of the specification', () => {
  expect(pagination).toMatchObject({ page: { default: 1 }, limit: { default: 25, max: 100 } });
  expect(testimonialTypes).toEqual(['text', 'video', 'audio']);
  expect(statuses).toEqual(['pending', 'approved', 'rejected']);
  expect(limits).toMatchObject({ content: { min: 10 }, rating: { min: 1, max: 5 } });
});
