/** A review: pending testimonials one after the other, each decided by a key. */

import type { Status, Testimonial } from '../../../functions/domain/testimonial.ts';
import { TestimonialChanged } from '../../../functions/operations/change-testimonial.ts';
import { TestimonialNotFound } from '../../../functions/operations/find-testimonial.ts';

/** What was done with a testimonial: as it was shown and, unless it was skipped, as it was after the decision. */
export interface Reviewed {
  shown: Testimonial;
  decided?: Testimonial;
}

/** What a key asks for. */
export type Move =
  | { kind: 'decide'; status: Status }
  | { kind: 'skip' }
  | { kind: 'undo'; last: Reviewed }
  | { kind: 'quit' };

/** What a key asks for after some were reviewed; undefined when it asks for nothing. */
export function moveOf(key: string, reviewed: readonly Reviewed[]): Move | undefined {
  switch (key) {
    case 'a':
      return { kind: 'decide', status: 'approved' };
    case 'r':
      return { kind: 'decide', status: 'rejected' };
    case 's':
      return { kind: 'skip' };
    case 'u': {
      const last = reviewed.at(-1);
      return last && { kind: 'undo', last };
    }
    case 'q':
    case 'escape':
    case 'ctrl-c':
    case 'ctrl-d':
      return { kind: 'quit' };
    default:
      return undefined;
  }
}

/** How many were approved, rejected and skipped. */
export function tallyOf(reviewed: readonly Reviewed[]): {
  approved: number;
  rejected: number;
  skipped: number;
} {
  const count = (of: Status | undefined) => reviewed.filter(({ decided }) => decided?.status === of).length;
  return { approved: count('approved'), rejected: count('rejected'), skipped: count(undefined) };
}

/** What a review needs of the world. */
export interface ReviewDependencies {
  /**
   * The oldest pending testimonial as it is now, and how many are left with it.
   * @param skipped ids of those that are not to be shown again
   */
  next: (skipped: ReadonlySet<string>) => Promise<{ testimonial: Testimonial; left: number } | undefined>;
  /**
   * Sets the status of a testimonial that is still as it was seen.
   * @throws {TestimonialChanged}
   * @throws {TestimonialNotFound}
   */
  change: (seen: Testimonial, status: Status) => Promise<Testimonial>;
  keys: AsyncIterable<string>;
  show: (testimonial: Testimonial, left: number, canUndo: boolean) => void;
  say: (line: string) => void;
  /** Shows that none is left, where a key is waited for then as well; elsewhere the review ends. */
  showEnd?: (canUndo: boolean) => void;
}

/**
 * Reviews until none is left that was not skipped, or the person quits. Where the end is shown, any key looks for more.
 * @param reviewed is given what is done, and rid of what is undone
 */
export async function review(
  { next, change, keys, show, say, showEnd }: ReviewDependencies,
  reviewed: Reviewed[],
): Promise<void> {
  const pressed = keys[Symbol.asyncIterator]();
  const nextMove = async (): Promise<Move> => {
    for (;;) {
      const { done, value } = await pressed.next();
      const move = done ? ({ kind: 'quit' } as const) : moveOf(value, reviewed);
      if (move) return move;
    }
  };
  /** The testimonial after the change, or undefined when somebody else was first. */
  const tryToChange = async (seen: Testimonial, status: Status): Promise<Testimonial | undefined> => {
    try {
      return await change(seen, status);
    } catch (error) {
      if (error instanceof TestimonialChanged) {
        say(`Somebody else was first: ${seen.id} is ${error.testimonial.status} now.`);
      } else if (error instanceof TestimonialNotFound) say(`${seen.id} is no longer there.`);
      else throw error;
      return undefined;
    }
  };

  // What was shown and stands behind something undone.
  const behind: Testimonial[] = [];
  let left = 0;
  const following = async (): Promise<Testimonial | undefined> => {
    const shown = behind.pop();
    if (shown) return shown;
    const found = await next(
      new Set(reviewed.filter(({ decided }) => !decided).map(({ shown }) => shown.id)),
    );
    left = found?.left ?? 0;
    return found?.testimonial;
  };

  try {
    let current = await following();
    while (current || showEnd) {
      if (current) show(current, left, reviewed.length > 0);
      else showEnd?.(reviewed.length > 0);
      const move = await nextMove();
      switch (move.kind) {
        case 'quit':
          return;
        case 'decide': {
          const decided = current && (await tryToChange(current, move.status));
          if (current && decided) {
            reviewed.push({ shown: current, decided });
            say(`${current.id} ${decided.status}`);
          }
          left -= 1;
          current = await following();
          break;
        }
        case 'skip':
          if (current) reviewed.push({ shown: current });
          if (current) say(`${current.id} skipped`);
          left -= 1;
          current = await following();
          break;
        case 'undo': {
          const { shown, decided } = move.last;
          const undone = decided ? await tryToChange(decided, shown.status) : shown;
          reviewed.pop();
          if (!undone) break;
          if (decided) say(`${undone.id} ${undone.status} again`);
          if (current) behind.push(current);
          left += 1;
          current = undone;
        }
      }
    }
  } finally {
    await pressed.return?.();
  }
}
