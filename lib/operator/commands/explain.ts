/** The operator's command `explain`: how a list is answered, and at what cost. */
import type { Command } from 'commander';
import type { IndexHead } from '../../../functions/list-index/index-store.ts';
import type { Read } from '../../../functions/list-index/read/plan.ts';
import { listTestimonials } from '../../../functions/operations/list-testimonials.ts';
import { costMeter } from '../../../functions/persistence/cost-meter.ts';
import {
  type CommandContext,
  examples,
  organizationOption,
  warnOfLoading,
  warnOfUnknown,
} from '../command-context.ts';
import { readListQuery } from '../filter-options.ts';
import { counted } from '../terminal/formatting.ts';

/** Adds `explain` to the program. */
export function addExplainCommand(program: Command, { io, withOperator, show }: CommandContext): void {
  program
    .command('explain')
    .description('Show how a list is answered and what it costs in a warm function')
    .argument('<query>', "the list's parameters, as in 'status=approved&search=great&page=3'")
    .addOption(organizationOption().makeOptionMandatory())
    .addHelpText('after', examples("explain --organization demo 'status=approved&search=great&page=3'"))
    .action((text: string, { organization }: { organization: string }) =>
      withOperator(async (operator) => {
        const { table } = operator;
        const query = readListQuery(text, io.printError);
        await warnOfUnknown(operator, io, organization);
        await warnOfLoading(operator, io, organization);
        const heads = new Map<string, IndexHead>();
        const deps = { ...operator, heads };
        // Once without counting: a warm function knows the head.
        await listTestimonials(deps, organization, query);
        const meter = costMeter(table.client);
        const { total, explanation } = await listTestimonials(deps, organization, query);
        const { plan, rows } = explanation;
        const cost = meter.cost();
        show({ organization, query, plan, rows, total, cost }, () =>
          [
            `all of   ${plan.allOf.map(({ anyOf }) => anyOf.map(readText).join(' or ')).join('\n         ')}`,
            ...(plan.inTurn.length > 0 ? [`in turn  ${plan.inTurn.join(', ')}, ascending`] : []),
            `counted  ${plan.bySummary ? 'by summaries' : 'by bits'} in the order of ${plan.axis}`,
            `rows     ${Object.entries(rows)
              .map(([name, value]) => (name === 'by' ? `by ${value}` : `${name} ${value}`))
              .join(', ')}`,
            `total    ${total.toLocaleString('en')}`,
            `cost     ${counted(cost.units, 'read unit')}, ${counted(cost.requests, 'request')} in ${counted(cost.rounds, 'round')}`,
          ].join('\n'),
        );
      }),
    );
}

function readText(read: Read): string {
  if (read.kind === 'facet') return read.term;
  return read.kind === 'beginning' ? `prefix=${read.letters}` : `words from ${read.from}`;
}
