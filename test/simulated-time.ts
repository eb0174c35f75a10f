/** A clock that goes as fast as what runs by it: when nothing can go on, time passes to whatever waits. */
import { setImmediate as others } from 'node:timers/promises';
import type { Clock } from '../lib/local-runner/event-source-mapping.ts';

interface Timer {
  at: number;
  ring: () => void;
}

/** For code that waits for nothing but this clock and promises. */
export class SimulatedTime implements Clock {
  #now: number;
  /** The last one rings first. */
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
        const place = this.#timers.indexOf(timer);
        if (place >= 0) this.#timers.splice(place, 1);
        resolve();
      });
    });
  }

  /** Lets so many milliseconds pass, and all happen that is due by then. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      // All promises that can be kept now are kept before this goes on.
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
