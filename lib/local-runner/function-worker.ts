/** An execution environment of a function, in a worker thread. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';
import { type Invocation, maxResponseBytes, type Outcome } from './local-function.ts';

const { codePath, handler } = v.parse(v.object({ codePath: v.string(), handler: v.string() }), workerData);
const [file, exportName] = handler.split('.');
const module: Record<string, unknown> = await import(pathToFileURL(join(codePath, `${file}.mjs`)).href);
const run = module[exportName ?? ''];
if (typeof run !== 'function') throw new Error(`${codePath} does not export the function ${handler}`);

parentPort?.on('message', async ({ event, context }: Invocation) => {
  const { deadline, ...rest } = context;
  let outcome: Outcome;
  try {
    const result = await run(event, {
      ...rest,
      functionVersion: '$LATEST',
      getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    });
    // Lambda passes results on as JSON.
    const text: string | undefined = JSON.stringify(result);
    if (text !== undefined && Buffer.byteLength(text) > maxResponseBytes) {
      throw new Error(
        `Response payload size exceeded maximum allowed payload size (${maxResponseBytes} bytes).`,
      );
    }
    outcome = { result: text === undefined ? undefined : JSON.parse(text) };
  } catch (error) {
    outcome = { error: error instanceof Error ? String(error.stack) : String(error) };
  }
  await Promise.all([process.stdout, process.stderr].map(flushed));
  parentPort?.postMessage(outcome);
});

/** Resolves when the runner has received all output, which must arrive before the outcome. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
