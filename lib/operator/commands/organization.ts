/** The commands about one organization as a whole: `organization budget`, `stats` and `seed`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { BudgetName, Spending } from '../../../functions/domain/stores.ts';
import { statuses } from '../../../functions/domain/testimonial.ts';
import { wholeNumber } from '../../../functions/domain/testimonial-filter.ts';
import { dollarsOf, nanodollarsOf } from '../../../functions/fair-use/prices.ts';
import { cells, type Summary } from '../../../functions/list-index/bits/summary.ts';
import { countTestimonials } from '../../../functions/operations/list-testimonials.ts';
import { budgetSettings } from '../../../functions/persistence/dynamodb-budget-store.ts';
import { countRows } from '../../../functions/serve-desk/parts/counts.ts';
import { budgetMinuteMs } from '../../../functions/timing.ts';
import { addCommand, type CommandContext, checkedBy } from '../command-context.ts';
import { seedOrganization } from '../sample-data/seed.ts';
import { columns, counted, joined } from '../terminal/formatting.ts';
import { longWork, type PhaseName } from '../terminal/progress.ts';

// Including the current one.
const minutesShown = 10;

interface BudgetOptions {
  organization: string;
  /** In dollars. */
  set?: number;
  reset?: true;
}

export function addOrganizationCommands(
  program: Command,
  { onOrganization, organizationCommand, show }: CommandContext,
): void {
  const organizations = addCommand(program, 'organization');
  organizationCommand(organizations, 'organization budget')
    .option('--set <dollars>', 'its own budget in US dollars a minute; 0 for no limit', dollars)
    .addOption(
      new Option('--reset', "remove its own budget, so that the deployment's applies").conflicts('set'),
    )
    .action(({ organization, set, reset }: BudgetOptions) =>
      onOrganization(organization, async (session) => {
        await session.warnOfUnknown();
        const budgets = budgetSettings(session.table);
        if (set !== undefined) await budgets.setBudget(organization, nanodollarsOf(set));
        if (reset) await budgets.setBudget(organization, undefined);
        const custom = await budgets.findBudget(organization);
        const now = Math.floor(session.now().getTime() / budgetMinuteMs);
        const spendingOf = async (budget: BudgetName) =>
          minutesOf(await budgets.listSpending({ organization, budget }, now - minutesShown + 1, now));
        const ownBudget = custom === undefined ? null : dollarsOf(custom);
        const minutes = await spendingOf('general');
        const published = await spendingOf('published');
        const desk = await spendingOf('desk');
        const forms = await spendingOf('forms');
        show({ organization, ownBudget, minutes, published, desk, forms }, () =>
          joined([
            `${organization}: ${budgetText(ownBudget)}`,
            (set !== undefined || reset) && 'Running functions use it within a minute.',
            minutes.length > 0
              ? minuteTable('SPENT', minutes)
              : `It spent nothing in the last ${minutesShown} minutes.`,
            published.length > 0 && minuteTable('SPENT BY TOKENS IN WEB PAGES', published),
            desk.length > 0 && minuteTable('SPENT BY THE DESK', desk),
            forms.length > 0 && minuteTable('SPENT BY FORMS', forms),
          ]),
        );
      }),
    );
}

function dollars(value: string): number {
  // Nine decimals are nanodollars.
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(value)) {
    throw new InvalidArgumentError('It must be an amount of US dollars like 2.00, or 0 for no limit.');
  }
  return Number(value);
}

/** Spending by minute, in dollars, with the minute in ISO 8601. A budget of 0 is no limit. */
function minutesOf(spending: (Spending & { minute: number })[]) {
  return spending.map(({ minute, requests, spent, budget }) => ({
    minute: new Date(minute * budgetMinuteMs).toISOString(),
    requests,
    spent: dollarsOf(spent),
    budget: dollarsOf(budget),
  }));
}

function minuteTable(spentTitle: string, minutes: ReturnType<typeof minutesOf>): string {
  const rows = minutes.map(({ minute, requests, spent, budget }) => [
    minute.slice(0, 16).replace('T', ' '),
    requests.toLocaleString('en'),
    amount(spent),
    budget === 0 ? 'no limit' : amount(budget),
  ]);
  return columns([['MINUTE (UTC)', 'REQUESTS', spentTitle, 'OF'], ...rows], ['start', 'end', 'end', 'end']);
}

function budgetText(custom: number | null): string {
  if (custom === null) return "the deployment's budget (context value organizationBudget)";
  return custom === 0 ? 'no limit, its own setting' : `${amount(custom)} a minute, its own setting`;
}

function amount(dollars: number): string {
  return `$${dollars.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
}

export function addStatsCommand(program: Command, { organizationCommand, show }: CommandContext): void {
  organizationCommand(program, 'stats').run(async (session) => {
    const { organization } = session;
    if (!(await session.warnOfLoading())) await session.warnOfUnknown();
    const [counts = []] = await countTestimonials(session, organization);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const byAll = cells.map(([status, type, rating], i) => ({
      status: valueIn(status),
      type: valueIn(type),
      rating: Number(valueIn(rating)) || null,
      count: counts[i],
    }));
    show({ organization, total, counts: byAll }, () => tableOf(organization, counts));
  });
}

function valueIn(term: string): string {
  return term.slice(term.indexOf('=') + 1);
}

function tableOf(organization: string, counts: Summary): string {
  const lines = [
    [organization, ...statuses, 'all'],
    ...countRows(counts).map(({ name, byStatus, total }) => [
      name,
      ...[...byStatus, total].map((each) => each.toLocaleString('en')),
    ]),
  ];
  return columns(lines, ['start', ...lines.slice(1).map(() => 'end' as const)]);
}

export function addSeedCommand(program: Command, { io, organizationCommand, show }: CommandContext): void {
  organizationCommand(program, 'seed')
    .option('--count <number>', 'how many', checkedBy(wholeNumber(1, 9_999_999)), 1000)
    .run(async (session, { count }: { count: number }) => {
      const { organization } = session;
      await session.organizations.add(organization);
      const ifStopped =
        'Run the same command again, or show the testimonials stored so far: ' +
        `npm run admin -- index rebuild --organization ${organization}`;
      await longWork(io, ifStopped, ({ progress: show, ...attendance }) => {
        const progress = (done: number, phase: PhaseName) => show(Math.min(done, count), count, phase);
        return seedOrganization({ ...session, ...attendance, progress }, organization, count);
      });
      show({ organization, count }, () => `${counted(count, 'testimonial')} added to ${organization}`);
    });
}
