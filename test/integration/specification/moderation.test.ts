/** The states of a testimonial and what an operator's moderation changes of it. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Status, statuses } from '../../../functions/domain/testimonial.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { moderate } from './moderation.ts';

let api: ApiClient;
beforeAll(async () => {
  api = await createApiClient();
});

const later = (time: string, milliseconds: number) => new Date(Date.parse(time) + milliseconds);

/** Creates a testimonial and brings it to a status. */
async function testimonialIn(status: Status) {
  const { body } = await api.create(testimonialBody({ tags: ['a'], rating: 2 }));
  return status === 'pending' ? body : moderate(api, 'acme', body.id, status, later(body.createdAt, 1000));
}

test('a new testimonial is pending', async () => {
  expect((await api.create(testimonialBody())).body.status).toBe('pending');
});

const transitions = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

describe('any status may follow any other:', () => {
  test.each(transitions)('%s, then %s', async (from, to) => {
    const previous = await testimonialIn(from);
    const next = await moderate(api, 'acme', previous.id, to, later(previous.updatedAt, 1000));
    const { body } = await api.list(`limit=100&status=${to}`);
    const listed = body.testimonials.find(({ id }: { id: string }) => id === previous.id);
    // A change that changes nothing is none.
    const updatedAt = from === to ? previous.updatedAt : later(previous.updatedAt, 1000).toISOString();
    expect(listed).toEqual({ ...previous, status: to, updatedAt });
    expect(next).toEqual(listed);
  });
});

test('a moderated testimonial leaves the list of its old status', async () => {
  const { id, createdAt } = await testimonialIn('pending');
  await moderate(api, 'acme', id, 'approved', later(createdAt, 1000));
  const { body } = await api.list('limit=100&status=pending');
  expect(body.testimonials.map((testimonial: { id: string }) => testimonial.id)).not.toContain(id);
});

test.each([
  ['stands still', 0],
  ['went back an hour', -3_600_000],
])('updatedAt moves forward when the clock %s', async (_clock, milliseconds) => {
  const { id, updatedAt } = await testimonialIn('approved');
  const next = await moderate(api, 'acme', id, 'rejected', later(updatedAt, milliseconds));
  expect(Date.parse(next.updatedAt)).toBeGreaterThan(Date.parse(updatedAt));
});

test('an operator of another organization cannot moderate it', async () => {
  const { id } = await testimonialIn('pending');
  await expect(moderate(api, 'globex', id, 'approved', new Date())).rejects.toThrow(id);
});
