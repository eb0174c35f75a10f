/** `npm run wall`: the wall of the running local service's organization `demo`, served on this machine. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serveWall } from '../functions/walls/files/wall-files.ts';
import { runOperator } from '../lib/operator/run.ts';
import { processIo } from '../lib/operator/terminal/program-io.ts';
import { loadDotEnv } from './dot-env.ts';

const organization = 'demo';
const about = ['--title', 'What our customers say', '--about', 'Demo', '--about-type', 'Product'];
// Enough to filter, and seeded while one waits.
const seeded = '300';

class AlreadyTold extends Error {}

/** Runs a command of the operator's and returns what it printed. */
async function run(args: string[]): Promise<string> {
  let printed = '';
  const print = (line: string) => {
    printed += line;
  };
  if ((await runOperator(args, { ...processIo(), print })) !== 0) throw new AlreadyTold();
  return printed;
}

/** Writes the wall and returns how many testimonials it has. */
async function build(folder: string): Promise<number> {
  const args = ['wall', '--organization', organization, '--out', folder, ...about, '--json'];
  return JSON.parse(await run(args)).testimonials;
}

loadDotEnv();
const folder = await mkdtemp(join(tmpdir(), 'testimonials-wall-'));
try {
  const { port } = parseArgs({ options: { port: { type: 'string', default: '4000' } } }).values;
  if (!/^\d{1,5}$/.test(port)) throw new Error('--port must be a port number; 0 takes a free one.');
  if ((await build(folder)) === 0) {
    console.error(`Seeding ${organization} with ${seeded} generated testimonials …`);
    await run(['seed', '--organization', organization, '--count', seeded]);
    await build(folder);
  }
  const { url, stop } = await serveWall(folder, Number(port));
  console.log(`\nThe wall of ${organization}: ${url}\nIts files: ${folder}\n\nCtrl-C stops.`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await stop();
} catch (error) {
  if (!(error instanceof AlreadyTold)) console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
