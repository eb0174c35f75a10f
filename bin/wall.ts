/** `npm run wall`: the wall of the running local service's organization `demo`, served on this machine. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wallApp } from '../functions/walls/files/wall-files.ts';
import { runOperator } from '../lib/operator/run.ts';
import { processIo } from '../lib/operator/terminal/program-io.ts';
import { serveOnLoopback } from '../lib/serve-on-loopback.ts';
import { loadDotEnv } from './dot-env.ts';

const organization = 'demo';
const about = ['--title', 'What our customers say', '--about', 'Demo', '--about-type', 'Product'];
// Enough to filter, and quickly seeded.
const seeded = '300';

class AlreadyReported extends Error {}

/** Runs an operator's command and returns its output. */
async function run(args: string[]): Promise<string> {
  let printed = '';
  const print = (line: string) => {
    printed += line;
  };
  if ((await runOperator(args, { ...processIo(), print })) !== 0) throw new AlreadyReported();
  return printed;
}

/** Writes the wall and returns its number of testimonials. */
async function build(folder: string): Promise<number> {
  const args = ['wall', '--organization', organization, '--out', folder, ...about, '--json'];
  return JSON.parse(await run(args)).testimonials;
}

loadDotEnv();
const folder = await mkdtemp(join(tmpdir(), 'testimonials-wall-'));
try {
  const { port } = parseArgs({ options: { port: { type: 'string', default: '4000' } } }).values;
  if (!/^\d{1,5}$/.test(port)) throw new Error('--port must be a port number, or 0 for any free port.');
  if ((await build(folder)) === 0) {
    console.error(`Seeding ${organization} with ${seeded} generated testimonials …`);
    await run(['seed', '--organization', organization, '--count', seeded]);
    await build(folder);
  }
  const served = await serveOnLoopback(Number(port), () => wallApp(folder));
  console.log(
    `\nThe wall of ${organization}: http://127.0.0.1:${served.port}\nIts files: ${folder}\n\nCtrl-C stops.`,
  );
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await served.stop();
} catch (error) {
  if (!(error instanceof AlreadyReported)) console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
