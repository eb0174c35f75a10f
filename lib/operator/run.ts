/** The operator's command line, from its arguments to its exit code. */
import { type Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { type CommandContext, contextOf, PartlyFailed, StrictCommand } from './command-context.ts';
import { addDeskCommands } from './commands/desk.ts';
import { addExportCommand } from './commands/export.ts';
import { addImportCommand } from './commands/import.ts';
import { addIndexCommands } from './commands/list-index.ts';
import { addOrganizationCommands, addSeedCommand, addStatsCommand } from './commands/organization.ts';
import { addPageCommands } from './commands/page.ts';
import { addTestimonialCommands } from './commands/testimonial.ts';
import { addTokenCommands } from './commands/token.ts';
import { Stopped } from './terminal/interruptible.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** The commands by subject, in the order of the help. */
const groups: Record<string, ((program: Command, context: CommandContext) => void)[]> = {
  'Testimonials:': [addTestimonialCommands, addDeskCommands, addPageCommands, addStatsCommand],
  'Data in and out:': [addImportCommand, addExportCommand, addSeedCommand],
  'Access:': [addTokenCommands, addOrganizationCommands],
  'List index:': [addIndexCommands],
};

/**
 * Runs a command, and prints an error as one line with advice.
 * @param args the command line, without the program's name
 * @returns the exit code
 */
export async function runOperator(args: readonly string[], processIo: ProgramIo): Promise<number> {
  const context = contextOf(processIo, args, () => program.opts());
  const program = operatorProgram(context);
  const { io, explain } = context;
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Stopped) {
      io.printError(error.message);
      return error.exitCode;
    }
    // Commander also throws for `--help`, with exit code 0. If the command is missing, it has already printed
    // the help.
    const exitCode = error instanceof CommanderError ? error.exitCode : 1;
    const isHelp = error instanceof CommanderError && error.code === 'commander.help';
    if (exitCode !== 0 && !isHelp && !(error instanceof PartlyFailed)) {
      io.printError(explain(error));
    }
    return exitCode;
  }
}

/** Builds the program. Its commands throw their errors. */
function operatorProgram(context: CommandContext): Command {
  const { io } = context;
  const program = new StrictCommand('admin')
    .description("The operator's command line of the Testimonials API")
    .version(packageJson.version, '--version', 'print the version')
    .option('--table <name>', 'table on AWS; uses your AWS credentials and region')
    .option('--endpoint <url>', 'URL of another DynamoDB (default: the running local service)')
    .option('--json', 'print JSON, for scripts')
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (title) => io.terminal?.style('bold', title) ?? title,
    })
    .configureOutput({
      writeOut: (text) => io.print(text.trimEnd()),
      writeErr: (text) => io.printError(text.trimEnd()),
      outputError: () => {},
    })
    .exitOverride();

  for (const [heading, commands] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, context);
  }
  return program;
}
