/**
 * The operator's command line on an emulated account, where no list runs that a command would have to wait
 * for.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { runOperator } from '../lib/operator/run.ts';
import { processIo } from '../lib/operator/terminal/program-io.ts';

const longestMs = 1000;

process.exitCode = await runOperator(process.argv.slice(2), {
  ...processIo(),
  sleep: (milliseconds) => wait(Math.min(milliseconds, longestMs)),
});
