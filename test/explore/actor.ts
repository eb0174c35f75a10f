/** A work of the service, played call by call: each waits until the explorer lets it go. */
import { around, type Backend } from '../world/backend.ts';
import { Process } from '../world/process.ts';
import { digest } from './digest.ts';

// Far more than any work makes that is not in a circle.
const mostCalls = 5000;

export interface Begun {
  stores: Backend;
  /** Does something as a call of its own. */
  call: Call;
}
type Call = <T>(name: string, call: () => Promise<T>) => Promise<T>;

export class Actor {
  /** A digest of its calls and of what they answered; 0 before the first. */
  progress = 0;
  /** Whether calls of the same name still wait that it sent together with its last one. */
  isInsideBatch = false;
  readonly #process: Process;
  readonly #work: (begun: Begun) => Promise<unknown>;
  #hasBegun = false;

  constructor(
    backend: Backend,
    work: (begun: Begun) => Promise<unknown>,
    options: { newestFirst?: boolean } = {},
  ) {
    const told = around(backend, (name, call) => this.#tell(name, call));
    this.#process = new Process('actor', told, options);
    this.#work = work;
  }

  /** Its calls so far. */
  get calls(): string[] {
    return this.#process.calls;
  }

  /** What it sent arrives, also when it does not wait for it any more. */
  get hasEnded(): boolean {
    return this.#process.hasEnded && this.#process.waitsFor.length === 0;
  }

  /**
   * Lets it make its next call.
   * @throws what its work threw
   */
  async step(): Promise<void> {
    const process = this.#process;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      const call: Call = (name, made) => process.call(name, () => this.#tell(name, made));
      // All that it sends at once waits before the first of it goes.
      await process.begin((stores) => this.#work({ stores: inPages(stores), call })).run(0);
    }
    const sent = process.waitsFor;
    await process.run(1);
    const name = process.calls.at(-1);
    this.isInsideBatch = sent.filter((each) => each === name).length > 1;
    if (process.calls.length > mostCalls) throw new Error('It goes in circles');
  }

  async #tell<T>(name: string, call: () => Promise<T>): Promise<T> {
    const answer = await call();
    this.progress = digest(this.progress, digest(digest(name), digest(answer)));
    return answer;
  }
}

/** What is read in pages is one call a page, also head, markers and tail, which one query reads in this order. */
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
