/** `explain` and `stats`. */
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

test('explain shows terms, rows, rounds and units of a list', async () => {
  const { code, stdout } = await admin(
    ...['explain', '--organization', organization, 'status=approved&search=a con&page=2&limit=5'],
  );
  expect(code).toBe(0);
  expect(stdout).toContain('all of   status=approved\n         prefix=a\n         words from con\n');
  expect(stdout).toMatch(/^rows {5}by ordinal$/m);
  expect(stdout).toMatch(/^cost {5}\d+(\.5)? read units, \d+ requests in 2 rounds$/m);
  expect(stdout).toMatch(
    /^again {4}\d+(\.5)? read units?, \d+ requests? in 1 round, until something is written$/m,
  );
});

test.each([
  ['asc', 'rating=0, rating=1, rating=2, rating=3, rating=4, rating=5, ascending'],
  ['desc', 'rating=5, rating=4, rating=3, rating=2, rating=1, rating=0, descending'],
])('explain says in which turn order=%s has the ratings', async (order, inTurn) => {
  const { stdout } = await admin('explain', '--organization', organization, `sort=rating&order=${order}`);
  expect(stdout).toContain(`in turn  ${inTurn}\n`);
});

test('explain warns of a parameter that lists ignore, and of an organization without a token', async () => {
  const { code, stderr } = await admin('explain', '--organization', 'nobody', 'statuss=approved');
  expect(code).toBe(0);
  expect(stderr).toBe(
    'A list has no parameter statuss: it is ignored.\n' +
      'No token was ever issued for nobody: is that its name?\n',
  );
});

test('explain refuses what a list would refuse', async () => {
  const finished = await admin('explain', '--organization', organization, 'limit=0&sort=name');
  expect(finished).toMatchObject({
    code: 1,
    stderr: 'limit must be a whole number from 1 to 100; sort must be one of createdAt, updatedAt, rating\n',
  });
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
