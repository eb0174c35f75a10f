/** `npm run admin -- …`: the operator's command line. */
import { loadDotEnv } from '../lib/dot-env.ts';
import { processIo } from '../lib/operator/program-io.ts';
import { runOperator } from '../lib/operator/run.ts';

loadDotEnv();
// Whoever reads what is printed, as `head` does, may have read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
process.exitCode = await runOperator(process.argv.slice(2), processIo());
