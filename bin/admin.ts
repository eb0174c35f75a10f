/** `npm run admin -- …`: the operator's command line. */
import { loadDotEnv } from '../lib/dot-env.ts';
import { runOperator } from '../lib/operator/run.ts';
import { processIo } from '../lib/operator/terminal/program-io.ts';

loadDotEnv();
process.exitCode = await runOperator(process.argv.slice(2), processIo());
