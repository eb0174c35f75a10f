/** `organization budget`, `organization brand` and `stats`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { organizationStore } from '../../../functions/accounts/dynamodb-organization-store.ts';
import type { BudgetName } from '../../../functions/domain/payer.ts';
import { statuses, type Testimonial } from '../../../functions/domain/testimonial.ts';
import type { Table } from '../../../functions/dynamodb/table.ts';
import { budgetStore } from '../../../functions/fair-use/dynamodb-budget-store.ts';
import { testimonialStore } from '../../../functions/testimonials/table/testimonial-store.ts';
import { budgetMinuteMs } from '../../../functions/timing.ts';
import help from '../../../lib/operator/help.json' with { type: 'json' };
import { adminOf } from '../../admin.ts';
import { createApiClient } from '../../api-client.ts';
import { png, svg } from '../../images.ts';
import { storedTestimonials, textOf } from '../../stored-items.ts';
import { generateTestimonials } from '../../zipf/generate-testimonials.ts';

let table: Table;
let admin: ReturnType<typeof adminOf>;
beforeAll(async () => {
  ({ table } = await createApiClient());
  // The wait for old lists before a rebuild removes postings.
  admin = adminOf(table, undefined, async () => {});
  await organizationStore(table).add('acme');
});

const budget = (...options: string[]) =>
  admin('organization', 'budget', '--organization', 'acme', ...options);

test.each([
  ['token issue', '--permission', 'testimonials:read'],
  ['page create', '--kind', 'form', '--title', 'A form'],
  ['desk invite', '--name', 'Ann'],
  ['seed', '--count', '1'],
  ['import', '--yes', 'reviews.csv'],
])('%s makes no organization with a name of the check', async (command, ...options) => {
  const [name, before] = ['check-acme', await textOf(table)];
  const { code, stderr } = await admin(...command.split(' '), '--organization', name, ...options);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      `error: option '--organization <name>' argument '${name}' is invalid. It must not begin with check-, ` +
      'because npm run check makes and removes organizations with such names.\n',
  });
  expect(await textOf(table)).toBe(before);
});

test('no other command makes an organization', async () => {
  const paths = Object.keys(help);
  const commands = paths.filter((path) => !paths.some((other) => other.startsWith(`${path} `)));
  const making = ['token issue', 'page create', 'desk invite', 'seed'];
  const organizations = ['check-some', 'acme-some'];
  for (const organization of organizations) {
    for (const command of commands.filter((each) => !making.includes(each)))
      await admin(...command.split(' '), '--organization', organization, ...(argumentsOf[command] ?? []));
  }
  const made = await organizationStore(table).list();
  expect(made.filter((name) => organizations.includes(name))).toEqual([]);
});

/** The arguments that a command needs besides an organization. */
const argumentsOf: Record<string, string[]> = {
  'testimonial approve': ['test_1234567890121'],
  'testimonial reject': ['--where', 'status=pending', '--yes'],
  'testimonial tag': ['--add', 'ux', 'test_1234567890121'],
  'testimonial show': ['test_1234567890121'],
  'testimonial erase': ['--yes', 'test_1234567890121'],
  'page show': ['0'.repeat(22)],
  'page edit': ['0'.repeat(22), '--set', 'lang=de'],
  'page remove': ['0'.repeat(22)],
  'desk remove': ['0123456789'],
  'organization budget': ['--set', '2.00'],
};

test.each([
  ['testimonial list', 'No testimonials.\n'],
  ['organization budget', expect.stringContaining('acmee: default budget')],
  ['organization brand', expect.stringContaining('none')],
  ['page list', 'No pages.\n'],
  ['desk people', 'Nobody is invited yet.\n'],
  ['desk end-sessions', 'Nobody is invited yet.\n'],
  ['index status', expect.stringContaining('acmee: 0 testimonials')],
])('%s warns about an organization that does not exist', async (command, stdout) => {
  expect(await admin(...command.split(' '), '--organization', 'acmee')).toEqual({
    code: 0,
    stdout,
    stderr: expect.stringMatching(/^There is no organization acmee\. .* index status --all\n$/),
  });
});

