/**
 * The operator's command line as a process: signals, and standard output on a full disk or without a reader.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { organizationStore } from '../../functions/accounts/dynamodb-organization-store.ts';
import { testimonialStore } from '../../functions/testimonials/table/testimonial-store.ts';
import { runAdmin } from '../admin.ts';
import { type ApiClient, createApiClient, testimonialBody } from '../api-client.ts';
import { testEndpoint } from '../dynamodb.ts';
import { failingDynamoDb, pass } from '../failing-dynamodb.ts';
import { directory } from '../file-of.ts';
import { isolated, startNode } from '../service/service-process.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';

const acme = ['--organization', 'acme'];
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
  const started = startNode(['bin/admin.ts', ...args], isolated(':memory:'), { stdio });
  children.push(started.child);
  return started;
}

/**
 * Starts a command, and stops it by a signal while a query of the table is never answered.
 * @param query a part of that query's body
 */
async function stopped(signal: NodeJS.Signals, query: RegExp, ...args: string[]) {
  const { state, endpoint } = await failingDynamoDb();
  const { promise: waiting, resolve } = Promise.withResolvers<void>();
  state.fault = async (call, forward) => {
    if (call.operation !== 'Query' || !query.test(call.body)) return pass(call, forward);
    resolve();
    return 'hang';
  };
  const { child, printed } = start([...args, '--table', api.table.name, '--endpoint', endpoint]);
  const exit = once(child, 'close');
  await Promise.race([waiting, exit.then(() => Promise.reject(new Error(printed.stderr)))]);
  return {
    async end() {
      child.kill(signal);
      const [code] = await exit;
      return { code: code - constants.signals[signal], stderr: printed.stderr };
    },
  };
}

describe.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s', (signal) => {
  test('removes the incomplete file of an export, and says so', async () => {
    const file = join(await directory(), 'a.csv');
    const command = await stopped(signal, /"Limit":1000/, 'export', ...acme, '--out', file);
    expect(await readdir(dirname(file))).toEqual([expect.stringMatching(/^a\.csv\.\w+\.part$/)]);
    const stderr = 'Stopped. Nothing was exported. Run the same command again.\n';
    expect(await command.end()).toEqual({ code: 128, stderr });
    expect(await readdir(dirname(file))).toEqual([]);
  });
});

test('a rebuild stopped during a write finishes that write, and the next rebuild continues at once', async () => {
  const command = ['index', 'rebuild', '--organization', 'indexed', '--table', api.table.name];
  const rebuild = () => runAdmin([...command, '--endpoint', testEndpoint()], {}, { sleep: async () => {} });
  await organizationStore(api.table).add('indexed');
  for (const stored of generateTestimonials(30)) await testimonialStore(api.table).insert('indexed', stored);
  expect(await rebuild()).toMatchObject({ code: 0 });
  const { state, endpoint } = await failingDynamoDb();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: writing, resolve: isWriting } = Promise.withResolvers<void>();
  // The first write of a posting.
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
      'Stopped. Lists use the old postings. To continue, run the same command again, or leave it to the index function.\n',
  });
  expect(await rebuild()).toMatchObject({ code: 0 });
});

/**
 * Runs a command whose standard output goes to a file or has no reader. Returns the exit code and standard
 * error.
 */
async function runInto(output: string | undefined, ...args: string[]) {
  const file = output === undefined ? undefined : await open(output, 'w');
  const { child, printed } = start(
    [...args, '--table', api.table.name, '--endpoint', testEndpoint()],
    ['ignore', file?.fd ?? 'pipe', 'pipe'],
  );
  // The reader closes the pipe.
  child.stdout?.destroy();
  const [code] = await once(child, 'close');
  await file?.close();
  return { code, stderr: printed.stderr };
}

const commands = ['export --organization acme', 'token list', '--help'];

// Linux has a file whose every write fails as on a full disk.
const onLinux = existsSync('/dev/full') ? test : test.skip;
onLinux.each(commands)('a full disk is an error of one line for %s', async (command) => {
  const stderr = 'Cannot write to standard output: ENOSPC: no space left on device, write\n';
  expect(await runInto('/dev/full', ...command.split(' '))).toEqual({ code: 1, stderr });
});

test('a disk that is full after a part of the output is an error', async () => {
  // A limit on the length of files cuts the output off.
  const limited = ['-c', 'ulimit -f 1; exec "$0" bin/admin.ts --help', process.execPath];
  const file = await open(join(await directory(), 'help'), 'w');
  const child = spawn('sh', limited, { env: isolated(':memory:'), stdio: ['ignore', file.fd, 'pipe'] });
  const [code] = await once(child, 'close');
  await file.close();
  expect(code).toBe(1);
});

test.each(commands)('an output without a reader is not an error for %s', async (command) => {
  expect(await runInto(undefined, ...command.split(' '))).toEqual({ code: 0, stderr: '' });
});
