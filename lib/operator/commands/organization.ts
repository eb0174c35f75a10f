/** The operator's commands on organizations. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Spending } from '../../../functions/domain/stores.ts';
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

/** What an organization may cost and has cost: dollars, and the minute in ISO 8601. */
interface BudgetStatus {
  organization: string;
  /** A minute; 0 for no limit, null where it has the deployment's. */
  ownBudget: number | null;
  minutes: { minute: string; spent: number; budget: number }[];
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
        const spending = await budgets.listSpending(
          { organization, budget: 'general' },
          now - minutesShown + 1,
          now,
        );
        const status = statusOf(organization, own, spending);
        show(status, () => statusText(status, set !== undefined || reset === true));
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

function statusOf(
  organization: string,
  own: number | undefined,
  spending: (Spending & { minute: number })[],
): BudgetStatus {
  return {
    organization,
    ownBudget: own === undefined ? null : dollarsOf(own),
    minutes: spending.map(({ minute, spent, budget }) => ({
      minute: new Date(minute * budgetMinuteMs).toISOString(),
      spent: dollarsOf(spent),
      budget: dollarsOf(budget),
    })),
  };
}

function statusText({ organization, ownBudget, minutes }: BudgetStatus, isChanged: boolean): string {
  const rows = minutes.map(({ minute, spent, budget }) => [
    minute.slice(0, 16).replace('T', ' '),
    amount(spent),
    amount(budget),
  ]);
  return joined([
    `${organization}: ${budgetText(ownBudget)}`,
    isChanged && 'Running functions know it within a minute.',
    rows.length > 0
      ? columns([['MINUTE (UTC)', 'SPENT', 'OF'], ...rows], ['start', 'end', 'end'])
      : `Nothing was counted in the last ${minutesShown} minutes.`,
  ]);
}

function budgetText(own: number | null): string {
  if (own === null) return "the deployment's budget (context value organizationBudget)";
  return own === 0 ? 'no limit, set for it' : `${amount(own)} a minute, set for it`;
}

function amount(dollars: number): string {
  return `$${dollars.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
}
