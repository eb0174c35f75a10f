/** The operator's command line. */
import { Command } from 'commander';
import { packageVersion } from '../package-version.ts';
import type { CommandContext } from './command-context.ts';
import { addDeskCommand } from './commands/desk.ts';
import { addExplainCommand } from './commands/explain.ts';
import { addExportCommand } from './commands/export.ts';
import { addImportCommand } from './commands/import.ts';
import { addIndexCommands } from './commands/list-index.ts';
import { addOrganizationCommands } from './commands/organization.ts';
import { addSeedCommand } from './commands/seed.ts';
import { addStatsCommand } from './commands/stats.ts';
import { addTestimonialCommands } from './commands/testimonial.ts';
import { addTokenCommands } from './commands/token.ts';
import { addWallCommand } from './commands/wall.ts';
import { sessionOf } from './session.ts';
import { type TargetOptions, withOperator } from './target.ts';
import { jsonText } from './terminal/formatting.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** The commands by subject, as the help shows them. */
const groups: Record<string, ((program: Command, context: CommandContext) => void)[]> = {
  'Testimonials:': [addTestimonialCommands, addDeskCommand, addStatsCommand, addWallCommand],
  'Data in and out:': [addImportCommand, addExportCommand, addSeedCommand],
  'Access:': [addTokenCommands, addOrganizationCommands],
  'List index:': [addIndexCommands, addExplainCommand],
};

type GlobalOptions = TargetOptions & { json?: true };

/**
 * Builds the program. Commands throw what goes wrong.
 * @param args that it is going to be given
 */
export function operatorProgram(io: ProgramIo, args: readonly string[] = []): Command {
  const program = new Command('admin')
    .description("The operator's command line of the Testimonials API")
    .version(packageVersion(), '--version', 'print the version')
    .option('--table <name>', 'table on AWS, reached with the ambient credentials')
    .option('--endpoint <url>', 'another DynamoDB than the running local service')
    .option('--json', 'print JSON, for scripts')
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (title) => io.person?.style('bold', title) ?? title,
    })
    .configureOutput({
      writeOut: (text) => io.print(text.trimEnd()),
      writeErr: (text) => io.printError(text.trimEnd()),
      outputError: () => {},
    })
    .exitOverride();

  const globals = () => program.opts<GlobalOptions>();
  const context: CommandContext = {
    io,
    args,
    isJson: () => globals().json === true,
    withOperator: (work) => withOperator(globals(), io, work),
    onOrganization: (organization, work) =>
      context.withOperator((operator) => work(sessionOf(operator, organization, io))),
    show(value, text) {
      const shown = context.isJson() ? jsonText(value) : text();
      if (shown !== undefined) io.print(shown);
    },
  };
  for (const [heading, added] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const add of added) add(program, context);
  }
  return program;
}
