/** The operator's command `stats`: how many testimonials there are, by status, type and rating. */
import type { Command } from 'commander';
import { ratingTerm, statusTerm, typeTerm } from '../../../functions/domain/terms.ts';
import { limits, statuses, testimonialTypes } from '../../../functions/domain/testimonial.ts';
import { cells, type Summary } from '../../../functions/list-index/bits/summary.ts';
import { countTestimonials } from '../../../functions/operations/list-testimonials.ts';
import { type CommandContext, organizationCommand } from '../command-context.ts';
import { columns } from '../terminal/formatting.ts';

const rows = [
  ...testimonialTypes.map((type) => ({ name: type as string, term: typeTerm(type) })),
  ...Array.from({ length: limits.rating.max }, (_, i) => limits.rating.max - i).map((rating) => ({
    name: rating === 1 ? '1 star' : `${rating} stars`,
    term: ratingTerm(rating),
  })),
  { name: 'unrated', term: ratingTerm(0) },
];

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
        ...{ status: valueIn(status), type: valueIn(type), rating: Number(valueIn(rating)) || null },
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
  const count = (...terms: string[]) =>
    cells.reduce((sum, cell, i) => {
      const having: string[] = [...cell];
      return terms.every((term) => having.includes(term)) ? sum + (counts[i] ?? 0) : sum;
    }, 0);
  const line = (name: string, ...terms: string[]) => [
    name,
    ...[...statuses.map((status) => [...terms, statusTerm(status)]), terms].map((each) =>
      count(...each).toLocaleString('en'),
    ),
  ];
  const lines = [
    [organization, ...statuses, 'all'],
    ...rows.map(({ name, term }) => line(name, term)),
    line('all'),
  ];
  return columns(lines, ['start', ...lines.slice(1).map(() => 'end' as const)]);
}
