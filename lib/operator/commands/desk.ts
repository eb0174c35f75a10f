/** The operator's command `desk`: pages on this machine, for people who do not use a terminal. */
import { once } from 'node:events';
import { type Command, InvalidArgumentError } from 'commander';
import { serveDesk } from '../../../functions/serve-desk/on-this-machine/local-desk.ts';
import { type CommandContext, organizationCommand } from '../command-context.ts';
import { openDesk } from '../desk.ts';
import { interruptible } from '../terminal/interruptible.ts';
import { addPeopleCommands } from './desk-people.ts';

const standardPort = 4200;

/** Adds `desk`, and the commands on people who moderate at the desk of the deployment. */
export function addDeskCommands(program: Command, context: CommandContext): void {
  const desk = program
    .command('desk')
    .description('Serve pages to moderate on this machine; invite people to those of the deployment');
  addServeCommand(desk, context);
  addPeopleCommands(desk, context);
}

function addServeCommand(desk: Command, { io, onOrganization, show, explain }: CommandContext): void {
  organizationCommand(desk, {
    name: 'serve',
    isDefault: true,
    description: 'Serve pages on this machine to review, list, change, import, export and preview the wall',
    examples: ['desk --organization acme', 'desk --organization acme --port 0'],
  })
    .option('--port <number>', 'where it listens; 0 for a free port', readPort, standardPort)
    .action(({ organization, port }: { organization: string; port: number }) =>
      onOrganization(organization, async (session) => {
        await session.warnOfUnknown();
        const desk = openDesk(session, { organization, sleep: io.sleep, explain });
        const { address, stop } = await serveDesk(desk, port);
        show({ organization, address }, () =>
          [
            `The desk of ${organization}: ${address}`,
            'Whoever has this address may do all that you may. It works on this machine only, until Ctrl-C.',
          ].join('\n'),
        );
        await interruptible(io, 'What was decided is stored.', (letEnd) =>
          letEnd(async (signal) => {
            await once(signal, 'abort');
            await stop();
          }),
        );
      }),
    );
}

function readPort(value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new InvalidArgumentError('It must be a port number; 0 takes a free one.');
}
