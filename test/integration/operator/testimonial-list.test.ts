/** `testimonial list`, and the rules of every command that lists. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import stringWidth from 'string-width';
import { parameters } from '../../../functions/list-testimonials/parameters.ts';
import { requestTimeoutMs } from '../../../functions/timing.ts';
import { adminOf, runAdmin } from '../../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../../api-client.ts';
import { testEndpoint } from '../../dynamodb.ts';
import { personWith } from '../../person.ts';

const hostile = 'Safe \u202Egnp.exe\u2066 and\u2028more\nof\tit';

let api: ApiClient;
beforeAll(async () => {
  api = await createApiClient();
  await api.create(testimonialBody({ rating: 4, tags: ['support'] }));
  await api.create(
    testimonialBody({
      content: '素晴らしい製品です。'.repeat(20),
      author: { name: '山田 太郎', email: 'taro@example.com' },
      rating: 5,
    }),
  );
  await api.create(
    testimonialBody({
      content: hostile,
      author: { name: 'A \u202Ename\nof two lines', email: 'a@example.com', company: 'C\u2067o' },
      tags: ['t\u202Dag'],
      type: 'video',
    }),
  );
});

const list = (...args: string[]) =>
  adminOf(api.table)('testimonial', 'list', '--organization', 'acme', ...args);

test('each parameter of a list is an option with the same result', async () => {
  const values: Record<keyof typeof parameters, string> = {
    page: '2',
    limit: '1',
    status: 'pending',
    type: 'text',
    rating: '2',
    sort: 'updatedAt',
    order: 'asc',
    search: 'amaz prod',
    tags: 'Support,other',
  };
  for (const [name, value] of Object.entries(values)) {
    const { stdout } = await list('--json', `--${name}`, value);
    expect(JSON.parse(stdout)).toEqual((await api.list(`${new URLSearchParams({ [name]: value })}`)).body);
  }
  const { stdout: help } = await list('--help');
  for (const name of Object.keys(parameters)) expect(help).toContain(`--${name} <${name}>`);
  expect(help.replace(/\s+/g, ' ')).toContain('(pending, approved, rejected, all; default: all)');
});

test('--where accepts several parameters, and refuses an unknown one', async () => {
  const { stdout } = await list('--json', '--where', 'rating=4&order=asc', '--limit', '1');
  expect(JSON.parse(stdout)).toEqual((await api.list('rating=4&order=asc&limit=1')).body);
  expect((await list('--where', 'rating=4&stars=5')).stderr).toContain('Unknown parameter stars.');
});

test('errors use the words of the API', async () => {
  const { body } = await api.list('rating=6&limit=0&sort=name&page=1&page=2');
  const options = '--rating 6 --limit 0 --sort name --page 1 --page 2';
  const { code, stderr } = await list(...options.split(' '));
  expect(code).toBe(1);
  const problems = stderr.trim().split('; ').toSorted();
  expect(problems).toEqual(
    Object.entries(body.error.details)
      .map((each) => each.join(' '))
      .toSorted(),
  );
});

describe('the table', () => {
  test.each([80, 120])('fits a terminal of %i columns and shows ids whole', async (columns) => {
    const run = adminOf(api.table, personWith({ columns }));
    const { stdout } = await run('testimonial', 'list', '--organization', 'acme');
    const lines = stdout.trimEnd().split('\n');
    const widest = Math.max(...lines.map((line) => stringWidth(line)));
    expect(widest).toBeLessThanOrEqual(columns);
    // A full-width letter may not fit into the last column.
    expect(widest).toBeGreaterThanOrEqual(columns - 1);
    const { body } = await api.list();
    const ids = body.testimonials.map(({ id }: { id: string }) => id);
    expect(lines.slice(1, 4).map((line) => line.split(' ')[0])).toEqual(ids);
    expect(lines[0]).toMatch(/^ID +STATUS +★ +CREATED +AUTHOR +CONTENT$/);
    expect(lines[2]).toMatch(/^test_\d+ +pending +5 +\d{4}-\d\d-\d\d +山田 太郎 +素晴.*…$/);
    expect(lines.slice(4)).toEqual(['', 'page 1 of 1, 3 testimonials']);
  });

  test('shortens nothing without a terminal', async () => {
    const { stdout } = await list('--search', '素晴');
    expect(stdout).toContain(`山田 太郎  ${'素晴らしい製品です。'.repeat(20)}\n`);
  });

  test('shows the day of the last update if the list is sorted by it', async () => {
    expect((await list('--sort', 'updatedAt')).stdout).toMatch(/★ +UPDATED +AUTHOR/);
  });

  test('has colours at a terminal only', async () => {
    const person = personWith({ style: (format, text) => `<${format}>${text}</>` });
    const coloured = await adminOf(api.table, person)('testimonial', 'list', '--organization', 'acme');
    expect(coloured.stdout).toContain('<bold>STATUS</>');
    expect(coloured.stdout).toContain('<yellow>pending</>');
    expect((await list()).stdout).not.toMatch(/<|\p{Cc}\[/u);
  });

  test('names the page, even past the last one or without matches', async () => {
    expect((await list('--limit', '1', '--page', '2')).stdout).toMatch(/\n\npage 2 of 3, 3 testimonials\n$/);
    expect((await list('--limit', '1', '--page', '9')).stdout).toBe(
      'page 9 is past the last page, 3; 3 testimonials\n',
    );
    expect((await list('--status', 'rejected')).stdout).toBe('No testimonials.\n');
  });
});

test('no output contains a control character from a testimonial', async () => {
  const { body } = await api.list('type=video');
  const run = adminOf(api.table, personWith({}));
  const outputs = [
    await list('--type', 'video'),
    await list('--json'),
    await run('testimonial', 'list', '--organization', 'acme'),
    await run('testimonial', 'show', '--organization', 'acme', body.testimonials[0].id),
    await run('testimonial', 'show', '--organization', 'acme', body.testimonials[0].id, '--json'),
  ];
  for (const { code, stdout } of outputs) {
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/[[\p{Cc}\p{Bidi_Control}\u2028\u2029]--\n]/v);
  }
  expect(outputs[0]?.stdout).toContain('A �name of two lines  Safe �gnp.exe� and�more of it\n');
  expect(JSON.parse(outputs[4]?.stdout ?? '')).toMatchObject({ content: hostile });
});

test.each([
  ['testimonial', 'list', '--organization', 'acme'],
  ['testimonial', 'list', '--organization', 'acme', '--sort', 'updatedAt', '--search', 'amaz'],
  ['testimonial', 'approve', '--organization', 'acme', '--where', 'status=pending'],
  ['stats', '--organization', 'acme'],
  ['export', '--organization', 'acme'],
])('%s %s keeps the time limit of lists, which the deletion of change markers relies on', async (...args) => {
  const { table, create } = await createApiClient();
  await create(testimonialBody());
  let time = 0;
  // On each reading of the clock, the time of a whole request has passed.
  const clock = () => {
    time += requestTimeoutMs + 1;
    return time;
  };
  const { code, stderr } = await runAdmin(
    [...args, '--table', table.name, '--endpoint', testEndpoint()],
    {},
    { terminal: personWith({}), clock },
  );
  expect(stderr).toContain('The list took longer than 10 s, 3 times');
  expect(code).toBe(1);
});
