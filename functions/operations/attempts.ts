/** The outcomes of attempts to change or to erase testimonials. */

import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { ChangeMarker, TakenOrdinals, TestimonialStore } from '../domain/stores.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { ordinalOfId } from '../domain/testimonial-id.ts';
import { forEachAtOnce } from '../timing.ts';

/** A testimonial as somebody saw it: each change moves its updatedAt, and nothing else does. */
export type Seen = Pick<Testimonial, 'id' | 'updatedAt'>;

/** A testimonial by its id; with an updatedAt it is attempted only as it was seen then. */
export type MaybeSeen = Pick<Seen, 'id'> & Partial<Seen>;

/** The condition of an attempt. */
export interface Condition {
  /** The updatedAt that was seen: nothing is written where it is another by now. */
  ifUpdatedAt?: string;
}

/** How an attempt is made. */
export interface ChangeOptions extends Condition {
  /** The person or token that makes the change; kept beside a new status. */
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

/**
 * The outcome of an erasure. `done`: `before` is absent where it could not be read. `already`: it was erased before. `conflict`: it is
 * no longer as it was seen, and as it is there.
 */
export type Erased =
  | { kind: 'done'; before?: Testimonial }
  | { kind: 'already' | 'absent' }
  | { kind: 'conflict'; testimonial: Testimonial };

/** The ids of several testimonials, by what became of each. */
export type Tally = Record<(Changed | Erased)['kind'], string[]>;

export interface AttemptOptions {
  /** Called after each attempt, with all outcomes so far. */
  onOutcome?: (tally: Tally, id: string, outcome: Changed | Erased) => void;
  /** Awaited before each block of attempts, with their number. */
  pace?: (attempts: number) => Promise<void>;
}

// The writes of a block take less than a second: by the time of its update ordinals none of them has settled (rule 45).
const blockSize = 100;

/**
 * Makes an attempt with each of some testimonials, block after block. After an error no other is begun.
 * @param begin makes the calls that all attempts of a block share; returns the attempt of one
 * @throws the first error, once all that was begun has ended
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

/** Reads the testimonials of a block that are there, and as they were seen, in the order of the block. */
export async function findSeen(
  testimonials: TestimonialStore,
  organization: string,
  block: readonly MaybeSeen[],
): Promise<StoredTestimonial[]> {
  const wanted = new Map(block.map(({ id, updatedAt }) => [id, updatedAt]));
  const ordinals = [...wanted.keys()].flatMap((id) => ordinalOfId(id) ?? []);
  const found = await testimonials.findMany(organization, ordinals);
  const byId = new Map(found.map((each) => [each.testimonial.id, each]));
  return Array.from(wanted).flatMap(([id, updatedAt]) => {
    const there = byId.get(id);
    return there && (updatedAt ?? there.testimonial.updatedAt) === there.testimonial.updatedAt ? there : [];
  });
}

/** A place in the order of updates, and its time. */
export type TakenUpdate = Omit<TakenOrdinals, 'ordinal'>;

/**
 * Takes the next places in the order of updates for some writes, and puts their markers, in few calls (rule 45).
 * @param options.before writes the items that have to be there before the markers
 * @param writes each makes its write by its place
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

/** @param updatedAt that was seen; undefined where any is good */
export function onCondition(updatedAt: string | undefined): Condition {
  return updatedAt === undefined ? {} : { ifUpdatedAt: updatedAt };
}
