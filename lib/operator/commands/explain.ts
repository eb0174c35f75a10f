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
        session.memory.of(organization).head = await session.index.readHead(organization);
        const meter = costMeter(session.table.client);
        const list = async () => {
          meter.reset();
          const listed = await listTestimonials(session, organization, query);
          return { ...listed, cost: meter.cost() };
        };
        const { total, explanation, cost } = await list();
        const { cost: again } = await list();
        const { plan, rows } = explanation;
        show({ organization, query, plan, rows, total, cost, again }, () =>
          explanationText(query, explanation, { total, cost, again }),
        );
      }),
    );
}

function explanationText(
  { order }: ListQuery,
  { plan, rows }: ListExplanation,
  { total, cost, again }: { total: number; cost: Cost; again: Cost },
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
    `cost     ${costText(cost)}`,
    `again    ${costText(again)}, until something is written`,
  ]);
}

function costText({ units, requests, rounds }: Cost): string {
  return `${counted(units, 'read unit')}, ${counted(requests, 'request')} in ${counted(rounds, 'round')}`;
}

function readText(read: Read): string {
  if (read.kind === 'facet') return read.term;
  return read.kind === 'beginning' ? `prefix=${read.letters}` : `words from ${read.from}`;
}
