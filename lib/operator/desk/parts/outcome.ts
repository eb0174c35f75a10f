/** What became of what a form asked for, until the page that the answer leads to shows it. */
import { randomUUID } from 'node:crypto';
import type { Outcome } from '../../moderation/change-seen.ts';

export interface Told {
  /** Why nothing was done. */
  problem?: string;
  outcome?: Outcome;
  /** What was done, as in `3 testimonials approved`. */
  done?: string;
}

export interface ToldOutcomes {
  /** @returns the name by which it is found */
  tell: (told: Told) => string;
  find: (name: string | null) => Told | undefined;
}

// Of pages that somebody may still reload.
const mostKept = 100;

/** Keeps the last outcomes in memory: a page that is reloaded asks for nothing again. */
export function toldOutcomes(): ToldOutcomes {
  const kept = new Map<string, Told>();
  return {
    tell(told) {
      const name = randomUUID();
      kept.set(name, told);
      for (const oldest of kept.keys()) {
        if (kept.size <= mostKept) break;
        kept.delete(oldest);
      }
      return name;
    },
    find: (name) => (name === null ? undefined : kept.get(name)),
  };
}
