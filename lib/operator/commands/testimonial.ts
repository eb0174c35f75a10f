/** The operator's commands on testimonials. */
import type { Command } from 'commander';
import { findTestimonial } from '../../../functions/operations/find-testimonial.ts';
import { type CommandContext, organizationCommand } from '../command-context.ts';
import { notFoundText, testimonialText } from '../terminal/formatting.ts';
import { addEraseCommand } from './erase.ts';
import { addModerationCommands } from './moderation.ts';
import { addListCommand } from './testimonial-list.ts';

/** Adds `testimonial` and its commands to the program. */
export function addTestimonialCommands(program: Command, context: CommandContext): void {
  const testimonial = program.command('testimonial').description('List, moderate and erase testimonials');
  addListCommand(testimonial, context);
  addShowCommand(testimonial, context);
  addModerationCommands(testimonial, context);
  addEraseCommand(testimonial, context);
}

function addShowCommand(testimonial: Command, { io, onOrganization, show }: CommandContext): void {
  organizationCommand(testimonial, {
    name: 'show',
    description: 'Show one testimonial',
    examples: ['testimonial show --organization acme test_1234567890121'],
  })
    .argument('<id>', 'id of the testimonial')
    .action((id: string, { organization }: { organization: string }) =>
      onOrganization(organization, async ({ testimonials }) => {
        const found = await findTestimonial(testimonials, organization, id);
        if (!found) throw new Error(notFoundText(organization, id));
        show(found.testimonial, () => testimonialText(found.testimonial, io.person));
      }),
    );
}
