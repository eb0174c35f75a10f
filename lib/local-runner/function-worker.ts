/** Runs in a worker thread: one execution environment of one function, as on Lambda. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';
import { type Invocation, maxAnswerBytes, type Outcome } from './local-function.ts';

const { codePath, handler } = v.parse(v.object({ codePath: v.string(), handler: v.string() }), workerData);
const [file, exportName] = handler.split('.');
const module: Record<string, unknown> = await import(pathToFileURL(join(codePath, `${file}.mjs`)).href);
const run = module[exportName ?? ''];
if (typeof run !== 'function') throw new Error(`${codePath} has no function ${handler}`);

parentPort?.on('message', async ({ event, context }: Invocation) => {
  const { deadline, ...rest } = context;
  let outcome: Outcome;
  try {
    const result = await run(event, {
      ...rest,
      functionVersion: '$LATEST',
      getRemainingTimeInMillis: () => (deadline === null ? 2 ** 31 - 1 : Math.max(0, deadline - Date.now())),
    });
    // As JSON, which is how Lambda passes a result on.
    const text: string | undefined = JSON.stringify(result);
    if (text !== undefined && Buffer.byteLength(text) > maxAnswerBytes) {
      throw new Error(
        `Response payload size exceeded maximum allowed payload size (${maxAnswerBytes} bytes).`,
      );
    }
    outcome = { result: text === undefined ? undefined : JSON.parse(text) };
  } catch (error) {
    outcome = { error: error instanceof Error ? String(error.stack) : String(error) };
  }
  await Promise.all([process.stdout, process.stderr].map(flushed));
  parentPort?.postMessage(outcome);
});

/** Resolves once the runner has what was printed: it is told of the outcome after it. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
