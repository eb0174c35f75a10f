/** `organization budget`. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { budgetStore } from '../../../functions/persistence/dynamodb-budget-store.ts';
import type { Table } from '../../../functions/persistence/table.ts';
import { budgetMinuteMs } from '../../../functions/timing.ts';
import { adminOf } from '../../admin.ts';
import { createApiClient } from '../../api-client.ts';

let table: Table;
let admin: ReturnType<typeof adminOf>;
beforeAll(async () => {
  ({ table } = await createApiClient());
  admin = adminOf(table);
});

const budget = (...options: string[]) =>
  admin('organization', 'budget', '--organization', 'acme', ...options);

test('an organization has the budget of the deployment', async () => {
  expect(await budget()).toEqual({
    code: 0,
    stdout:
      "acme: the deployment's budget (context value organizationBudget)\nIt spent nothing in the last 10 minutes.\n",
    stderr: '',
  });
});

test('it can have its own, which is taken away again', async () => {
  const { stdout } = await budget('--set', '2.00');
  expect(stdout).toMatch(
    /^acme: \$2\.00 a minute, its own setting\nRunning functions use it within a minute\.\n/,
  );
  expect((await budget()).stdout).toMatch(/^acme: \$2\.00 a minute, its own setting\nIt spent/);
  expect(await budgetStore(table).findBudget('acme')).toBe(2_000_000_000);
  expect((await budget('--set', '0')).stdout).toMatch(/^acme: no limit, its own setting\n/);
  expect((await budget('--reset')).stdout).toMatch(/^acme: the deployment's budget/);
  expect(await budgetStore(table).findBudget('acme')).toBeUndefined();
});

test('what was spent is shown of the last ten minutes', async () => {
  const minute = Math.floor(Date.now() / budgetMinuteMs);
  const store = budgetStore(table);
  const spent = { spent: 12_345_678, requests: 700, budget: 500_000_000 };
  const acme = { organization: 'acme', budget: 'general', share: 1 } as const;
  await store.addSpending(acme, minute - 30, spent);
  await store.addSpending(acme, minute - 2, spent);
  await store.addSpending(acme, minute - 2, spent);
  await store.addSpending(acme, minute, { spent: 1200, requests: 1, budget: 0 });
  await store.addSpending({ ...acme, budget: 'published', share: 1 / 2 }, minute, {
    spent: 3_000_000,
    requests: 20,
    budget: 250_000_000,
  });
  await store.addSpending({ ...acme, budget: 'desk', share: 1 / 4 }, minute, {
    spent: 2_000_000,
    requests: 10,
    budget: 125_000_000,
  });
  const { stdout } = await budget();
  const rows = stdout.trim().split('\n').slice(1);
  expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
    ['MINUTE (UTC)', 'REQUESTS', 'SPENT', 'OF'],
    [expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/), '1,400', '$0.024691', '$0.50'],
    [expect.anything(), '1', '$0.000001', 'no limit'],
    ['MINUTE (UTC)', 'REQUESTS', 'SPENT BY TOKENS IN WEB PAGES', 'OF'],
    [expect.anything(), '20', '$0.003', '$0.25'],
    ['MINUTE (UTC)', 'REQUESTS', 'SPENT BY THE DESK', 'OF'],
    [expect.anything(), '10', '$0.002', '$0.125'],
  ]);

  const { stdout: json } = await budget('--json');
  const told = (at: number, requests: number, spent: number, of: number) => {
    return { minute: new Date(at * budgetMinuteMs).toISOString(), requests, spent, budget: of };
  };
  expect(JSON.parse(json)).toEqual({
    organization: 'acme',
    ownBudget: null,
    minutes: [told(minute - 2, 1400, 0.024691356, 0.5), told(minute, 1, 0.0000012, 0)],
    published: [told(minute, 20, 0.003, 0.25)],
    desk: [told(minute, 10, 0.002, 0.125)],
  });
});

describe('is refused:', () => {
  test.each([
    [['--set', '-1'], 'It must be an amount of US dollars like 2.00, or 0 for no limit.'],
    [['--set', 'much'], 'It must be an amount of US dollars like 2.00, or 0 for no limit.'],
    [['--set', ''], 'It must be an amount of US dollars like 2.00, or 0 for no limit.'],
    [['--set', '1', '--reset'], 'cannot be used with'],
  ])('%j', async (options, why) => {
    const { code, stderr } = await budget(...options);
    expect(code).toBe(1);
    expect(stderr).toContain(why);
  });
});
