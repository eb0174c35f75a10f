/** `npm run invoke -- list test/events/list.json`: runs one bundled function once. */

import { readContextOptions } from '../lib/local-runner/context-options.ts';
import { invokeOnce, readableResult } from '../lib/local-runner/invoke.ts';
import { loadDotEnv } from './dot-env.ts';

const usage =
  'Usage: npm run invoke -- <function> <event file> [-c name=value], as in npm run invoke -- list test/events/list.json';

loadDotEnv();
const args = process.argv.slice(2);
if (args.some((arg) => ['--help', '-h'].includes(arg))) {
  console.log(usage);
  process.exit();
}
try {
  const { context, positionals } = readContextOptions(args);
  const [name, eventFile, ...others] = positionals;
  if (!name || !eventFile || others.length > 0) throw new Error(usage);
  const progress = (step: string) => console.error(`${step} …`);
  const result = await invokeOnce(name, eventFile, process.env, { context, progress });
  console.log(JSON.stringify(readableResult(result), null, 2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
