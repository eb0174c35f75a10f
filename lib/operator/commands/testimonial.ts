/** The operator's commands on testimonials. */
import type { Command } from 'commander';
import { findTestimonial } from '../../../functions/operations/change-status.ts';
import { type CommandContext, examples, organizationOption } from '../command-context.ts';
import { testimonialText } from '../terminal/testimonial-text.ts';
import { addEraseCommand } from './erase.ts';
import { addModerationCommands } from './moderation.ts';
import { addReviewCommand } from './review.ts';
import { addListCommand } from './testimonial-list.ts';

/** Adds `testimonial` and its commands to the program. */
export function addTestimonialCommands(program: Command, context: CommandContext): void {
  const testimonial = program.command('testimonial').description('List, moderate and erase testimonials');
  addListCommand(testimonial, context);
  addShowCommand(testimonial, context);
  addReviewCommand(testimonial, context);
  addModerationCommands(testimonial, context);
  addEraseCommand(testimonial, context);
}

function addShowCommand(testimonial: Command, { io, withOperator, show }: CommandContext): void {
  testimonial
    .command('show')
    .description('Show one testimonial')
    .argument('<id>', 'id of the testimonial')
    .addOption(organizationOption().makeOptionMandatory())
    .addHelpText('after', examples('testimonial show --organization acme test_1234567890121'))
    .action((id: string, { organization }: { organization: string }) =>
      withOperator(async ({ testimonials }) => {
        const { testimonial: found } = await findTestimonial(testimonials, organization, id);
        show(found, () => testimonialText(found, io.person));
      }),
    );
}
