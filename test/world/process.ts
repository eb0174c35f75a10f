/** A process of the service that a test can pause before any call, for any time, or kill there. */
import { type Backend, interceptCalls } from './backend.ts';

class Killed extends Error {
  override name = 'Killed';
}

export class Process {
  /** The stores of the process. */
  readonly stores: Backend;
  /** The number of calls that it may still begin. */
  #permits = 0;
  #active = 0;
  #waiting: { name: string; go: () => void; die: (reason: Error) => void }[] = [];
  #stopBefore: string | undefined;
  #isKilled = false;
  #outcome: Promise<unknown> | undefined;
  #hasEnded = false;
  /** The names of the calls that it began. */
  readonly calls: string[] = [];

  readonly name: string;
  readonly #newestFirst: boolean;

  /** @param options `newestFirst`: of several waiting calls, the newest goes first */
  constructor(name: string, backend: Backend, { newestFirst = false } = {}) {
    this.name = name;
    this.#newestFirst = newestFirst;
    this.stores = interceptCalls(backend, (name, call) => this.call(name, call));
  }

  /** Begins its work, paused before the first call. */
  begin(work: (stores: Backend) => Promise<unknown>): this {
    this.#outcome = work(this.stores)
      .catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      })
      .finally(() => {
        this.#hasEnded = true;
      });
    // `run` throws the error.
    this.#outcome.catch(() => {});
    return this;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The names of the calls before which it is paused. */
  get waitsFor(): string[] {
    return this.#waiting.map(({ name }) => name);
  }

  /**
   * Lets it begin so many further calls, and waits until it needs more or has ended.
   * @throws the error of its work
   */
  async run(calls = Number.POSITIVE_INFINITY): Promise<this> {
    this.#permits = calls;
    this.#letGo();
    // Calls that it sent arrive, even if it no longer waits for them.
    while (this.#active > 0 || !(this.#hasEnded || this.#waiting.length > 0)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#permits = 0;
    if (this.#hasEnded) await this.#outcome;
    return this;
  }

  /** Continues until it is about to call `name`, or has ended. */
  async runUntil(name: string): Promise<this> {
    this.#stopBefore = name;
    await this.run();
    this.#stopBefore = undefined;
    return this;
  }

  /** Stops it: none of its calls begins afterwards. */
  kill(): void {
    this.#isKilled = true;
    for (const { die } of this.#waiting.splice(0)) die(new Killed());
  }

  /** Makes a call of its own. */
  async call<T>(name: string, call: () => Promise<T>): Promise<T> {
    if (this.#isKilled) throw new Killed();
    if (this.#permits <= 0 || name === this.#stopBefore) {
      await new Promise<void>((go, die) => {
        this.#waiting.push({ name, go, die });
      });
    } else {
      this.#permits -= 1;
    }
    this.calls.push(name);
    this.#active += 1;
    try {
      return await call();
    } finally {
      this.#active -= 1;
    }
  }

  #letGo(): void {
    for (const each of this.#newestFirst ? this.#waiting.toReversed() : [...this.#waiting]) {
      if (this.#permits <= 0) return;
      if (each.name === this.#stopBefore) continue;
      this.#waiting.splice(this.#waiting.indexOf(each), 1);
      this.#permits -= 1;
      each.go();
    }
  }
}
