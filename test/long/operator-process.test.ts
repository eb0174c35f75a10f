/** The command line as a process: signals, and outputs that fail. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { runAdmin } from '../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../api-client.ts';
import { testEndpoint } from '../dynamodb.ts';
import { failingDynamoDb, pass } from '../failing-dynamodb.ts';
import { directory } from '../file-of.ts';
import { isolated, startNode } from '../service/service-process.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';

let api: ApiClient;
beforeAll(async () => {
  api = await createApiClient();
  await api.create(testimonialBody());
});
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
});

function start(args: string[], stdio?: StdioOptions) {
  const started = startNode(['bin/admin.ts', ...args], isolated(':memory:'), stdio);
  children.push(started.child);
  return started;
}

/**
 * Starts a command on a table that never responds to some queries. Resolves once the command waits for one.
 * @param which matches the body of such a query
 */
async function waitingFor(
  which: RegExp,
  ...args: string[]
): Promise<Pick<ReturnType<typeof start>, 'child' | 'printed'>> {
  const { state, endpoint } = await failingDynamoDb();
  const asked = new Promise<void>((resolve) => {
    state.fault = async (call, forward) => {
      if (call.operation !== 'Query' || !which.test(call.body)) return pass(call, forward);
      resolve();
      return 'hang';
    };
  });
  const { child, printed } = start([...args, '--table', api.table.name, '--endpoint', endpoint]);
  await Promise.race([
    asked,
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`exit ${code}: ${printed.stderr}`))),
  ]);
  return { child, printed };
}

describe.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s', (signal) => {
  test('removes the unfinished file of an export, and says so', async () => {
    const file = join(await directory(), 'a.csv');
    const { child, printed } = await waitingFor(
      /"Limit":1000/,
      'export',
      '--organization',
      'acme',
      '--out',
      file,
    );
    expect(await readdir(dirname(file))).toEqual([expect.stringMatching(/^a\.csv\.\w+\.part$/)]);
    child.kill(signal);
    const [code] = await once(child, 'close');
    expect({ code, stderr: printed.stderr }).toEqual({
      code: 128 + constants.signals[signal],
      stderr: 'Stopped. Nothing was exported. Run the same command again.\n',
    });
    expect(await readdir(dirname(file))).toEqual([]);
  });

  test('leaves a wall as it was, and says so', async () => {
    const folder = join(await directory(), 'wall');
    const { child, printed } = await waitingFor(
      /"ScanIndexForward":false/,
      'wall',
      '--organization',
      'acme',
      '--out',
      folder,
    );
    child.kill(signal);
    const [code] = await once(child, 'close');
    expect({ code, stderr: printed.stderr }).toEqual({
      code: 128 + constants.signals[signal],
      stderr: `Stopped. Run it again: ${folder} has no page or a whole one.\n`,
    });
    expect(existsSync(folder)).toBe(false);
  });
});

test('a stopped rebuild ends its current write, and the next one goes on at once', async () => {
  const command = ['index', 'rebuild', '--organization', 'indexed', '--table', api.table.name];
  const rebuild = () => runAdmin([...command, '--endpoint', testEndpoint()], {}, { sleep: async () => {} });
  await organizationStore(api.table).add('indexed');
  for (const stored of generateTestimonials(30)) await testimonialStore(api.table).insert('indexed', stored);
  expect(await rebuild()).toMatchObject({ code: 0 });
  const { state, endpoint } = await failingDynamoDb();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: writing, resolve: isWriting } = Promise.withResolvers<void>();
  // The first write of a posting, of a generation that is being built.
  state.fault = async (call, forward) => {
    if (/^(Put|Update)Item$/.test(call.operation) && /ORG#indexed#\d+#/.test(call.body)) {
      isWriting();
      await released;
    }
    return pass(call, forward);
  };
  const { child, printed } = start([...command, '--endpoint', endpoint]);
  child.stderr?.on('data', () => printed.stderr.includes('Stopping') && release());
  await Promise.race([writing, once(child, 'exit').then(() => Promise.reject(new Error(printed.stderr)))]);
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  expect({ code, stderr: printed.stderr }).toEqual({
    code: 128 + constants.signals.SIGINT,
    stderr:
      'Stopping after the current write. Another signal stops at once.\n' +
      'Stopped. Lists use the old postings. To go on, run the same command again; the index function does so, too.\n',
  });
  expect(await rebuild()).toMatchObject({ code: 0 });
});

/** Runs a command with its standard output in a file, or closed; returns its exit code and errors. */
async function runInto(output: string | undefined, ...args: string[]) {
  const file = output === undefined ? undefined : await open(output, 'w');
  const { child, printed } = start(
    [...args, '--table', api.table.name, '--endpoint', testEndpoint()],
    ['ignore', file?.fd ?? 'pipe', 'pipe'],
  );
  // The reader has enough, like `head`.
  child.stdout?.destroy();
  const [code] = await once(child, 'close');
  await file?.close();
  return { code, stderr: printed.stderr };
}

const commands = [
  'export --organization acme',
  'export --organization acme --format csv',
  'testimonial list --organization acme --json',
  'token list',
  '--help',
];

// Where every write fails as on a full disk: Linux has one.
const onLinux = existsSync('/dev/full') ? describe : describe.skip;
onLinux('a full disk is one line of error', () => {
  test.each(commands)('%s', async (command) => {
    expect(await runInto('/dev/full', ...command.split(' '))).toEqual({
      code: 1,
      stderr: 'Cannot write to standard output: ENOSPC: no space left on device, write\n',
    });
  });
});

test('a disk that is full in the middle of a text is an error', async () => {
  // A limit on the length of files: the first part is written, the rest is not.
  const limited = ['-c', 'ulimit -f 1; exec "$0" bin/admin.ts --help', process.execPath];
  const file = await open(join(await directory(), 'help'), 'w');
  const child = spawn('sh', limited, { env: isolated(':memory:'), stdio: ['ignore', file.fd, 'pipe'] });
  const [code] = await once(child, 'close');
  await file.close();
  expect(code).toBe(1);
});

describe('an output without a reader is no error', () => {
  test.each(commands)('%s', async (command) => {
    expect(await runInto(undefined, ...command.split(' '))).toEqual({
      code: 0,
      stderr: '',
    });
  });
});
