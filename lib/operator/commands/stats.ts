/** The operator's command `stats`: how many testimonials there are, by status, type and rating. */
import type { Command } from 'commander';
import { statuses } from '../../../functions/domain/testimonial.ts';
import { cells, type Summary } from '../../../functions/list-index/bits/summary.ts';
import { countTestimonials } from '../../../functions/operations/list-testimonials.ts';
import { countRows } from '../../../functions/serve-desk/parts/counts.ts';
import { type CommandContext, organizationCommand } from '../command-context.ts';
import { columns } from '../terminal/formatting.ts';

/** Adds `stats` to the program. */
export function addStatsCommand(program: Command, { onOrganization, show }: CommandContext): void {
  organizationCommand(program, {
    name: 'stats',
    description: 'Count the testimonials by status, type and rating; exact, as lists are',
    examples: ['stats --organization demo'],
  }).action(({ organization }: { organization: string }) =>
    onOrganization(organization, async (session) => {
      if (!(await session.warnOfLoading())) await session.warnOfUnknown();
      const counts = await countTestimonials(session, organization);
      const total = counts.reduce((sum, count) => sum + count, 0);
      const byAll = cells.map(([status, type, rating], i) => ({
        status: valueIn(status),
        type: valueIn(type),
        rating: Number(valueIn(rating)) || null,
        count: counts[i],
      }));
      show({ organization, total, counts: byAll }, () => tableOf(organization, counts));
    }),
  );
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
