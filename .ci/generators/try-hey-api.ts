/**
 * Creates, repeats, lists, changes and sees errors with the client that Hey API generates, which also checks
 * every body by its schema.
 */
import assert from 'node:assert/strict';
import { client } from './hey-api/client.gen.ts';
import { changeTestimonial, createTestimonial, listTestimonials } from './hey-api/sdk.gen.ts';
import type {
  ListedTestimonial,
  ListTestimonialsData,
  PublishedTestimonial,
  TestimonialInput,
} from './hey-api/types.gen.ts';

// A token in the URL would be refused.
client.setConfig({ auth: process.env.TESTIMONIALS_TOKEN ?? '' });

const tag = 'Hey API';
const author = { name: 'Jo', email: 'jo@bücher.example' };
const input: TestimonialInput = {
  content: 'A client that knows its types',
  author,
  type: 'text',
  tags: [tag],
};

async function create(key: string, more: Partial<TestimonialInput> = {}) {
  const request = { body: { ...input, ...more }, headers: { 'Idempotency-Key': key } };
  return (await createTestimonial({ ...request, throwOnError: true })).data;
}

const first = await create('hey-api');
assert.deepEqual(await create('hey-api'), first);
await create('hey-api-2');
await create('hey-api-3');

const filter: ListTestimonialsData['query'] = {
  tags: [tag, 'none'],
  search: 'knows',
  sort: 'createdAt',
  order: 'asc',
  limit: 2,
};
const found: (ListedTestimonial | PublishedTestimonial)[] = [];
for (let page = 1, hasNext = true; hasNext; page += 1) {
  const { data } = await listTestimonials({ query: { ...filter, page }, throwOnError: true });
  found.push(...data.testimonials);
  hasNext = data.pagination.hasNext;
}
assert.equal(found.length, 3);

const change = (id: string) => changeTestimonial({ path: { id }, body: { status: 'approved' } });
assert.equal((await change(first.id)).data?.status, 'approved');
const { error } = await change('test_1');
assert(error && 'error' in error);
assert.equal(error.error.code, 'not_found');

// The schemas refuse these before they are sent.
await assert.rejects(create('wrong', { content: '\u200b'.repeat(12) }), { name: 'ZodError' });
await assert.rejects(create('wrong', { tags: ['a,b'] }), { name: 'ZodError' });

/** Requests that always fail do not compile. */
export const wrong = [
  // @ts-expect-error: a change of nothing
  () => changeTestimonial({ path: { id: 'test_1' }, body: {} }),
  // @ts-expect-error: only the status and the tags can change
  () => changeTestimonial({ path: { id: 'test_1' }, body: { status: 'approved', content: 'Another text' } }),
  // @ts-expect-error: a token does not belong in the URL
  () => listTestimonials({ query: { token: 'tst_1' } }),
];
