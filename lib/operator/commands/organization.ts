/** The operator's commands on organizations. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { BudgetName, Spending } from '../../../functions/domain/stores.ts';
import { dollarsOf, nanodollarsOf } from '../../../functions/fair-use/prices.ts';
import { budgetSettings } from '../../../functions/persistence/dynamodb-budget-store.ts';
import { budgetMinuteMs } from '../../../functions/timing.ts';
import { type CommandContext, organizationCommand } from '../command-context.ts';
import { columns, joined } from '../terminal/formatting.ts';

// This one, and those before.
const minutesShown = 10;

interface BudgetOptions {
  organization: string;
  /** Dollars. */
  set?: number;
  reset?: true;
}

/** Adds `organization budget` to the program. */
export function addOrganizationCommands(program: Command, { onOrganization, show }: CommandContext): void {
  const organizations = program.command('organization').description('Look at and set what one may cost');
  organizationCommand(organizations, {
    name: 'budget',
    description: 'Show what its requests may cost a minute and did in the last ones; set a budget of its own',
    examples: [
      'organization budget --organization acme',
      'organization budget --organization acme --set 2.00',
      'organization budget --organization acme --reset',
    ],
  })
    .addOption(
      new Option('--set <dollars>', 'give it this many US dollars a minute; 0 for no limit').argParser(
        dollars,
      ),
    )
    .addOption(new Option('--reset', "take its own budget away: it has the deployment's").conflicts('set'))
    .action(({ organization, set, reset }: BudgetOptions) =>
      onOrganization(organization, async (session) => {
        await session.warnOfUnknown();
        const budgets = budgetSettings(session.table);
        if (set !== undefined) await budgets.setBudget(organization, nanodollarsOf(set));
        if (reset) await budgets.setBudget(organization, undefined);
        const own = await budgets.findBudget(organization);
        const now = Math.floor(session.now().getTime() / budgetMinuteMs);
        const spendingOf = async (budget: BudgetName) =>
          minutesOf(await budgets.listSpending({ organization, budget }, now - minutesShown + 1, now));
        const ownBudget = own === undefined ? null : dollarsOf(own);
        const minutes = await spendingOf('general');
        const published = await spendingOf('published');
        const desk = await spendingOf('desk');
        show({ organization, ownBudget, minutes, published, desk }, () =>
          joined([
            `${organization}: ${budgetText(ownBudget)}`,
            (set !== undefined || reset) && 'Running functions know it within a minute.',
            minutes.length > 0
              ? minuteTable('SPENT', minutes)
              : `Nothing was counted in the last ${minutesShown} minutes.`,
            published.length > 0 && minuteTable('SPENT BY TOKENS IN WEB PAGES', published),
            desk.length > 0 && minuteTable('SPENT BY THE DESK', desk),
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

/** What was spent minute by minute: dollars, and the minute in ISO 8601; a budget of 0 is no limit. */
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

function budgetText(own: number | null): string {
  if (own === null) return "the deployment's budget (context value organizationBudget)";
  return own === 0 ? 'no limit, set for it' : `${amount(own)} a minute, set for it`;
}

function amount(dollars: number): string {
  return `$${dollars.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
}
