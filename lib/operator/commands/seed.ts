/** The operator's command `seed`: generated testimonials, for trying the service out. */
import type { Command } from 'commander';
import { type CommandContext, organizationCommand, wholeNumberTo } from '../command-context.ts';
import { seedOrganization } from '../sample-data/seed.ts';
import { counted } from '../terminal/formatting.ts';
import { longWork, type StepName } from '../terminal/progress.ts';

/** Adds `seed` to the program. */
export function addSeedCommand(program: Command, { io, onOrganization, show }: CommandContext): void {
  organizationCommand(program, {
    name: 'seed',
    description: 'Fill an organization with generated testimonials',
    examples: ['seed --organization demo --count 20000'],
  })
    .option('--count <number>', 'how many', wholeNumberTo(9_999_999), 1000)
    .action(({ organization, count }: { organization: string; count: number }) =>
      onOrganization(organization, async (session) => {
        await session.organizations.add(organization);
        const whatNext = `Run it again, or show what was stored: index rebuild --organization ${organization}`;
        await longWork(io, whatNext, ({ progress, ...attendance }) => {
          const told = (done: number, step: StepName) => progress(Math.min(done, count), count, step);
          return seedOrganization({ ...session, ...attendance, progress: told }, organization, count);
        });
        show({ organization, count }, () => `${counted(count, 'testimonial')} added to ${organization}`);
      }),
    );
}
