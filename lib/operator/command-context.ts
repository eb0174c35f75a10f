/** What all commands of the operator's command line share. */
import { constants } from 'node:os';
import { InvalidArgumentError, Option } from 'commander';
import * as v from 'valibot';
import { organizationName } from '../../functions/domain/organization.ts';
import type { OrganizationStore, TestimonialStore, TokenStore } from '../../functions/domain/stores.ts';
import type { IndexStore } from '../../functions/list-index/index-store.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { tokenStore } from '../../functions/persistence/dynamodb-token-store.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { importJobStore } from './import/dynamodb-import-job-store.ts';
import type { ProgramIo } from './terminal/program-io.ts';

/** What commands work on: the stores of a table, and the time as its database tells it. */
export interface Operator {
  table: Table;
  now: () => Date;
  /** Of this machine, in milliseconds. */
  clock: () => number;
  testimonials: TestimonialStore;
  index: IndexStore;
  tokens: TokenStore;
  organizations: OrganizationStore;
}

// Ctrl-C, the wish of another program, and a terminal that was closed.
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Does work that takes long. A signal ends the program with a line that says what is done and what to do next. */
export async function interruptible(
  io: ProgramIo,
  whatNext: string | (() => string),
  work: () => Promise<void>,
): Promise<void> {
  const stop = (signal: (typeof endingSignals)[number]) => {
    const next = typeof whatNext === 'string' ? whatNext : whatNext();
    // Once a bar, which ends with the program too, is gone.
    process.once('exit', () => io.printError(`Stopped. ${next}`));
    process.exit(128 + constants.signals[signal]); // as shells have it
  };
  for (const signal of endingSignals) process.on(signal, stop);
  try {
    await work();
  } finally {
    for (const signal of endingSignals) process.off(signal, stop);
  }
}

/** What each command has at hand. */
export interface CommandContext {
  io: ProgramIo;
  /** Does work on the target, and closes it. */
  withOperator: (work: (operator: Operator) => Promise<void>) => Promise<void>;
  /** Prints a value: as JSON for scripts, or as text. */
  show: (value: unknown, text: () => string) => void;
  /** True when scripts read what is printed. */
  isJson: () => boolean;
}

export function operatorOf(table: Table, clock: () => number = Date.now): Operator {
  return {
    table,
    now: table.now,
    clock,
    testimonials: testimonialStore(table),
    index: indexStore(table),
    tokens: tokenStore(table),
    organizations: organizationStore(table),
  };
}

/** One or more of the things a command was asked to do could not be done; each was already reported. */
export class PartlyFailed extends Error {}

export function organizationOption(description = 'name of the organization'): Option {
  return new Option('--organization <name>', description).argParser((value) => {
    const result = v.safeParse(organizationName, value);
    if (!result.success) throw new InvalidArgumentError(`It ${result.issues[0].message}.`);
    return result.output;
  });
}

/** Says so where an organization of this name never had a token: it may be misspelt. */
export async function warnOfUnknown(
  { organizations }: Operator,
  { printError }: ProgramIo,
  organization: string,
): Promise<void> {
  if ((await organizations.list()).includes(organization)) return;
  printError(`No token was ever issued for ${organization}: is that its name?`);
}

/** What is said where an import or a seed has not ended; undefined where all of them have. */
async function unendedLoad(
  { index, table }: Operator,
  organization: string,
): Promise<{ line: string; isHidden: boolean } | undefined> {
  if ((await index.readHead(organization))?.isLoading) {
    const show = `show what it stored: index rebuild --organization ${organization}`;
    return {
      line: `An import or a seed of ${organization} has not ended, and lists have nothing of it yet: wait for it, run it again where it was stopped, or ${show}.`,
      isHidden: true,
    };
  }
  if ((await importJobStore(table).unended(organization)).length === 0) return undefined;
  return {
    line: `An import into ${organization} has not ended: a part of it is there. Wait for it, or run it again where it was stopped.`,
    isHidden: false,
  };
}

/** Says so where an import or a seed has not ended: what is read is not all there is. */
export async function warnOfLoading(
  operator: Operator,
  { printError }: ProgramIo,
  organization: string,
): Promise<boolean> {
  const load = await unendedLoad(operator, organization);
  if (load) printError(load.line);
  return load !== undefined;
}

/**
 * Says so where an import has stored a part of a file.
 * @throws where an import or a seed has stored what lists do not have yet: what is made of it would look whole
 */
export async function refuseWhileLoading(
  operator: Operator,
  { printError }: ProgramIo,
  organization: string,
): Promise<void> {
  const load = await unendedLoad(operator, organization);
  if (load?.isHidden) throw new Error(load.line);
  if (load) printError(load.line);
}

/** Examples, for the end of a command's help. */
export function examples(...lines: string[]): string {
  return ['', 'Examples:', ...lines.map((line) => `  npm run admin -- ${line}`)].join('\n');
}

/**
 * Asks whether to do what cannot be undone, or is much. Scripts say so by `--yes`.
 * @throws when nobody can be asked, or the answer is no
 */
export async function confirm({ person }: ProgramIo, question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!person) throw new Error(`${question} Nobody is at the terminal to say so: take --yes.`);
  const answer = (await person.ask(`${question} [y/N] `)).trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw new Error('Nothing was done.');
}

/** The option by which scripts consent. */
export function yesOption(): Option {
  return new Option('--yes', 'do not ask');
}
