/** A work of the service, played call by call: each waits until the explorer lets it go. */
import { around, type Backend } from '../world/backend.ts';
import { digest, mix } from './digest.ts';

// Far more than any work makes that is not in a circle.
const mostCalls = 5000;

export interface Begun {
  stores: Backend;
  /** Does something as a call of its own. */
  call: Call;
}
type Call = <T>(name: string, call: () => Promise<T>) => Promise<T>;

export interface ActorOptions {
  /** The newest of the calls that wait at once goes first. */
  newestFirst?: boolean;
  /** Told of each call, before it is made. */
  onCall?: (name: string, call: () => Promise<unknown>) => void;
}

export class Actor {
  /** Its calls so far. */
  readonly calls: string[] = [];
  /** A digest of its calls and of what they answered; 0 before the first. */
  progress = 0;
  readonly #waiting: { name: string; go: () => void }[] = [];
  #sentTogether = 0;
  readonly #backend: Backend;
  readonly #work: (begun: Begun) => Promise<unknown>;
  readonly #options: ActorOptions;
  #hasBegun = false;
  #isDone = false;
  #error: unknown;

  constructor(backend: Backend, work: (begun: Begun) => Promise<unknown>, options: ActorOptions = {}) {
    this.#backend = backend;
    this.#work = work;
    this.#options = options;
  }

  /** What it sent arrives, also when it does not wait for it any more. */
  get hasEnded(): boolean {
    return this.#isDone && this.#waiting.length === 0;
  }

  /** Whether calls of the same name still wait that it sent together with its last one. */
  get isInsideBatch(): boolean {
    return this.#sentTogether > 0;
  }

  /**
   * Lets it make its next call.
   * @throws what its work threw
   */
  async step(): Promise<void> {
    if (!this.#hasBegun) await this.#begin();
    const next = this.#options.newestFirst ? this.#waiting.pop() : this.#waiting.shift();
    this.#sentTogether = this.#waiting.filter(({ name }) => name === next?.name).length;
    next?.go();
    await this.#rest();
    if (this.calls.length > mostCalls) throw new Error('It goes in circles');
  }

  async #begin(): Promise<void> {
    this.#hasBegun = true;
    this.#work({ stores: this.#stores(), call: (name, call) => this.#call(name, call) })
      .catch((error: unknown) => {
        this.#error = error;
      })
      .finally(() => {
        this.#isDone = true;
      });
    await this.#rest();
  }

  /** Everything in memory is done before the next turn of the event loop. */
  async #rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#error !== undefined) throw this.#error;
  }

  async #call<T>(name: string, call: () => Promise<T>): Promise<T> {
    await new Promise<void>((go) => this.#waiting.push({ name, go }));
    this.calls.push(name);
    this.#options.onCall?.(name, call);
    const answer = await call();
    this.progress = mix(this.progress, mix(digest(name), digest(answer)));
    return answer;
  }

  /** What is read in pages is one call a page, also head, markers and tail, which one query reads in this order. */
  #stores(): Backend {
    const stores = around(this.#backend, (name, call) => this.#call(name, call));
    const { testimonials } = stores;
    const index = { ...stores.index };
    index.readRecent = async (organization, ordinal) => {
      const head = await index.readHead(organization);
      const markers = await Array.fromAsync(testimonials.changeMarkers(organization));
      const tail = await Array.fromAsync(testimonials.from(organization, ordinal));
      return { head, markers: markers.flat(), tail: tail.flat(), complete: true };
    };
    return { ...stores, index };
  }
}
