/** `npm run invoke -- list test/events/list.json`: runs one bundled function once. */

import { invokeOnce, readableResult } from '../lib/local-runner/invoke.ts';
import { loadDotEnv } from './dot-env.ts';

loadDotEnv();
const [name, eventFile] = process.argv.slice(2);
try {
  if (!name || !eventFile || name.startsWith('-')) {
    throw new Error(
      'Usage: npm run invoke -- <function> <event file>, as in npm run invoke -- list test/events/list.json',
    );
  }
  const progress = (step: string) => console.error(`${step} …`);
  const result = await invokeOnce(name, eventFile, process.env, { progress });
  console.log(JSON.stringify(readableResult(result), null, 2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
