/** What all commands of the operator's command line share. */
import { InvalidArgumentError, Option } from 'commander';
import * as v from 'valibot';
import { organizationName } from '../../functions/domain/organization.ts';
import type { OrganizationStore, TestimonialStore, TokenStore } from '../../functions/domain/stores.ts';
import type { IndexStore } from '../../functions/list-index/index-store.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { tokenStore } from '../../functions/persistence/dynamodb-token-store.ts';
import { learnTime } from '../../functions/persistence/open-connections.ts';
import type { Table } from '../../functions/persistence/table.ts';

/** Where the program writes, and the environment variables that it reads; tests pass their own. */
export interface ProgramIo {
  print: (line: string) => void;
  printError: (line: string) => void;
  variables: NodeJS.ProcessEnv;
}

export const terminal: ProgramIo = {
  print: console.log,
  printError: console.error,
  variables: process.env,
};

/** What commands work on: the stores of a table, and the time as its database tells it. */
export interface Operator {
  table: Table;
  now: () => Date;
  testimonials: TestimonialStore;
  index: IndexStore;
  tokens: TokenStore;
  organizations: OrganizationStore;
}

/** Does work that takes long. Ctrl-C ends the program with a line that says what is done and what to do next. */
export async function interruptible(
  io: ProgramIo,
  whatNext: string,
  work: () => Promise<void>,
): Promise<void> {
  const stop = () => {
    io.printError(`Stopped. ${whatNext}`);
    process.exit(130); // 128 and the number of the signal, as shells have it
  };
  process.once('SIGINT', stop);
  try {
    await work();
  } finally {
    process.off('SIGINT', stop);
  }
}

/** Does work on a target, and closes it. */
export type WithOperator = (work: (operator: Operator) => Promise<void>) => Promise<void>;

/** Prints a value: as JSON for scripts, or as text. */
export type Show = (value: unknown, text: () => string) => void;

export async function operatorOf(table: Table): Promise<Operator> {
  await learnTime(table);
  return {
    table,
    now: table.now,
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
