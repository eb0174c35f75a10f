/** Runs a function of the template in worker threads, one per execution environment. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import inspector from 'node:inspector';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import type { TemplateFunction } from './template.ts';

export interface Invocation {
  event: unknown;
  context: {
    awsRequestId: string;
    functionName: string;
    memoryLimitInMB: string;
    /** Milliseconds since 1970. */
    deadline: number;
  };
}

export type Outcome = { result: unknown } | { error: string };

/**
 * The largest event as JSON, in bytes; also the largest batch of a stream (AWS Lambda quotas, “Invocation
 * payload”).
 */
export const maxRequestBytes = 6 * 1024 * 1024;

/** The largest response as JSON, in bytes, according to Lambda's error message. */
export const maxResponseBytes = maxRequestBytes + 100;

/** Returns the size of a value as JSON, in bytes. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

// Enough for concurrency, and few enough for a laptop. Further requests wait.
const maxEnvironments = 4;

interface LocalFunctionOptions {
  /** Receives the function's output; standard error by default. */
  log?: ((text: string) => void) | undefined;
  /** The time until an unused environment ends, in milliseconds. */
  idleMs?: number | undefined;
}

/**
 * Runs a function like Lambda: an environment handles one invocation at a time, and keeps its module state
 * for the next one. An environment that times out or crashes is discarded.
 */
export class LocalFunction {
  readonly #definition: TemplateFunction;
  readonly #environment: Record<string, string>;
  readonly #log: (text: string) => void;
  readonly #idleMs: number;
  readonly #atOnce = pLimit(maxEnvironments);
  /** Unused environments, with the timers that end them. */
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  readonly #all = new Set<Worker>();

  /** @param environment additional variables, such as region and credentials */
  constructor(
    definition: TemplateFunction,
    environment: Record<string, string>,
    { log = (text) => process.stderr.write(text), idleMs = 30_000 }: LocalFunctionOptions = {},
  ) {
    this.#definition = definition;
    this.#environment = environment;
    this.#log = log;
    this.#idleMs = idleMs;
  }

  /**
   * Invokes the function, and returns the result of its handler.
   * @throws if the function throws, times out or cannot start, or if the event or the result is too large
   */
  async invoke(event: unknown): Promise<unknown> {
    const tooLarge = { error: `Request must be smaller than ${maxRequestBytes} bytes` };
    const isTooLarge = jsonBytes(event) > maxRequestBytes;
    const outcome = isTooLarge ? tooLarge : await this.#atOnce(() => this.#invokeIn(this.#acquire(), event));
    if ('error' in outcome) throw new Error(`${this.#definition.logicalId}: ${outcome.error}`);
    return outcome.result;
  }

  async #invokeIn(worker: Worker, event: unknown): Promise<Outcome> {
    const { logicalId, memoryMb, timeoutMs } = this.#definition;
    // While a debugger is attached, as long as a timer can run.
    const limitMs = inspector.url() === undefined ? timeoutMs : 2 ** 31 - 1;
    const ended = new AbortController();
    const { signal } = ended;
    const ends = (reason: string) => () => Promise.reject(reason);
    const ending = Promise.race([
      // Rejects if the worker crashes.
      once(worker, 'message', { signal }).then(([outcome]): Outcome => outcome),
      once(worker, 'exit', { signal }).then(ends('the environment exited')),
      wait(limitMs, undefined, { signal }).then(ends(`Task timed out after ${limitMs / 1000} seconds`)),
    ]);
    const context = {
      awsRequestId: randomUUID(),
      functionName: logicalId,
      memoryLimitInMB: String(memoryMb),
      deadline: Date.now() + limitMs,
    };
    worker.postMessage({ event, context } satisfies Invocation);
    try {
      const outcome = await ending;
      this.#idle.set(worker, setTimeout(() => this.#end(worker), this.#idleMs).unref());
      return outcome;
    } catch (error) {
      this.#end(worker);
      return { error: error instanceof Error ? String(error.stack) : String(error) };
    } finally {
      ended.abort();
    }
  }

  /** Ends all environments. */
  async stop(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  /** Returns the most recently used idle environment, so that the others can end, or starts a new one. */
  #acquire(): Worker {
    const [worker, end] = [...this.#idle].at(-1) ?? [this.#start()];
    clearTimeout(end);
    this.#idle.delete(worker);
    return worker;
  }

  /** Removes the environment before it ends, so that no invocation gets it. */
  #end(worker: Worker): void {
    this.#all.delete(worker);
    this.#idle.delete(worker);
    void worker.terminate();
  }

  #start(): Worker {
    const { codePath, handler, environment, logicalId, memoryMb } = this.#definition;
    const worker = new Worker(new URL('./function-worker.ts', import.meta.url), {
      name: logicalId,
      workerData: { codePath, handler },
      env: {
        ...environment,
        ...this.#environment,
        AWS_LAMBDA_FUNCTION_NAME: logicalId,
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
        AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      },
      stdout: true,
      stderr: true,
    });
    for (const stream of [worker.stdout, worker.stderr]) {
      stream.setEncoding('utf8').on('data', this.#log);
    }
    this.#all.add(worker);
    // An error between invocations has no other listener and would end the runner.
    worker.on('error', () => {});
    worker.on('exit', () => this.#end(worker));
    return worker;
  }
}
