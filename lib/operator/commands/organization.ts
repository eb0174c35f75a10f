/** The commands about one organization as a whole: `organization budget`, `stats` and `seed`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { FillStart } from '../../../functions/domain/loads.ts';
import type { Counts } from '../../../functions/domain/outcomes.ts';
import type { BudgetName } from '../../../functions/domain/payer.ts';
import { statuses } from '../../../functions/domain/testimonial.ts';
import { wholeNumber } from '../../../functions/domain/testimonial-filter.ts';
import { startOfDay } from '../../../functions/fair-use/account.ts';
import { budgetStore } from '../../../functions/fair-use/dynamodb-budget-store.ts';
import { dollarsOf, nanodollarsOf } from '../../../functions/fair-use/prices.ts';
import { countRows } from '../../../functions/serve-desk/parts/counts.ts';
import { budgetMinuteMs } from '../../../functions/timing.ts';
import { addCommand, type CommandContext, checkedBy, newOrganizationOption } from '../command-context.ts';
import { generateLines } from '../sample-data/generate-testimonials.ts';
import type { OrganizationTools } from '../session.ts';
import { columns, counted, joined } from '../terminal/formatting.ts';
import { longWork } from '../terminal/progress.ts';
import { addBrandCommand } from './brand.ts';

// Including the current one.
const minutesShown = 10;

/** The names of the budgets in the table. */
const spenders = { general: 'tokens', published: 'web pages', desk: 'desk', forms: 'forms' } as const;

const budgetNames = Object.keys(spenders) as BudgetName[]; // of a constant

interface BudgetOptions {
  /** In nanodollars, like `setDay`. */
  set?: number;
  setDay?: number;
  reset?: true;
}

export function addOrganizationCommands(program: Command, context: CommandContext): void {
  const { organizationCommand } = context;
  const organizations = addCommand(program, 'organization');
  addBrandCommand(organizations, context);
  organizationCommand(organizations, 'organization budget')
    .option('--set <dollars>', 'its own budget in US dollars a minute; 0 for no limit', dollars)
    .option('--set-day <dollars>', 'its own budget in US dollars a day (UTC); 0 for no limit', dollars)
    .addOption(
      new Option('--reset', "remove its own budgets, so that the deployment's apply").conflicts([
        'set',
        'setDay',
      ]),
    )
    .run(async (session, { set, setDay, reset }: BudgetOptions) => {
      const { organization, show } = session;
      const isSet = set !== undefined || setDay !== undefined;
      await (isSet || reset ? session.refuseUnknown() : session.warnOfUnknown());
      const budgets = budgetStore(session.table);
      if (isSet) await budgets.setBudgets(organization, { budget: set, dailyBudget: setDay });
      if (reset) await budgets.removeBudgets(organization);
      const { budget, dailyBudget } = await budgets.findBudgets(organization);
      const inDollars = (own?: number) => (own === undefined ? null : dollarsOf(own));
      const [ownBudget, ownDailyBudget] = [inDollars(budget), inDollars(dailyBudget)];
      const spent = await Promise.all(budgetNames.map((each) => spendingOf(session, organization, each)));
      const byName = Object.fromEntries(spent.map(({ name, ...spending }) => [name, spending]));
      show({ organization, ownBudget, ownDailyBudget, ...byName }, () =>
        joined([
          `${organization}: ${budgetText(ownBudget, 'minute', 'organizationBudget')}`,
          `${organization}: ${budgetText(ownDailyBudget, 'day', 'organizationDailyBudget')}`,
          (isSet || reset) && 'The budget applies within a minute.',
          spendingTable(spent),
        ]),
      );
    });
}

/** Returns the spending of a budget in dollars: in each of the last minutes, and today (UTC). */
async function spendingOf({ table, now }: OrganizationTools, organization: string, name: BudgetName) {
  const minute = Math.floor(now().getTime() / budgetMinuteMs);
  const [day, first] = [startOfDay(minute), minute - minutesShown + 1];
  const payer = { organization, budget: name };
  const all = await budgetStore(table).listSpending(payer, Math.min(day, first), minute);
  const today = all.filter((each) => each.minute >= day).reduce((sum, { spent }) => sum + spent, 0);
  const minutes = all
    .filter((each) => each.minute >= first)
    .map(({ minute: at, requests, spent, budget }) => ({
      minute: new Date(at * budgetMinuteMs).toISOString(),
      requests,
      spent: dollarsOf(spent),
      // A budget of 0 means no limit.
      budget: dollarsOf(budget),
    }));
  return { name, minutes, today: dollarsOf(today) };
}

function spendingTable(all: Awaited<ReturnType<typeof spendingOf>>[]): string {
  const rows = all.flatMap(({ name, minutes, today }) => [
    ...minutes.map(({ minute, requests, spent, budget }) => {
      const time = minute.slice(0, 16).replace('T', ' ');
      const limit = budget === 0 ? 'no limit' : amount(budget);
      return [time, spenders[name], requests.toLocaleString('en'), amount(spent), limit];
    }),
    ...(today > 0 ? [['today', spenders[name], '', amount(today), '']] : []),
  ]);
  if (rows.length === 0) return 'The organization has spent nothing today (UTC).';
  const titles = ['MINUTE (UTC)', 'BY', 'REQUESTS', 'SPENT', 'OF'];
  return columns([titles, ...rows], ['start', 'start', 'end', 'end', 'end']);
}

/** Reads an amount in dollars as nanodollars. */
function dollars(value: string): number {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(value)) {
    throw new InvalidArgumentError('It must be an amount of US dollars like 2.00, or 0 for no limit.');
  }
  return nanodollarsOf(Number(value));
}

function budgetText(custom: number | null, period: string, contextValue: string): string {
  if (custom === null) return `default budget per ${period} (${contextValue})`;
  return `${custom === 0 ? 'no limit' : amount(custom)} a ${period}, its own setting`;
}

function amount(dollars: number): string {
  return `$${dollars.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
}

export function addStatsCommand(program: Command, { organizationCommand }: CommandContext): void {
  organizationCommand(program, 'stats').run(async (session) => {
    const { organization, show } = session;
    if (!(await session.warnOfLoading())) await session.warnOfUnknown();
    const { all: counts } = await session.counts.count();
    const total = counts.reduce((sum, { count }) => sum + count, 0);
    show({ organization, total, counts }, () => tableOf(organization, counts));
  });
}

function tableOf(organization: string, counts: Counts): string {
  const lines = [
    [organization, ...statuses, 'all'],
    ...countRows(counts).map(({ name, byStatus, total }) => [
      name,
      ...[...byStatus, total].map((each) => each.toLocaleString('en')),
    ]),
  ];
  return columns(lines, ['start', ...lines.slice(1).map(() => 'end' as const)]);
}

export function addSeedCommand(program: Command, { organizationCommand }: CommandContext): void {
  organizationCommand(program, 'seed', newOrganizationOption())
    .option('--count <number>', 'number of testimonials', checkedBy(wholeNumber(1, 9_999_999)), 1000)
    .run(async (session, { count }: { count: number }) => {
      const { organization, io, loads, show } = session;
      const stoppedAdvice =
        'Run the same command again, or show the testimonials stored so far: ' +
        `npm run admin -- index rebuild --organization ${organization}`;
      const generateFrom = (start: FillStart) => generateLines(count, start);
      await longWork(io, stoppedAdvice, (work) => loads.fill(count, generateFrom, work));
      show({ organization, count }, () => `${counted(count, 'testimonial')} added to ${organization}`);
    });
}
