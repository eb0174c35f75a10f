/**
 * The synthesized app, cached between starts, because a synthesis takes seconds and few starts change its
 * inputs.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, rmSync } from 'node:fs';
import { access, glob, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { readTemplate, type ServiceTemplate } from './template.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The inputs of the CDK app and of the functions' bundles. `npm ci` empties the cache below. */
const inputs = [
  '{bin,lib,functions,stages}/**',
  'cdk.json',
  'cdk.context.json',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
];

const folder = join(root, 'node_modules/.cache/testimonials');

// A running process marks its entry as used every hour.
const useMs = 60 * 60 * 1000;
const unusedMs = 24 * useMs;

export interface SynthesisOptions {
  /** Context values of the CDK app, as for `cdk -c`. */
  context?: Record<string, string>;
  /** Receives the name of each step that takes time. */
  progress?: (step: string) => void;
  /** Stops the synthesis, and the start of the service after the step that is running. */
  signal?: AbortSignal | undefined;
}

/**
 * Returns the app's template, synthesized if its inputs have changed. The functions' code stays available
 * while this process runs.
 * @throws an error with the output of a failed synthesis
 */
export async function synthesizedApp({
  progress = () => {},
  context = {},
  signal,
}: SynthesisOptions = {}): Promise<ServiceTemplate> {
  const entry = await cachedFolder(
    await writableFolder(folder),
    () => inputsHash(root, context),
    async (outdir) => {
      progress('Synthesizing the CDK app');
      await synthesize(outdir, context, signal);
    },
  );
  setInterval(() => void markUsed(entry), useMs).unref();
  return readSynthesized(entry);
}

/** Returns this folder, or a temporary one if it is not writable. */
export async function writableFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    return folder;
  } catch {
    const temporary = await mkdtemp(join(tmpdir(), 'testimonials-'));
    process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
    return temporary;
  }
}

/** Returns a hash of all inputs of a synthesis. */
export async function inputsHash(directory: string, context: Record<string, string>): Promise<string> {
  const hash = createHash('sha256');
  const add = (parts: unknown[]) => hash.update(`${JSON.stringify(parts)}\n`);
  const variables = Object.entries(process.env).filter(([name]) => name.startsWith('CDK_'));
  add([process.version, Object.entries(context).sort(), variables.sort()]);
  const entries = await Array.fromAsync(glob(inputs, { cwd: directory, withFileTypes: true }));
  const files = entries.filter((entry) => entry.isFile());
  for (const file of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    add([relative(directory, file), await readFile(file, 'base64')]);
  }
  return hash.digest('hex').slice(0, 32);
}

/**
 * Returns the folder in `parent` that is named by the hash of its inputs, and makes it if it does not exist.
 * The folder is complete, even if several processes make it at once. Deletes folders that were unused for a
 * day.
 */
export async function cachedFolder(
  parent: string,
  hash: () => Promise<string>,
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  const name = await hash();
  const entry = join(parent, name);
  if (await markUsed(entry)) return entry;
  await removeUnused(parent);
  const draft = await mkdtemp(join(parent, 'making-'));
  try {
    await make(draft);
    // If a file changed during the synthesis, the result may mix both versions.
    if ((await hash()) !== name) return await cachedFolder(parent, hash, make);
    // Fails if another process was faster.
    await rename(draft, entry).catch(async (error: unknown) => {
      if (!(await markUsed(entry))) throw error;
    });
    return entry;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Marks an entry as used. Returns false if it does not exist. */
async function markUsed(entry: string): Promise<boolean> {
  const now = new Date();
  return utimes(entry, now, now).then(
    () => true,
    () => false,
  );
}

async function removeUnused(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > unusedMs) await rm(path, { recursive: true, force: true });
  }
}

/**
 * Synthesizes the app with the context of cdk.json, and returns its template. Uses another process, because
 * the CDK takes hundreds of megabytes.
 * @param outdir folder for the bundled functions
 * @param context additional values, as for `cdk -c`
 * @throws an error with the output of a failed or stopped synthesis
 */
export async function synthesize(
  outdir: string,
  context: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<ServiceTemplate> {
  const env = {
    ...process.env,
    CDK_OUTDIR: outdir,
    // The checks for a deployment take seconds.
    CDK_VALIDATION: 'false',
    CDK_CONTEXT_JSON: JSON.stringify(localContext(context)),
  };
  await promisify(execFile)(process.execPath, [join(root, 'bin/app.ts')], { cwd: root, env, signal }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`The CDK app cannot be synthesized: ${`${stdout}${stderr}`.trim()}`);
    },
  );
  return readSynthesized(outdir);
}

/** Returns the context for this machine, without the recovered table that a stage may declare. */
export function localContext(overrides: Record<string, string>): Record<string, unknown> {
  // Only the `cdk` command reads cdk.json itself.
  return { ...cdkJson.context, ...overrides, recoveredTable: null };
}

/** Reads the template of the app's only stack. */
async function readSynthesized(outdir: string): Promise<ServiceTemplate> {
  const file = (await readdir(outdir)).find((name) => name.endsWith('.template.json')) ?? '';
  return readTemplate(JSON.parse(await readFile(join(outdir, file), 'utf8')), outdir);
}
