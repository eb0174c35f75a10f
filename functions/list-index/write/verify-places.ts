/** Comparing the places of testimonials with the counter that gives them, and with their times. */
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { TakenOrdinals } from '../../domain/stores.ts';
import { ordinalOfId } from '../../domain/testimonial-id.ts';
import { type Axis, axes, firstPlace, numberOn } from '../../domain/testimonial-order.ts';

/** A testimonial at a place that the counter did not give, or not to it. */
export interface Misplaced {
  /**
   * `beyond the counter`: the next create is given this place. `out of order`: the one before it has a later time.
   * `twice`: another one has the same place in the order of updates. `wrong id`: its id has another ordinal.
   */
  kind: 'beyond the counter' | 'out of order' | 'twice' | 'wrong id';
  axis: Axis;
  /** The place on the axis. */
  at: number;
}

/** Sees testimonials in the order of creation. What is created or changed meanwhile is in order as well. */
export class PlacesSeen {
  readonly #misplaced: Misplaced[] = [];
  readonly #updates: { at: number; time: string }[] = [];
  #ordinal = 0;
  #createdAt = '';

  see(stored: StoredTestimonial): void {
    const { id, createdAt, updatedAt } = stored.testimonial;
    const at = stored.ordinal;
    if (ordinalOfId(id) !== at) this.#misplaced.push({ kind: 'wrong id', axis: 'createdAt', at });
    if (createdAt < this.#createdAt) this.#misplaced.push({ kind: 'out of order', axis: 'createdAt', at });
    else this.#createdAt = createdAt;
    this.#ordinal = at;
    this.#updates.push({ at: numberOn('updatedAt', stored), time: updatedAt });
  }

  /** @param last what the counter said after all were seen */
  misplaced(last: TakenOrdinals | undefined): Misplaced[] {
    const updates = this.#updates.toSorted((a, b) => a.at - b.at);
    const inUpdates: Misplaced[] = [];
    let before = { at: 0, time: '' };
    for (const each of updates) {
      const { at, time } = each;
      if (at === before.at) inUpdates.push({ kind: 'twice', axis: 'updatedAt', at });
      else if (time < before.time) inUpdates.push({ kind: 'out of order', axis: 'updatedAt', at });
      else before = each;
    }
    const highest = { createdAt: this.#ordinal, updatedAt: updates.at(-1)?.at ?? 0 };
    const counted = {
      createdAt: last?.ordinal ?? firstPlace - 1,
      updatedAt: last?.updateOrdinal ?? firstPlace - 1,
    };
    const beyond = axes
      .filter((axis) => highest[axis] > counted[axis])
      .map((axis) => ({ kind: 'beyond the counter' as const, axis, at: highest[axis] }));
    return [...this.#misplaced, ...inUpdates, ...beyond];
  }
}
