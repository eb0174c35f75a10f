/** `npm run admin -- …`: the operator's command line. */
import { terminal } from '../lib/operator/program-io.ts';
import { runOperator } from '../lib/operator/run.ts';

process.exitCode = await runOperator(process.argv.slice(2), terminal);
