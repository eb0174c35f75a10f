/** `npm run admin -- …`: the operator's command line. */
import { CommanderError } from 'commander';
import { operatorProgram } from '../lib/operator/program.ts';
import { PartlyFailed, terminal } from '../lib/operator/program-io.ts';
import { explain } from '../lib/operator/target.ts';

const program = operatorProgram(terminal);
try {
  await program.parseAsync();
} catch (error) {
  // `--help` also ends by an error, of exit code 0.
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
  if (process.exitCode !== 0 && !(error instanceof PartlyFailed) && !isHelp(error)) {
    console.error(explain(error, program.opts()));
  }
}

// Commander shows the help by itself when a command is missing.
function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.code === 'commander.help';
}
