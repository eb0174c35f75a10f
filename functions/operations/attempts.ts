/** Changing or erasing many testimonials, and the outcome of each. */
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { ChangeMarker, TakenOrdinals, TestimonialStore } from '../domain/stores.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { ordinalOfId } from '../domain/testimonial-id.ts';
import { forEachAtOnce } from '../timing.ts';

/** A testimonial that the caller has read. Only a change moves its `updatedAt`. */
export type Seen = Pick<Testimonial, 'id' | 'updatedAt'>;

/** A testimonial by its id. If `updatedAt` is given, the attempt fails unless it still matches. */
export type MaybeSeen = Pick<Seen, 'id'> & Partial<Seen>;

/** The condition of an attempt. */
export interface Condition {
  /** Write only if `updatedAt` still has this value. */
  ifUpdatedAt?: string;
}

export interface ChangeOptions extends Condition {
  /** The person or token that makes the change. Stored with a new status. */
  by?: { id: string; name?: string };
}

/**
 * The outcome of a change. `already`: nothing had to change. `conflict`: the testimonial has changed since the caller read it.
 * `testimonial` is the current state, `before` the state before this change.
 */
export type Changed =
  | { kind: 'done'; before: Testimonial; testimonial: Testimonial }
  | { kind: 'already' | 'conflict'; testimonial: Testimonial }
  | { kind: 'absent' | 'tooManyTags' };

/**
 * The outcome of an erasure. `done`: `before` is absent if the testimonial was unreadable. `already`: it was erased earlier. `conflict`:
 * it has changed since the caller read it; `testimonial` is the current state.
 */
export type Erased =
  | { kind: 'done'; before?: Testimonial }
  | { kind: 'already' | 'absent' }
  | { kind: 'conflict'; testimonial: Testimonial };

/** The ids of testimonials by the outcome of each. */
export type Tally = Record<(Changed | Erased)['kind'], string[]>;

export interface AttemptOptions {
  /** Called after each attempt, with all outcomes so far. */
  onOutcome?: (tally: Tally, id: string, outcome: Changed | Erased) => void;
  /** Awaited before each block of attempts, with their number. */
  pace?: (attempts: number) => Promise<void>;
}

// The writes of a block take less than a second, so none of its markers settles meanwhile (rule 45).
const blockSize = 100;

/**
 * Attempts each item, block after block. After an error it starts no further attempt.
 * @param begin makes the calls that all attempts of a block share; returns a function that attempts one item
 * @throws the first error, once the attempts under way have ended
 */
export async function attemptEach<Item extends { id: string }>(
  items: readonly Item[],
  begin: (block: readonly Item[]) => Promise<(item: Item) => Promise<Changed | Erased>>,
  { onOutcome, pace }: AttemptOptions = {},
): Promise<Tally> {
  const tally: Tally = { done: [], already: [], conflict: [], absent: [], tooManyTags: [] };
  for (let i = 0; i < items.length; i += blockSize) {
    const block = items.slice(i, i + blockSize);
    await pace?.(block.length);
    const attempt = await begin(block);
    let failure: { error: unknown } | undefined;
    await forEachAtOnce(block, async (item) => {
      if (failure) return;
      try {
        const outcome = await attempt(item);
        tally[outcome.kind].push(item.id);
        onOutcome?.(tally, item.id, outcome);
      } catch (error) {
        failure ??= { error };
      }
    });
    if (failure) throw failure.error;
  }
  return tally;
}

/** Returns the testimonials of a block that still exist and still have the expected `updatedAt`, in block order. */
export async function findSeen(
  testimonials: TestimonialStore,
  organization: string,
  block: readonly MaybeSeen[],
): Promise<StoredTestimonial[]> {
  const wanted = new Map(block.map(({ id, updatedAt }) => [id, updatedAt]));
  const ordinals = [...wanted.keys()].flatMap((id) => ordinalOfId(id) ?? []);
  const rows = await testimonials.findMany(organization, ordinals);
  const byId = new Map(rows.map((row) => [row.testimonial.id, row]));
  return Array.from(wanted).flatMap(([id, updatedAt]) => {
    const row = byId.get(id);
    return row && (updatedAt ?? row.testimonial.updatedAt) === row.testimonial.updatedAt ? row : [];
  });
}

/** An update ordinal and its time. */
export type TakenUpdate = Omit<TakenOrdinals, 'ordinal'>;

/**
 * Reserves consecutive update ordinals for a block of writes and stores their change markers (rule 45).
 * @param options.before stores the items that must exist before the markers
 * @param writes each builds one write from its update ordinal
 */
export async function announceAll<Write extends { marker: ChangeMarker }>(
  testimonials: TestimonialStore,
  organization: string,
  {
    earliest,
    by,
    before = async () => {},
  }: { earliest: Date; by: 'change' | 'erasure'; before?: (writes: Write[]) => Promise<void> },
  writes: readonly ((taken: TakenUpdate) => Write)[],
): Promise<Write[]> {
  const { length: count } = writes;
  if (count === 0) return [];
  const last = await testimonials.takeUpdateOrdinal(organization, earliest, by, count);
  const first = last.updateOrdinal - count + 1;
  const announced = writes.map((write, i) => write({ updateOrdinal: first + i, time: last.time }));
  await before(announced);
  await testimonials.putChangeMarkers(
    organization,
    announced.map(({ marker }) => marker),
  );
  return announced;
}

/** @param updatedAt the expected value; undefined for no condition */
export function onCondition(updatedAt: string | undefined): Condition {
  return updatedAt === undefined ? {} : { ifUpdatedAt: updatedAt };
}
