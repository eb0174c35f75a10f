/**
 * The synthesized app, kept from one start to the next: to make it takes seconds, and most starts change nothing that
 * goes into it.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, readFileSync, rmSync } from 'node:fs';
import { access, glob, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readTemplate, type ServiceTemplate } from './template.ts';

/** The folder of the repository. */
const root = fileURLToPath(new URL('../..', import.meta.url));

/** All that the CDK app and the bundles of its functions are made of. `npm ci` empties the folder below. */
const inputs = [
  ...['{bin,lib,functions}/**', 'cdk.json', 'cdk.context.json', 'tsconfig.json'],
  ...['package.json', 'package-lock.json', 'node_modules/.package-lock.json'],
];

const folder = join(root, 'node_modules/.cache/testimonials');

// A process that runs on an entry says so every hour.
const useMs = 60 * 60 * 1000;
const unusedMs = 24 * useMs;

/**
 * The app's template, with the code of its functions for as long as this process runs; synthesized unless it was before
 * from the same inputs.
 * @param progress told before what takes seconds
 * @param context of the CDK app, as `cdk` takes by -c
 * @throws with what the synthesis said, when it failed
 */
export async function synthesizedApp({
  progress = () => {},
  context = {},
}: {
  progress?: (step: string) => void;
  context?: Record<string, string>;
} = {}): Promise<ServiceTemplate> {
  const kept = await keptFolder(
    await writableFolder(folder),
    () => inputsHash(root, context),
    async (made) => {
      progress('Synthesizing the CDK app');
      await synthesize(made, context);
    },
  );
  setInterval(() => void isThere(kept), useMs).unref();
  return readSynthesized(kept);
}

/** This folder, or a temporary one where nothing can be written to it. */
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

/** A hash of all that a synthesis reads. */
export async function inputsHash(directory: string, context: Record<string, string>): Promise<string> {
  const hash = createHash('sha256');
  const add = (parts: unknown[]) => hash.update(`${JSON.stringify(parts)}\n`);
  const variables = Object.entries(process.env).filter(([name]) => name.startsWith('CDK_'));
  add([process.version, Object.entries(context).sort(), variables.sort()]);
  const found = await Array.fromAsync(glob(inputs, { cwd: directory, withFileTypes: true }));
  const files = found.filter((entry) => entry.isFile());
  for (const file of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    add([relative(directory, file), await readFile(file, 'base64')]);
  }
  return hash.digest('hex').slice(0, 32);
}

/**
 * The folder in `parent` that is named by the hash of its inputs, made where there is none. It is there as a whole or not at all,
 * whoever else makes it at the same time; what nobody used for a day is removed.
 */
export async function keptFolder(
  parent: string,
  hash: () => Promise<string>,
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  const name = await hash();
  const kept = join(parent, name);
  if (await isThere(kept)) return kept;
  await removeUnused(parent);
  const made = await mkdtemp(join(parent, 'making-'));
  try {
    await make(made);
    // Somebody saved a file meanwhile: nobody knows which one this was made of.
    if ((await hash()) !== name) return await keptFolder(parent, hash, make);
    // Refused where another process was quicker.
    await rename(made, kept).catch(async (error: unknown) => {
      if (!(await isThere(kept))) throw error;
    });
    return kept;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** Says that an entry is used, if it is there. */
async function isThere(kept: string): Promise<boolean> {
  const now = new Date();
  return utimes(kept, now, now).then(
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
 * Synthesizes the app with the context of cdk.json and reads its template. In a process of its own, for the CDK takes
 * hundreds of megabytes that a running service does not need.
 * @param outdir where the bundled functions are written
 * @param context further values, as `cdk` takes by -c
 * @throws with what it said, when it failed
 */
export async function synthesize(
  outdir: string,
  context: Record<string, string> = {},
): Promise<ServiceTemplate> {
  const env = {
    ...process.env,
    CDK_OUTDIR: outdir,
    // CloudFormation's rules are for whoever deploys: to check them takes seconds.
    CDK_VALIDATION: 'false',
    CDK_CONTEXT_JSON: JSON.stringify(localContext(context)),
  };
  await promisify(execFile)(process.execPath, [join(root, 'bin/app.ts')], { cwd: root, env }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`The CDK app cannot be synthesized: ${`${stdout}${stderr}`.trim()}`);
    },
  );
  return readSynthesized(outdir);
}

/** The context of cdk.json, which the `cdk` command passes by itself and whoever else synthesizes has to. */
export function cdkJsonContext(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')).context;
}

/** The context of the app as it runs here: with a table of its own, whatever table is deployed. */
export function localContext(given: Record<string, string>): Record<string, unknown> {
  const { recoveredTable: _, ...context } = { ...cdkJsonContext(), ...given };
  return context;
}

/** Reads the template of an app that was synthesized into a folder: it has one stack. */
async function readSynthesized(outdir: string): Promise<ServiceTemplate> {
  const file = (await readdir(outdir)).find((name) => name.endsWith('.template.json')) ?? '';
  return readTemplate(JSON.parse(await readFile(join(outdir, file), 'utf8')), outdir);
}
