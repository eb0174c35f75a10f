/** Runs the operator's commands in this process. */

import { runOperator } from '../lib/operator/run.ts';
import type { ProgramIo, Terminal } from '../lib/operator/terminal/program-io.ts';
import { ownDynamoDb, testEndpoint } from './dynamodb.ts';
import { type Actor, actAs } from './iam/acting.ts';

export interface Printed {
  code: number;
  stdout: string;
  stderr: string;
}

/** The output of a command that succeeds. */
export const printed = (text: string): Printed => ({ code: 0, stdout: `${text}\n`, stderr: '' });

/** The output of a command that fails with a reason. */
export const refused = (reason: string): Printed => ({ code: 1, stdout: '', stderr: `${reason}\n` });

/** Runs a command with environment variables, and with a person at the terminal if there is one. */
export async function runAdmin(
  args: readonly string[],
  variables: NodeJS.ProcessEnv,
  io: Pick<ProgramIo, 'terminal' | 'sleep' | 'clock' | 'contactMs'> = {},
): Promise<Printed> {
  // The clock stands still, so that no progress is printed.
  return printedBy({ variables, clock: () => 0, ...io }, (all) =>
    actAs(actorOf(args), () => runOperator(args, all)),
  );
}

/** Runs a program and collects its output. */
export async function printedBy(
  io: Partial<ProgramIo>,
  run: (io: ProgramIo) => Promise<number>,
): Promise<Printed> {
  const output = { stdout: '', stderr: '' };
  const code = await run({
    print: (line) => {
      output.stdout += `${line}\n`;
    },
    printError: (line) => {
      output.stderr += `${line}\n`;
    },
    write: async (text) => {
      output.stdout += text;
    },
    variables: {},
    // Longer than a busy machine needs to reach DynamoDB.
    contactMs: 600_000,
    ...io,
  });
  return { code, ...output };
}

/** The command that a message names, with the options of the target. */
export const commandOn = ({ name }: { name: string }, words: string, endpoint = testEndpoint()) =>
  `npm run admin -- --table ${name} --endpoint ${endpoint} ${words}`;

/** The commands that only read, some of them only with an option. */
const readingCommands = [
  'testimonial list',
  'testimonial show',
  'stats',
  'export',
  'token list',
  'page list',
  'page show',
  'index status',
  'index verify',
  'import --dry-run',
  'import --sample',
  'organization budget',
];

/** Returns the smaller of the two operators' policies that suffices for a command. */
function actorOf(args: readonly string[]): Actor {
  const words = args.filter((word) => !word.startsWith('-'));
  const is = (command: string) =>
    command.split(' ').every((word, i) => (word.startsWith('-') ? args.includes(word) : words[i] === word));
  const writes = args.some((word) => ['--repair', '--set', '--set-day', '--reset'].includes(word));
  return readingCommands.some(is) && !writes ? 'Operator/Read' : 'Operator/Write';
}

/** Returns a function that runs commands on a test's own table. */
export function adminOf({ name }: { name: string }, terminal?: Terminal, sleep?: ProgramIo['sleep']) {
  const io = { ...(terminal && { terminal }), ...(sleep && { sleep }) };
  return (...args: string[]) => runAdmin([...args, '--table', name, '--endpoint', testEndpoint()], {}, io);
}

/** Like `adminOf`, but commands never wait: the database's clock moves on instead. */
export function hurriedAdminOf({ name }: { name: string }, terminal?: Terminal, own = ownDynamoDb()) {
  const { state, endpoint } = own;
  const sleep = async (milliseconds: number) => {
    state.aheadMs += milliseconds;
  };
  return (...args: string[]) =>
    runAdmin(
      [...args, '--table', name, '--endpoint', endpoint],
      {},
      { sleep, ...(terminal && { terminal }) },
    );
}
