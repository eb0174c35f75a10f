/** `npm run check -- --url <url> --table <name>`: checks a deployment from the outside. */

import { runCheck } from '../lib/check/run.ts';
import { processIo } from '../lib/operator/terminal/program-io.ts';
import { loadDotEnv } from './dot-env.ts';

loadDotEnv();
// The check removes its organizations even if the reader of its output is gone.
process.exitCode = await runCheck(
  process.argv.slice(2),
  processIo(() => {}),
);