test.each([
  ['budget', '--set', '1'],
  ['budget', '--set-day', '1'],
  ['budget', '--reset'],
  ['brand', '--name', 'x'],
])('organization %s %s refuses an organization that does not exist', async (command, ...options) => {
  const before = await textOf(table);
  expect(await admin('organization', command, '--organization', 'acmee', ...options)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^There is no organization acmee\. .* index status --all\n$/),
  });
  expect(await textOf(table)).toBe(before);
});

test('an organization has the budgets of the deployment until it gets its own', async () => {
  const ofMinute = 'acme: default budget per minute (organizationBudget)\n';
  const ofDay = 'acme: default budget per day (organizationDailyBudget)\n';
  const nothing = 'The organization has spent nothing today (UTC).\n';
  const isUsed = 'The budget applies within a minute.\n';
  const stored = () => budgetStore(table).findBudgets('acme');
  expect((await budget()).stdout).toBe(`${ofMinute}${ofDay}${nothing}`);
  const own = 'acme: $2.00 a minute, its own setting\n';
  expect((await budget('--set', '2.00')).stdout).toContain(`${own}${ofDay}${isUsed}`);
  expect(await stored()).toEqual({ budget: 2_000_000_000 });
  const ownDay = 'acme: $40.00 a day, its own setting\n';
  expect((await budget('--set-day', '40')).stdout).toContain(`${own}${ownDay}${isUsed}`);
  expect((await budget()).stdout).toContain(`${own}${ownDay}The organization has spent`);
  expect(await stored()).toEqual({ budget: 2_000_000_000, dailyBudget: 40_000_000_000 });
  expect((await budget('--set', '0', '--set-day', '0')).stdout).toContain(
    'acme: no limit a minute, its own setting\nacme: no limit a day, its own setting\n',
  );
  expect((await budget('--reset')).stdout).toContain(`${ofMinute}${ofDay}${isUsed}${nothing}`);
  expect(await stored()).toEqual({});
});

test('budget shows the spending of today and of the last ten minutes', async () => {
  const minute = Math.floor(Date.now() / budgetMinuteMs);
  const store = budgetStore(table);
  const spent = { spent: 12_345_678, requests: 700, budget: 500_000_000 };
  const add = (name: BudgetName, at: number, spending: typeof spent) =>
    store.addSpending({ organization: 'acme', budget: name, share: 1 }, at, spending);
  for (const at of [minute - 30, minute - 2, minute - 2]) await add('general', at, spent);
  await add('general', minute, { spent: 1200, requests: 1, budget: 0 });
  await add('published', minute, { spent: 3_000_000, requests: 20, budget: 250_000_000 });
  await add('desk', minute, { spent: 2_000_000, requests: 10, budget: 125_000_000 });
  await add('forms', minute, { spent: 1_000_000, requests: 5, budget: 125_000_000 });
  const { stdout } = await budget();
  // At midnight a part is yesterday's.
  const ofToday = [minute - 30, minute - 2, minute - 2].filter(
    (at) => Math.floor(at / 1440) === Math.floor(minute / 1440),
  );
  const general = ofToday.length * spent.spent + 1200;
  const inDollars = (general / 1e9).toLocaleString('en', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  });
  const [, , ...rows] = stdout.trim().split('\n');
  const minuteText = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
  expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual([
    ['MINUTE (UTC)', 'BY', 'REQUESTS', 'SPENT', 'OF'],
    [minuteText, 'tokens', '1,400', '$0.024691', '$0.50'],
    [minuteText, 'tokens', '1', '$0.000001', 'no limit'],
    ['today', 'tokens', `$${inDollars}`],
    [minuteText, 'web pages', '20', '$0.003', '$0.25'],
    ['today', 'web pages', '$0.003'],
    [minuteText, 'desk', '10', '$0.002', '$0.125'],
    ['today', 'desk', '$0.002'],
    [minuteText, 'forms', '5', '$0.001', '$0.125'],
    ['today', 'forms', '$0.001'],
  ]);

  const { stdout: json } = await budget('--json');
  const row = (at: number, requests: number, spent: number, of: number) => {
    return { minute: new Date(at * budgetMinuteMs).toISOString(), requests, spent, budget: of };
  };
  expect(JSON.parse(json)).toEqual({
    organization: 'acme',
    ownBudget: null,
    ownDailyBudget: null,
    general: {
      minutes: [row(minute - 2, 1400, 0.024691356, 0.5), row(minute, 1, 0.0000012, 0)],
      today: general / 1e9,
    },
    published: { minutes: [row(minute, 20, 0.003, 0.25)], today: 0.003 },
    desk: { minutes: [row(minute, 10, 0.002, 0.125)], today: 0.002 },
    forms: { minutes: [row(minute, 5, 0.001, 0.125)], today: 0.001 },
  });
});

