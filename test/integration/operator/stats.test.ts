/** `stats`. */
import { beforeAll, expect, test } from '@jest/globals';
import { statuses, type Testimonial } from '../../../functions/domain/testimonial.ts';
import { testimonialStore } from '../../../functions/persistence/dynamodb-testimonial-store.ts';
import type { Table } from '../../../functions/persistence/table.ts';
import { adminOf } from '../../admin.ts';
import { createTestTable } from '../../test-table.ts';
import { generateTestimonials } from '../../zipf/generate-testimonials.ts';

const organization = 'indexed';
let table: Table;
let admin: ReturnType<typeof adminOf>;
beforeAll(async () => {
  table = await createTestTable();
  // No list reads what a rebuild removes.
  admin = adminOf(table, undefined, async () => {});
  const store = testimonialStore(table);
  for (const stored of generateTestimonials(30)) await store.insert(organization, stored);
  await admin('index', 'rebuild', '--organization', organization);
});

test('stats counts by status, type and rating what lists count', async () => {
  const all = (await Array.fromAsync(testimonialStore(table).from(organization, 0))).flat();
  const count = (matches: (testimonial: Testimonial) => boolean) =>
    all.filter(({ testimonial }) => matches(testimonial)).length;
  const row = (name: string, matches: (testimonial: Testimonial) => boolean) => [
    name,
    ...statuses.map((status) => String(count((each) => each.status === status && matches(each)))),
    String(count(matches)),
  ];
  const { stdout } = await admin('stats', '--organization', organization);
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual(
    expect.arrayContaining([
      [organization, 'pending', 'approved', 'rejected', 'all'],
      row('video', ({ type }) => type === 'video'),
      row('5 stars', ({ rating }) => rating === 5),
      row('unrated', ({ rating }) => rating === undefined),
      row('all', () => true),
    ]),
  );
  const json = JSON.parse((await admin('stats', '--organization', organization, '--json')).stdout);
  expect(json).toMatchObject({ organization, total: all.length });
  const one = { status: 'approved', type: 'text', rating: null };
  expect(json.counts).toContainEqual({
    ...one,
    count: count(
      ({ status, type, rating }) => status === one.status && type === one.type && rating === undefined,
    ),
  });
});
