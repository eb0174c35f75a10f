/** `npm run admin -- …`: the operator's command line. */

import { runOperator } from '../lib/operator/run.ts';
import { processIo } from '../lib/operator/terminal/program-io.ts';
import { loadDotEnv } from './dot-env.ts';

loadDotEnv();
process.exitCode = await runOperator(process.argv.slice(2), processIo());
