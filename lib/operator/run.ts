/** Runs the operator's command line to its end. */
import { CommanderError } from 'commander';
import { PartlyFailed } from './command-context.ts';
import { operatorProgram } from './program.ts';
import { explain } from './target.ts';
import { Stopped } from './terminal/interruptible.ts';
import type { ProgramIo } from './terminal/program-io.ts';
import { displayed } from './terminal/terminal-text.ts';

/**
 * Runs a command. What went wrong is said in one line.
 * @param args as they stand behind the program's name
 * @returns the exit code
 */
export async function runOperator(args: readonly string[], given: ProgramIo): Promise<number> {
  // Errors and warnings quote names, files and texts.
  const io = { ...given, printError: (line: string) => given.printError(displayed(line)) };
  const program = operatorProgram(io, args);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Stopped) {
      io.printError(error.message);
      return error.exitCode;
    }
    // `--help` also ends by an error, of exit code 0; and Commander shows the help when a command is missing.
    const exitCode = error instanceof CommanderError ? error.exitCode : 1;
    const isHelp = error instanceof CommanderError && error.code === 'commander.help';
    if (exitCode !== 0 && !isHelp && !(error instanceof PartlyFailed)) {
      io.printError(explain(error, program.opts(), io.variables));
    }
    return exitCode;
  }
}
