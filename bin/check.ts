/** `npm run check -- --url <url> --table <name>`: checks a deployment from the outside. */

import { runCheck } from '../lib/check/run.ts';
import { processIo } from '../lib/operator/terminal/program-io.ts';
import { loadDotEnv } from './dot-env.ts';

loadDotEnv();
// The organizations are removed even if nobody reads the rest of the output.
process.exitCode = await runCheck(
  process.argv.slice(2),
  processIo(() => {}),
);
