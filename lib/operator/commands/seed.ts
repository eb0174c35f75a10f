/** The operator's command `seed`: generated testimonials, for trying the service out. */
import { type Command, InvalidArgumentError } from 'commander';
import { type CommandContext, examples, interruptible, organizationOption } from '../command-context.ts';
import { seedOrganization } from '../sample-data/seed.ts';
import { counted } from '../terminal/formatting.ts';
import { loadSteps, waitingText, withStepProgress } from '../terminal/progress.ts';

/** Adds `seed` to the program. */
export function addSeedCommand(program: Command, { io, withOperator, show }: CommandContext): void {
  program
    .command('seed')
    .description('Fill an organization with generated testimonials')
    .addOption(organizationOption().makeOptionMandatory())
    .option('--count <number>', 'how many', wholeCount, 1000)
    .addHelpText('after', examples('seed --organization demo --count 20000'))
    .action(({ organization, count }: { organization: string; count: number }) =>
      withOperator(async (operator) => {
        await operator.organizations.add(organization);
        const whatNext = `Run it again, or show what was stored: index rebuild --organization ${organization}`;
        await interruptible(io, whatNext, () =>
          withStepProgress(io, loadSteps, (progress) =>
            seedOrganization(
              {
                ...operator,
                progress: (done, step) => progress(Math.min(done, count), count, step),
                waiting: () => io.printError(waitingText),
                sleep: io.sleep,
              },
              organization,
              count,
            ),
          ),
        );
        show({ organization, count }, () => `${counted(count, 'testimonial')} added to ${organization}`);
      }),
    );
}

function wholeCount(value: string): number {
  if (!/^[1-9]\d{0,6}$/.test(value)) {
    throw new InvalidArgumentError('It must be a whole number from 1 to 9999999.');
  }
  return Number(value);
}
