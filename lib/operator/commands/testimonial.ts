/** The operator's commands on testimonials. */
import type { Command } from 'commander';
import { changeStatus, findTestimonial } from '../../../functions/domain/change-status.ts';
import type { Status, Testimonial } from '../../../functions/domain/testimonial.ts';
import {
  type CommandContext,
  examples,
  type Operator,
  organizationOption,
  PartlyFailed,
} from '../command-context.ts';

/** Adds `testimonial approve`, `reject` and `show` to the program. */
export function addTestimonialCommands(
  program: Command,
  { io, withOperator, show, isJson }: CommandContext,
): void {
  const testimonial = program.command('testimonial').description('Moderate and look at testimonials');
  for (const [command, status] of Object.entries({ approve: 'approved', reject: 'rejected' } as const)) {
    testimonial
      .command(command)
      .description(`Set the status of testimonials to ${status}`)
      .argument('<id...>', 'ids of testimonials')
      .addOption(organizationOption().makeOptionMandatory())
      .addHelpText('after', examples(`testimonial ${command} --organization acme test_1234567890121`))
      .action((ids: string[], { organization }: { organization: string }) =>
        withOperator((operator) => moderate(operator, organization, ids, status)),
      );
  }
  testimonial
    .command('show')
    .description('Show one testimonial')
    .argument('<id>', 'id of the testimonial')
    .addOption(organizationOption().makeOptionMandatory())
    .addHelpText('after', examples('testimonial show --organization acme test_1234567890121'))
    .action((id: string, { organization }: { organization: string }) =>
      withOperator(async ({ testimonials }) => {
        const { testimonial: found } = await findTestimonial(testimonials, organization, id);
        show(found, () => testimonialText(found));
      }),
    );

  async function moderate(
    operator: Operator,
    organization: string,
    ids: string[],
    status: Status,
  ): Promise<void> {
    const changed: Testimonial[] = [];
    let failures = 0;
    for (const id of new Set(ids)) {
      try {
        const next = await changeStatus(operator, organization, id, status);
        changed.push(next);
        if (!isJson()) io.print(`${id} ${status}`);
      } catch (error) {
        if (!(error instanceof Error && error.name === 'TestimonialNotFound')) throw error;
        failures += 1;
        io.printError(error.message);
      }
    }
    if (isJson()) io.print(JSON.stringify(changed, null, 2));
    if (failures > 0) throw new PartlyFailed();
  }
}

function testimonialText({
  id,
  content,
  author,
  rating,
  type,
  status,
  tags,
  createdAt,
  updatedAt,
}: Testimonial) {
  const company = author.company === undefined ? '' : `, ${author.company}`;
  return [
    `${id}  ${status}  ${type}  ${rating === undefined ? 'unrated' : `${rating}/5`}`,
    `${author.name} <${author.email}>${company}`,
    ...(tags && tags.length > 0 ? [`tags: ${tags.join(', ')}`] : []),
    `created ${createdAt}, updated ${updatedAt}`,
    '',
    content,
  ].join('\n');
}
