/**
 * Runs the operator's command line on an emulated account with short waits. The waits protect running lists,
 * and none runs here.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { runOperator } from '../lib/operator/run.ts';
import { processIo } from '../lib/operator/terminal/program-io.ts';

const longestMs = 1000;

process.exitCode = await runOperator(process.argv.slice(2), {
  ...processIo(),
  sleep: (milliseconds) => wait(Math.min(milliseconds, longestMs)),
});
