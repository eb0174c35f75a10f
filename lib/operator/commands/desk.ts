/** The command `desk`, which serves the desk on this machine. */
import { once } from 'node:events';
import type { Command } from 'commander';
import { wholeNumber } from '../../../functions/domain/testimonial-filter.ts';
import { addCommand, apiOf, type CommandContext, checkedBy, urlOption } from '../command-context.ts';
import { openDesk, serveDesk } from '../desk.ts';
import { joined } from '../terminal/formatting.ts';
import { interruptible } from '../terminal/interruptible.ts';
import { addPeopleCommands } from './desk-people.ts';

const ports = wholeNumber(0, 65_535);
const standardPort = 4200;

export function addDeskCommands(program: Command, context: CommandContext): void {
  const desk = addCommand(program, 'desk');
  addServeCommand(desk, context);
  addPeopleCommands(desk, context);
}

function addServeCommand(desk: Command, { io, organizationCommand, show, explain }: CommandContext): void {
  organizationCommand(desk, 'desk serve')
    .option('--port <number>', 'port to listen on; 0 for any free port', checkedBy(ports), standardPort)
    .addOption(urlOption())
    .run(async (session, options: { port: number; url?: string }) => {
      const { organization } = session;
      await session.warnOfUnknown();
      const { api, advice } = apiOf(io, options.url);
      const desk = openDesk(session, { organization, api, sleep: io.sleep, explain });
      const { url, stop } = await serveDesk(desk, options.port);
      show({ organization, url }, () => {
        const warning =
          'Anyone who can open this URL on this machine has all your rights. Press Ctrl-C to stop.';
        return joined([`The desk of ${organization}: ${url}\n${warning}`, advice], '\n\n');
      });
      await interruptible(io, 'All decisions are saved.', (letEnd) =>
        letEnd(async (signal) => {
          await once(signal, 'abort');
          await stop();
        }),
      );
    });
}
