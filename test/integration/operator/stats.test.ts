/** `stats`. */
import { beforeAll, expect, test } from '@jest/globals';
import { statuses, type Testimonial } from '../../../functions/domain/testimonial.ts';
import { testimonialStore } from '../../../functions/persistence/dynamodb-testimonial-store.ts';
import type { Table } from '../../../functions/persistence/table.ts';
import { adminOf } from '../../admin.ts';
import { createTestTable } from '../../test-table.ts';
import { generateTestimonials } from '../../zipf/generate-testimonials.ts';

const organization = 'indexed';
const count = 30;
let table: Table;
let admin: ReturnType<typeof adminOf>;
beforeAll(async () => {
  table = await createTestTable();
  // No list reads what a rebuild removes.
  admin = adminOf(table, undefined, async () => {});
  const store = testimonialStore(table);
  for (const stored of generateTestimonials(count)) await store.insert(organization, stored);
  await admin('index', 'rebuild', '--organization', organization);
});

test('stats counts by status, type and rating what lists count', async () => {
  const { code, stdout } = await admin('stats', '--organization', organization);
  expect(code).toBe(0);
  const all = (await Array.fromAsync(testimonialStore(table).from(organization, 0))).flat();
  const count = (matches: (testimonial: Testimonial) => boolean) =>
    String(all.filter(({ testimonial }) => matches(testimonial)).length);
  const cellsOf = (name: string) =>
    stdout
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.trim()
      .split(/ {2,}/);
  expect(cellsOf(organization)).toEqual([organization, 'pending', 'approved', 'rejected', 'all']);
  const row = (name: string, matches: (testimonial: Testimonial) => boolean) => [
    name,
    ...statuses.map((status) => count((each) => each.status === status && matches(each))),
    count(matches),
  ];
  expect(cellsOf('video')).toEqual(row('video', ({ type }) => type === 'video'));
  expect(cellsOf('5 stars')).toEqual(row('5 stars', ({ rating }) => rating === 5));
  expect(cellsOf('unrated')).toEqual(row('unrated', ({ rating }) => rating === undefined));
  expect(cellsOf('all')).toEqual(row('all', () => true));
  const json = await admin('stats', '--organization', organization, '--json');
  const parsed = JSON.parse(json.stdout);
  expect(parsed).toMatchObject({ organization, total: all.length });
  expect(parsed.counts).toContainEqual({
    ...{ status: 'approved', type: 'text', rating: null },
    count: all.filter(
      ({ testimonial: { status, type, rating } }) =>
        status === 'approved' && type === 'text' && rating === undefined,
    ).length,
  });
});
