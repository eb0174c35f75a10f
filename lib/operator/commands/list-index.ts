/** The operator's commands on the list index. */
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addRebuildCommand } from './index-rebuild.ts';
import { addStatusCommand } from './index-status.ts';
import { addVerifyCommand } from './index-verify.ts';

/** Adds `index` and its commands to the program. */
export function addIndexCommands(program: Command, context: CommandContext): void {
  const index = program.command('index').description('Look at, rebuild and verify the list index');
  addStatusCommand(index, context);
  addRebuildCommand(index, context);
  addVerifyCommand(index, context);
}
