/** A function of the template on this machine: execution environments in worker threads. */
import { randomUUID } from 'node:crypto';
import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { type Invocation, jsonBytes, maxRequestBytes, type Outcome } from './invocation.ts';
import type { TemplateFunction } from './template.ts';

// Enough to see concurrent environments, few enough for a laptop; further requests wait for a free one.
const maxEnvironments = 4;

/** The function threw, ran out of time, could not start, or was sent or answered too much. */
export class FunctionFailed extends Error {
  override name = 'FunctionFailed';
}

/**
 * Runs a function as Lambda does: an environment handles one invocation at a time and keeps its module state
 * for the next; one that runs out of time or crashes is thrown away.
 */
export class LocalFunction {
  readonly #definition: TemplateFunction;
  readonly #environment: Record<string, string>;
  readonly #log: (text: string) => void;
  readonly #idleMs: number;
  readonly #atOnce = pLimit(maxEnvironments);
  /** Each with the timer that ends it. */
  #idle: { worker: Worker; end: NodeJS.Timeout }[] = [];
  readonly #all = new Set<Worker>();

  /**
   * @param environment variables besides the template's own, such as region and credentials
   * @param options `log` is told what the function prints: standard output is for the person or script that started the
   * runner; an environment that was not used for `idleMs` gives its memory back
   */
  constructor(
    definition: TemplateFunction,
    environment: Record<string, string>,
    options: { log?: ((text: string) => void) | undefined; idleMs?: number | undefined } = {},
  ) {
    this.#definition = definition;
    this.#environment = environment;
    this.#log = options.log ?? ((text) => process.stderr.write(text));
    this.#idleMs = options.idleMs ?? 30_000;
  }

  /**
   * Invokes the function with an event.
   * @returns what the handler returned
   * @throws {FunctionFailed}
   */
  async invoke(event: unknown): Promise<unknown> {
    if (jsonBytes(event) > maxRequestBytes) {
      const { logicalId } = this.#definition;
      throw new FunctionFailed(`${logicalId}: Request must be smaller than ${maxRequestBytes} bytes`);
    }
    return this.#atOnce(() => this.#invokeIn(this.#take(), event));
  }

  #invokeIn(worker: Worker, event: unknown): Promise<unknown> {
    const { logicalId, memoryMb, timeoutMs } = this.#definition;
    // As `sam local invoke --debug` does: no time limit while somebody looks at a breakpoint.
    const deadline = inspector.url() === undefined ? Date.now() + timeoutMs : null;
    const invocation: Invocation = {
      event,
      context: {
        awsRequestId: randomUUID(),
        functionName: logicalId,
        memoryLimitInMB: String(memoryMb),
        deadline,
      },
    };

    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const settle = () => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      };
      const discard = (reason: string) => {
        settle();
        this.#end(worker);
        reject(new FunctionFailed(`${logicalId}: ${reason}`));
      };
      const onError = (error: unknown) =>
        discard(error instanceof Error ? String(error.stack) : String(error));
      const onExit = () => discard('the environment exited');
      const onMessage = (outcome: Outcome) => {
        settle();
        this.#release(worker);
        if ('error' in outcome) reject(new FunctionFailed(`${logicalId}: ${outcome.error}`));
        else resolve(outcome.result);
      };
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      if (deadline !== null) {
        timer = setTimeout(() => discard(`Task timed out after ${timeoutMs / 1000} seconds`), timeoutMs);
      }
      worker.postMessage(invocation);
    });
  }

  /** Ends all environments. */
  async stop(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #take(): Worker {
    const idle = this.#idle.pop();
    clearTimeout(idle?.end);
    return idle?.worker ?? this.#start();
  }

  #release(worker: Worker): void {
    const end = setTimeout(() => this.#end(worker), this.#idleMs).unref();
    this.#idle.push({ worker, end });
  }

  /** Nobody gets an environment that is about to end: what it is sent by then is lost. */
  #end(worker: Worker): void {
    this.#all.delete(worker);
    this.#idle = this.#idle.filter((idle) => idle.worker !== worker);
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
    // Between invocations nobody listens, and an unheard error would end the runner.
    worker.on('error', () => {});
    worker.on('exit', () => this.#end(worker));
    return worker;
  }
}
