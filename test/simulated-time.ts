/** A simulated clock: once all other work waits for it, it moves to the next timer. */
import { setImmediate as others } from 'node:timers/promises';
import type { Clock } from '../lib/local-runner/event-source-mapping.ts';

interface Timer {
  at: number;
  ring: () => void;
}

/** A clock for code that waits only for this clock and for promises. */
export class SimulatedTime implements Clock {
  #now: number;
  /** In the order of time, the next one last. */
  readonly #timers: Timer[] = [];

  constructor(start = Date.parse('2026-01-15T10:00:00.000Z')) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = { at: this.#now + milliseconds, ring: resolve };
      const later = this.#timers.findLastIndex(({ at }) => at > timer.at);
      this.#timers.splice(later + 1, 0, timer);
      signal?.addEventListener('abort', () => {
        const index = this.#timers.indexOf(timer);
        if (index >= 0) this.#timers.splice(index, 1);
        resolve();
      });
    });
  }

  /** Lets so many milliseconds pass, with everything that happens in them. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      // Promises that can settle now settle first.
      await others();
      const next = this.#timers.at(-1);
      if (!next || next.at > end) break;
      this.#timers.pop();
      this.#now = next.at;
      next.ring();
    }
    this.#now = end;
  }
}
