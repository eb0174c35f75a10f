/** The commands `testimonial list` and `show`, and the others on testimonials. */
import type { Command } from 'commander';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { sortOf } from '../../../functions/domain/testimonial-order.ts';
import type { ListBody } from '../../../functions/list-testimonials/list-body.ts';
import { listBodyOf } from '../../../functions/list-testimonials/make-list-body.ts';
import { addCommand, type CommandContext } from '../command-context.ts';
import { type ListOptions, listOptions, queryTextOf, requireListQuery } from '../list-query.ts';
import {
  beginning,
  columnGap,
  columns,
  counted,
  joined,
  maxWidth,
  notFoundText,
  oneLine,
  statusText,
  testimonialText,
} from '../terminal/formatting.ts';
import type { Terminal } from '../terminal/program-io.ts';
import { addEraseCommand } from './erase.ts';
import { addModerationCommands } from './moderation.ts';

export function addTestimonialCommands(program: Command, context: CommandContext): void {
  const testimonial = addCommand(program, 'testimonial');
  addListCommand(testimonial, context);
  context
    .organizationCommand(testimonial, 'testimonial show')
    .argument('<id>', 'id of the testimonial')
    .run(async ({ organization, finds, io, show }, id: string) => {
      const found = await finds.find(id);
      if (!found) throw new Error(notFoundText(organization, id));
      show(found.testimonial, () => testimonialText(found.testimonial, io.terminal));
    });
  addModerationCommands(testimonial, context);
  addEraseCommand(testimonial, context);
}

// Columns of the terminal: the maximum for an author's name, and the minimum for the content.
const authorWidth = (width: number) => Math.min(24, Math.floor(width / 5));
const minContentWidth = 12;

function addListCommand(testimonial: Command, { io, organizationCommand, show }: CommandContext): void {
  const command = organizationCommand(testimonial, 'testimonial list').run(
    async (session, { where, ...options }: ListOptions & { where?: string }) => {
      const query = requireListQuery(queryTextOf(options, where));
      await session.warnOfLoading();
      const result = await session.lists.list(query);
      if (result.total === 0) await session.warnOfUnknown();
      const body = listBodyOf(query, result);
      const table = body.testimonials.length > 0 && tableOf(body.testimonials, query, io.terminal);
      show(body, () => joined([table, pageText(body.pagination)], '\n\n'));
    },
  );
  for (const option of listOptions()) command.addOption(option);
  command.option('--where <query>', "several parameters at once: 'status=pending&rating=5'");
}

/** Returns a table as wide as the terminal. Without a terminal, shortens nothing. */
function tableOf(testimonials: readonly Testimonial[], { sort }: ListQuery, person?: Terminal): string {
  const { axis } = sortOf(sort);
  const title = (text: string) => person?.style('bold', text) ?? text;
  const titles = ['ID', 'STATUS', '★', axis === 'createdAt' ? 'CREATED' : 'UPDATED', 'AUTHOR'].map(title);
  const width = person?.columns() ?? Number.MAX_SAFE_INTEGER;
  const rows = testimonials.map((testimonial) => {
    const { id, status, rating, author } = testimonial;
    const day = testimonial[axis].slice(0, 'yyyy-mm-dd'.length);
    const name = beginning(oneLine(author.name), person ? authorWidth(width) : width);
    return [id, statusText(status, person), String(rating ?? ''), day, name];
  });
  const usedWidth = maxWidth(columns([titles, ...rows]).split('\n'));
  const contentWidth = Math.max(minContentWidth, width - usedWidth - columnGap.length);
  const contents = testimonials.map(({ content }) => beginning(oneLine(content), contentWidth));
  return columns([[...titles, title('CONTENT')], ...rows.map((row, i) => [...row, contents[i] ?? ''])]);
}

function pageText({ page, total, totalPages }: ListBody['pagination']): string {
  if (total === 0) return 'No testimonials.';
  const all = counted(total, 'testimonial');
  if (page > totalPages) return `page ${page} is past the last page, ${totalPages}; ${all}`;
  return `page ${page.toLocaleString('en')} of ${totalPages.toLocaleString('en')}, ${all}`;
}