test.each([
  ...['-1', 'much', ''].map((value) => [
    ['--set', value],
    'It must be an amount of US dollars like 2.00, or 0 for no limit.',
  ]),
  [['--set', '1', '--reset'], 'cannot be used with'],
  [['--set-day', '1', '--reset'], 'cannot be used with'],
  [['--set-day', 'much'], 'It must be an amount of US dollars like 2.00, or 0 for no limit.'],
] as [string[], string][])('budget refuses %j', async (options, why) => {
  const { code, stderr } = await budget(...options);
  expect(code).toBe(1);
  expect(stderr).toContain(why);
});

test('stats counts testimonials by status, type and rating', async () => {
  const organization = 'indexed';
  for (const stored of generateTestimonials(12)) await testimonialStore(table).insert(organization, stored);
  await admin('index', 'rebuild', '--organization', organization);
  const all = await storedTestimonials(table, organization);
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

describe('organization brand', () => {
  const brand = (...options: string[]) =>
    admin('organization', 'brand', '--organization', 'acme', ...options);
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'brand-'));
    await writeFile(join(folder, 'logo.png'), png(220, 56));
    await writeFile(join(folder, 'logo.svg'), svg);
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('sets each part, keeps the others, and removes one with an empty value', async () => {
    expect((await brand()).stdout).toMatch(/name +none\naccent +default\nlogo +none\n/);
    const set = await brand('--name', 'Acme Inc.', '--accent', '#fe0', '--logo', join(folder, 'logo.png'));
    expect(set.stdout).toMatch(
      /name +Acme Inc\.\naccent +#ffee00; to keep texts readable, light pages use #\w{6} and dark pages #ffee00\n/,
    );
    expect(set.stdout).toMatch(/logo +image\/png, 220 × 56 pixels\nVisitors see it within two minutes\.\n/);
    await brand('--accent', '');
    expect(JSON.parse((await brand('--json')).stdout)).toEqual({
      name: 'Acme Inc.',
      logo: { type: 'image/png', data: png(220, 56).toString('base64'), width: 220, height: 56 },
    });
    await brand('--logo', '', '--name', '');
    expect(JSON.parse((await brand('--json')).stdout)).toEqual({});
  });

  test.each([
    [['--name', 'x'.repeat(101)], 'name must have 1 to 100 characters'],
    [['--logo', 'logo.svg'], 'logo must be a PNG, JPEG or WebP image'],
    [['--logo', 'none.png'], 'There is no file '],
  ])('%j is refused, and changes nothing', async ([option = '', value = ''], text) => {
    await brand('--name', 'Before');
    const typed = option === '--logo' ? join(folder, value) : value;
    const { code, stderr } = await brand(...(option === '--name' ? [] : ['--name', 'After']), option, typed);
    expect(code).toBe(1);
    expect(stderr).toContain(text);
    expect(JSON.parse((await brand('--json')).stdout)).toEqual({ name: 'Before' });
  });
});
