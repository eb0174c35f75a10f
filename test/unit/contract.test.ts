import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { createTestimonialContract } from '../../functions/create-testimonial/contract.ts';
import { limits, statuses, testimonialTypes } from '../../functions/domain/testimonial.ts';
import type { OperationContract } from '../../functions/http/contract.ts';
import { routeKey } from '../../functions/http/operation.ts';
import { listTestimonialsContract } from '../../functions/list-testimonials/contract.ts';
import { listQuery, pagination } from '../../functions/list-testimonials/parameters.ts';
import { moderationContracts } from '../../functions/moderate-testimonials/contract.ts';

const contracts: OperationContract[] = [
  createTestimonialContract,
  listTestimonialsContract,
  ...moderationContracts,
];
const responses = contracts.flatMap((contract) =>
  Object.entries(contract.responses).map(
    ([status, response]) => [contract.operationId, status, response] as const,
  ),
);
const parameters = contracts.flatMap((contract) =>
  contract.parameters.map((parameter) => [contract.operationId, parameter.name, parameter] as const),
);

test('the operations are on the routes that the specification names, and the optional ones on one testimonial', () => {
  expect(contracts.map(routeKey)).toEqual([
    ...['POST /v1/testimonials', 'GET /v1/testimonials', 'GET /v1/testimonials/{id}'],
    ...['PATCH /v1/testimonials/{id}', 'DELETE /v1/testimonials/{id}'],
  ]);
});

test('each operation has the permissions that were decided', () => {
  expect(contracts.map(({ accesses }) => accesses.map(({ permission }) => permission))).toEqual([
    ['testimonials:write'],
    ['testimonials:read', 'testimonials:read-published'],
    ['testimonials:read'],
    ['testimonials:moderate'],
    ['testimonials:erase'],
  ]);
});

describe('documented statuses', () => {
  // Part 7 of the specification; 201, 200 and 429 as decided.
  test.each([
    ['create', createTestimonialContract, [201, 400, 401, 403, 422, 429, 500, 503]],
    ['list', listTestimonialsContract, [200, 400, 401, 403, 429, 500, 503]],
    ['get', moderationContracts[0], [200, 400, 401, 403, 404, 429, 500, 503]],
    ['change', moderationContracts[1], [200, 400, 401, 403, 404, 409, 422, 429, 500, 503]],
    ['erase', moderationContracts[2], [204, 400, 401, 403, 404, 429, 500, 503]],
  ] as const)('of %s are all that it can answer and no other', (_, { responses: documented }, expected) => {
    expect(Object.keys(documented).map(Number).sort()).toEqual(expected);
  });
});

describe('examples', () => {
  test.each(responses)('%s %s: each answer satisfies its schema, which knows all of it', (_, __, answer) => {
    const examples = Object.values(answer.examples);
    expect(examples.length > 0).toBe(answer.schema !== undefined);
    for (const example of examples) expect(v.parse(answer.schema ?? v.never(), example)).toEqual(example);
  });

  test('the create request satisfies its schema and loses nothing', () => {
    const { schema, example } = createTestimonialContract.requestBody;
    expect(v.parse(schema, example)).toEqual(example);
  });

  test('the created testimonial is the request, pending, with both times set', () => {
    const { created } = createTestimonialContract.responses[201].examples;
    expect(created).toMatchObject({ ...createTestimonialContract.requestBody.example, status: 'pending' });
    expect(created.updatedAt).toBe(created.createdAt);
  });

  test('the pagination of the list is the published one', () => {
    expect(listTestimonialsContract.responses[200].examples.page.pagination).toEqual({
      page: 1,
      limit: 25,
      total: 142,
      totalPages: 6,
      hasNext: true,
      hasPrev: false,
    });
  });

  test.each(parameters)('%s %s: the example and the default satisfy the schema', (_, __, parameter) => {
    for (const value of [parameter.example, parameter.default]) {
      if (value !== undefined) expect(v.safeParse(parameter.schema, String(value)).issues).toBeUndefined();
    }
  });
});

describe('list parameters', () => {
  const byName = new Map<string, OperationContract['parameters'][number]>(
    listTestimonialsContract.parameters.map((parameter) => [parameter.name, parameter]),
  );

  const specified = {
    page: 1,
    limit: 25,
    status: 'all',
    type: 'all',
    rating: undefined,
    sort: 'createdAt',
    order: 'desc',
    search: undefined,
    tags: undefined,
  };

  test('are those of the specification, in its order', () => {
    expect([...byName.keys()]).toEqual(Object.keys(specified));
  });

  test('have the defaults of the specification', () => {
    expect([...byName.values()].map((parameter) => parameter.default)).toEqual(Object.values(specified));
  });

  test('a parameter left out means the default that is documented', () => {
    const documented = [...byName].flatMap(([name, { default: value }]) =>
      value === undefined ? [] : [[name, [String(value)]]],
    );
    expect(v.parse(listQuery, Object.fromEntries(documented)).query).toEqual(v.parse(listQuery, {}).query);
  });
});

test('the values and limits are those of the specification', () => {
  expect(pagination).toMatchObject({ page: { default: 1 }, limit: { default: 25, max: 100 } });
  expect(testimonialTypes).toEqual(['text', 'video', 'audio']);
  expect(statuses).toEqual(['pending', 'approved', 'rejected']);
  expect(limits).toMatchObject({ content: { min: 10 }, rating: { min: 1, max: 5 } });
});
