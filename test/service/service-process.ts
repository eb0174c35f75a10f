/** Starts the process of `npm start` on free ports. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectNoLeak } from '../watched-logs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface ServiceProcess {
  process: ChildProcess;
  url: string;
  token: string;
  endpoint: string;
  stdout: string;
  /** Returns its log so far. */
  log(): string;
  /** Ends it with a signal and returns its exit code. Expects a log without customers' data. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Returns variables for a separate service: free ports, and no settings of the person who runs the tests. */
export function isolated(dataDir: string, extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, DYNAMODB_ENDPOINT: __, ...env } = process.env;
  // Compiling takes half the time of a short process, so it is cached.
  const compiled = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node') };
  return { ...env, ...compiled, PORT: '0', DYNAMODB_PORT: '0', DATA_DIR: dataDir, ...extra };
}

/** Starts Node.js in the folder of the project, and collects its output. */
export function startNode(args: string[], env: NodeJS.ProcessEnv, options: SpawnOptions = {}) {
  const child = spawn(process.execPath, args, { cwd: root, env, ...options });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk) => {
      printed[name] += chunk;
    });
  }
  /** Waits until it has printed a text; rejects with the output if it ends before. */
  const hasSaid = (text: string) =>
    new Promise<void>((resolve, reject) => {
      child.stdout?.on('data', () => printed.stdout.includes(text) && resolve());
      child.once('exit', (code) => reject(new Error(`exit ${code}: ${printed.stdout}${printed.stderr}`)));
    });
  return { child, printed, hasSaid };
}

/** Starts the service and waits until it is ready; rejects with the output if it ends before. */
export async function startService(
  env: NodeJS.ProcessEnv,
  nodeOptions: string[] = [],
  args: string[] = [],
): Promise<ServiceProcess> {
  const { child, printed, hasSaid } = startNode(
    ['--enable-source-maps', ...nodeOptions, 'bin/local.ts', ...args],
    env,
  );
  await hasSaid('Ctrl-C stops');
  const { stdout } = printed;
  const line = (name: string) => new RegExp(`^export ${name}=(.+)$`, 'm').exec(stdout)?.[1] ?? '';
  return {
    process: child,
    url: line('TESTIMONIALS_URL'),
    token: line('TESTIMONIALS_TOKEN'),
    endpoint: line('DYNAMODB_ENDPOINT'),
    stdout,
    log: () => printed.stderr,
    async end(signal = 'SIGTERM') {
      expectNoLeak(printed.stderr);
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const exit = once(child, 'exit');
      child.kill(signal);
      const [code] = await exit;
      return code;
    },
  };
}

/** Returns the JSON of a response as a T, which the caller asserts. */
export async function jsonOf<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

/** Runs an entry point to its end. */
export async function runEntry(args: string[], env: NodeJS.ProcessEnv) {
  const { child, printed } = startNode(args, env);
  const [code]: (number | null)[] = await once(child, 'close');
  return { code, ...printed };
}
