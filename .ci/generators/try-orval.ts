/** Creates, repeats, lists, changes and sees errors with the client that Orval generates. */
import assert from 'node:assert/strict';
import {
  changeTestimonial,
  createTestimonial,
  type ListedTestimonial,
  type ListTestimonialsParams,
  listTestimonials,
  type PublishedTestimonial,
  type TestimonialInput,
} from './orval/api.ts';

const headers = { Authorization: `Bearer ${process.env.TESTIMONIALS_TOKEN}` };
const tag = 'Orval';
const author = { name: 'Jo', email: 'jo@example.com' };
const input: TestimonialInput = {
  content: 'A client that knows its types',
  author,
  type: 'text',
  tags: [tag],
};

async function create(key: string) {
  const response = await createTestimonial(input, { headers: { ...headers, 'Idempotency-Key': key } });
  assert(response.status === 201);
  return response.data;
}

const first = await create('orval');
assert.deepEqual(await create('orval'), first);
await create('orval-2');
await create('orval-3');

const filter: ListTestimonialsParams = {
  tags: [tag, 'none'],
  search: 'knows',
  sort: 'createdAt',
  order: 'asc',
  limit: 2,
};
const found: (ListedTestimonial | PublishedTestimonial)[] = [];
for (let page = 1, hasNext = true; hasNext; page += 1) {
  const { status, data } = await listTestimonials({ ...filter, page }, { headers });
  assert(status === 200);
  found.push(...data.testimonials);
  hasNext = data.pagination.hasNext;
}
assert.equal(found.length, 3);

const changed = await changeTestimonial(first.id, { status: 'approved' }, { headers });
assert(changed.status === 200);
assert.equal(changed.data.status, 'approved');
const missing = await changeTestimonial('test_1', { addTags: ['x'] }, { headers });
assert(missing.status === 404);
assert.equal(missing.data.error.code, 'not_found');

/** Requests that always fail do not compile. */
export const wrong = [
  // @ts-expect-error: a change of nothing
  () => changeTestimonial('test_1', {}),
  // @ts-expect-error: only the status and the tags can change
  () => changeTestimonial('test_1', { status: 'approved', content: 'Another text' }),
  // @ts-expect-error: a token does not belong in the URL
  () => listTestimonials({ token: 'tst_1' }),
];
