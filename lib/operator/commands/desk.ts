/** The command `desk`, which serves the desk on this machine. */
import { once } from 'node:events';
import type { Command } from 'commander';
import { wholeNumber } from '../../../functions/domain/testimonial-filter.ts';
import { type CommandContext, checkedBy } from '../command-context.ts';
import { openDesk, serveDesk } from '../desk.ts';
import { interruptible } from '../terminal/interruptible.ts';
import { addPeopleCommands } from './desk-people.ts';

const ports = wholeNumber(0, 65_535);
const standardPort = 4200;

export function addDeskCommands(program: Command, context: CommandContext): void {
  const desk = program
    .command('desk')
    .description('Moderate in a browser on this machine; invite people to the desk of the deployment');
  addServeCommand(desk, context);
  addPeopleCommands(desk, context);
}

function addServeCommand(desk: Command, { io, organizationCommand, show, explain }: CommandContext): void {
  organizationCommand(desk, {
    name: 'serve',
    isDefault: true,
    description:
      'Serve pages on this machine to review, list, change, import and export testimonials and preview walls',
    examples: ['desk --organization acme', 'desk --organization acme --port 0'],
  })
    .option('--port <number>', 'port to listen on; 0 for any free port', checkedBy(ports), standardPort)
    .run(async (session, { port }: { port: number }) => {
      const { organization } = session;
      await session.warnOfUnknown();
      const desk = openDesk(session, { organization, sleep: io.sleep, explain });
      const { url, stop } = await serveDesk(desk, port);
      show(
        { organization, url },
        () =>
          `The desk of ${organization}: ${url}\nAnyone who can open this URL on this machine has all your rights. Press Ctrl-C to stop.`,
      );
      await interruptible(io, 'All decisions are saved.', (letEnd) =>
        letEnd(async (signal) => {
          await once(signal, 'abort');
          await stop();
        }),
      );
    });
}
