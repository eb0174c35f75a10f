import { expect, test } from '@jest/globals';
import { createApiClient, testimonialBody } from '../api-client.ts';

test('a created testimonial is in the very next list', async () => {
  const api = await createApiClient();
  const created = await api.create(testimonialBody({ rating: 5 }));
  expect(created.status).toBe(201);
  const listed = await api.list();
  expect(listed.body.testimonials).toEqual([{ ...created.body, tags: [] }]);
  expect(listed.body.pagination).toEqual({
    page: 1,
    limit: 25,
    total: 1,
    totalPages: 1,
    hasNext: false,
    hasPrev: false,
  });
});
