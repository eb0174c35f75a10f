/** The outcomes of attempts to change or to erase testimonials. */
import { forEachAtOnce } from '../concurrency.ts';
import type { Testimonial } from '../domain/testimonial.ts';

/** A testimonial as somebody saw it: each change moves its updatedAt, and nothing else does. */
export type Seen = Pick<Testimonial, 'id' | 'updatedAt'>;

/** The condition of an attempt. */
export interface Condition {
  /** The updatedAt that was seen: nothing is written where it is another by now. */
  ifUpdatedAt?: string;
}

/** How an attempt is made. */
export interface ChangeOptions extends Condition {
  /** Whoever changes it, which is kept beside a new status. */
  by?: { id: string; name?: string };
}

/**
 * The outcome of a change. `done`: it was made. `already`: there was nothing to change. `conflict`: it is no longer as it was
 * seen. The testimonial is as it is then, and `before` as it was.
 */
export type Changed =
  | { kind: 'done'; before: Testimonial; testimonial: Testimonial }
  | { kind: 'already' | 'conflict'; testimonial: Testimonial }
  | { kind: 'absent' | 'tooManyTags' };

/** The outcome of an erasure. `already`: it was erased before. `conflict`: it is no longer as it was seen, and as it is there. */
export type Erased =
  | { kind: 'done'; before: Testimonial }
  | { kind: 'already' | 'absent' }
  | { kind: 'conflict'; testimonial: Testimonial };

/** The ids of several testimonials, by what became of each. */
export type Tally = Record<(Changed | Erased)['kind'], string[]>;

export interface AttemptOptions {
  /** Told after each attempt. */
  progress?: (tally: Tally) => void;
  /** Awaited before each attempt. */
  pace?: () => Promise<void>;
}

/**
 * Makes an attempt with each of some testimonials. After an error no other is begun.
 * @throws the first error, once all that was begun has ended
 */
export async function attemptEach<Item extends { id: string }>(
  items: Iterable<Item>,
  attempt: (item: Item) => Promise<Changed | Erased>,
  { progress, pace }: AttemptOptions = {},
): Promise<Tally> {
  const tally: Tally = { done: [], already: [], conflict: [], absent: [], tooManyTags: [] };
  let failure: { error: unknown } | undefined;
  await forEachAtOnce(items, async (item) => {
    try {
      await pace?.();
      if (failure) return;
      tally[(await attempt(item)).kind].push(item.id);
      progress?.(tally);
    } catch (error) {
      failure ??= { error };
    }
  });
  if (failure) throw failure.error;
  return tally;
}
