/** Changes and erasures of many testimonials, and their outcomes. */

import { forEachAtOnce } from '../../concurrency.ts';
import type { ChangeOutcome, EraseOutcome, SeenVersion, Tally } from '../../domain/outcomes.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import { ordinalOfId } from '../../domain/testimonial-id.ts';
import type { ReservedUpdate, TestimonialStore } from '../model/testimonial-store.ts';

/** A testimonial's id. If `updatedAt` is present, the attempt fails unless it still matches. */
export type ExpectedVersion = Pick<SeenVersion, 'id'> & Partial<SeenVersion>;

export interface AttemptOptions {
  /** Called after each item, with all outcomes so far. */
  onOutcome?: (id: string, outcome: ChangeOutcome | EraseOutcome, tally: Tally) => void;
  /** Awaited before each block of items, with their number. */
  pace?: (items: number) => Promise<void>;
}

// The writes of a block take less than a second, so that none of its markers settles before the write that it
// announces (rule 45).
const changesPerBlock = 100;

/**
 * Changes or erases each item, block after block. Begins no further item after an error.
 * @param begin makes the calls that a block shares, and returns a function that changes or erases one item
 * @throws the first error, after all items that have begun are done
 */
export async function attemptEach<Item extends { id: string }>(
  items: readonly Item[],
  begin: (block: readonly Item[]) => Promise<(item: Item) => Promise<ChangeOutcome | EraseOutcome>>,
  { onOutcome, pace }: AttemptOptions = {},
): Promise<Tally> {
  const tally: Tally = { done: [], already: [], conflict: [], absent: [], tooManyTags: [] };
  for (let i = 0; i < items.length; i += changesPerBlock) {
    const block = items.slice(i, i + changesPerBlock);
    await pace?.(block.length);
    const changeOrErase = await begin(block);
    await forEachAtOnce(block, async (item) => {
      const outcome = await changeOrErase(item);
      tally[outcome.kind].push(item.id);
      onOutcome?.(item.id, outcome, tally);
    });
  }
  return tally;
}

/** Returns the testimonials of a block that still exist with the expected `updatedAt`, in block order. */
export async function findSeen(
  testimonials: TestimonialStore,
  organization: string,
  block: readonly ExpectedVersion[],
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

/**
 * Reserves consecutive update ordinals for a block of writes (rule 45).
 * @returns each item with its update
 */
export async function reserveUpdates<Item>(
  testimonials: TestimonialStore,
  organization: string,
  items: readonly Item[],
  { earliest, reason }: { earliest: Date; reason: 'change' | 'erasure' },
): Promise<[Item, ReservedUpdate][]> {
  const { length: count } = items;
  const last = await testimonials.reserveUpdateOrdinal(organization, earliest, reason, count);
  const first = last.updateOrdinal - count + 1;
  return items.map((item, i) => [item, { updateOrdinal: first + i, time: last.time }]);
}
