/** Work of the service, played call by call. Each call waits until the explorer releases it. */
import { type Backend, interceptCalls } from '../world/backend.ts';
import { Process } from '../world/process.ts';
import { digest } from './digest.ts';

// Far more calls than any work makes, unless it loops.
const maxCalls = 5000;

export interface StartedWork {
  stores: Backend;
  /** Makes a call of its own. */
  call: Call;
}
type Call = <T>(name: string, call: () => Promise<T>) => Promise<T>;

export class Actor {
  /** A digest of its calls and their results; 0 before the first. */
  progress = 0;
  /** True while more calls of the same name, sent together with the last one, wait. */
  isInsideBatch = false;
  readonly #process: Process;
  readonly #work: (begun: StartedWork) => Promise<unknown>;
  #hasBegun = false;

  constructor(
    backend: Backend,
    work: (begun: StartedWork) => Promise<unknown>,
    options: { newestFirst?: boolean } = {},
  ) {
    const recorded = interceptCalls(backend, (name, call) => this.#record(name, call));
    this.#process = new Process('actor', recorded, options);
    this.#work = work;
  }

  /** The names of its calls so far. */
  get calls(): string[] {
    return this.#process.calls;
  }

  /** Calls that it sent arrive, even if it no longer waits for them. */
  get hasEnded(): boolean {
    return this.#process.hasEnded && this.#process.waitsFor.length === 0;
  }

  /**
   * Releases its next call.
   * @throws the error of its work
   */
  async step(): Promise<void> {
    const process = this.#process;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      const call: Call = (name, made) => process.call(name, () => this.#record(name, made));
      // All calls sent at once wait before the first one is released.
      await process.begin((stores) => this.#work({ stores: inPages(stores), call })).run(0);
    }
    const sent = process.waitsFor;
    await process.run(1);
    const name = process.calls.at(-1);
    this.isInsideBatch = sent.filter((each) => each === name).length > 1;
    if (process.calls.length > maxCalls) throw new Error('The work loops');
  }

  async #record<T>(name: string, call: () => Promise<T>): Promise<T> {
    const result = await call();
    this.progress = digest(this.progress, digest(digest(name), digest(result)));
    return result;
  }
}

/**
 * Makes each page a call. Head, markers and tail, which one query reads in this order, become several calls.
 */
function inPages(stores: Backend): Backend {
  const { testimonials } = stores;
  const index = { ...stores.index };
  index.readRecent = async (organization, ordinal) => {
    const head = await index.readHead(organization);
    const markers = await Array.fromAsync(testimonials.changeMarkers(organization));
    const tail = await Array.fromAsync(testimonials.from(organization, ordinal));
    return { head, markers: markers.flat(), tail: tail.flat() };
  };
  return { ...stores, index };
}
