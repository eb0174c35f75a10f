/** What all commands of the operator's command line share. */
import { InvalidArgumentError, Option } from 'commander';
import * as v from 'valibot';
import { organizationName } from '../../functions/domain/organization.ts';
import type { Table } from '../../functions/persistence/document-client.ts';
import { openTarget, type TargetOptions } from './target.ts';

/** Where the program writes, what it opens and what time it is; tests pass their own. */
export interface ProgramIo {
  print: (line: string) => void;
  printError: (line: string) => void;
  open: (options: TargetOptions) => Table;
  now: () => Date;
}

export const terminal: ProgramIo = {
  print: console.log,
  printError: console.error,
  open: openTarget,
  now: () => new Date(),
};

/** One or more of the things a command was asked to do could not be done; each was already reported. */
export class PartlyFailed extends Error {}

export function organizationOption(description = 'name of the organization'): Option {
  return new Option('--organization <name>', description).argParser((value) => {
    const result = v.safeParse(organizationName, value);
    if (!result.success) throw new InvalidArgumentError(`It ${result.issues[0].message}.`);
    return result.output;
  });
}
