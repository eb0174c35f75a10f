/** Time, as what delivers records sees it. */
import { setTimeout as pause } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after so many milliseconds, or as soon as the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** This machine's. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // Rejects only when it is aborted.
  wait: (milliseconds, signal) => pause(milliseconds, undefined, { signal }).catch(() => {}),
};
