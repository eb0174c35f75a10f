/** The operator's command `explain`: how a list is answered, and at what cost. */
import type { Command } from 'commander';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import type { Read } from '../../../functions/list-index/read/plan.ts';
import { type ListExplanation, listTestimonials } from '../../../functions/operations/list-testimonials.ts';
import { type Cost, costMeter } from '../../../functions/persistence/cost-meter.ts';
import { type CommandContext, organizationCommand } from '../command-context.ts';
import { requireListQuery } from '../list-query.ts';
import { counted, joined } from '../terminal/formatting.ts';

/** Adds `explain` to the program. */
export function addExplainCommand(program: Command, { io, onOrganization, show }: CommandContext): void {
  organizationCommand(program, {
    name: 'explain',
    description: 'Show how a list is answered and what it costs in a warm function',
    examples: ["explain --organization demo 'status=approved&search=great&page=3'"],
  })
    .argument('<query>', "the list's parameters, as in 'status=approved&search=great&page=3'")
    .action((text: string, { organization }: { organization: string }) =>
      onOrganization(organization, async (session) => {
        const query = requireListQuery(text, io.printError);
        await session.warnOfUnknown();
        await session.warnOfLoading();
        // Once without counting: a warm function knows the head.
        await listTestimonials(session, organization, query);
        const meter = costMeter(session.table.client);
        const { total, explanation } = await listTestimonials(session, organization, query);
        const { plan, rows } = explanation;
        const cost = meter.cost();
        show({ organization, query, plan, rows, total, cost }, () =>
          explanationText(query, explanation, { total, cost }),
        );
      }),
    );
}

function explanationText(
  { order }: ListQuery,
  { plan, rows }: ListExplanation,
  { total, cost }: { total: number; cost: Cost },
): string {
  const inTurn = order === 'asc' ? plan.inTurn : plan.inTurn.toReversed();
  const allOf = plan.allOf.map(({ anyOf }) => anyOf.map(readText).join(' or '));
  const read = Object.entries(rows).map(([name, value]) =>
    name === 'by' ? `by ${value}` : `${name} ${value}`,
  );
  return joined([
    `all of   ${allOf.join('\n         ')}`,
    inTurn.length > 0 && `in turn  ${inTurn.join(', ')}, ${order === 'asc' ? 'ascending' : 'descending'}`,
    `counted  ${plan.bySummary ? 'by summaries' : 'by bits'} in the order of ${plan.axis}`,
    `rows     ${read.join(', ')}`,
    `total    ${total.toLocaleString('en')}`,
    `cost     ${counted(cost.units, 'read unit')}, ${counted(cost.requests, 'request')} in ${counted(cost.rounds, 'round')}`,
  ]);
}

function readText(read: Read): string {
  if (read.kind === 'facet') return read.term;
  return read.kind === 'beginning' ? `prefix=${read.letters}` : `words from ${read.from}`;
}
