/** Erasure: a person's right to be forgotten (GDPR, article 17). */
import { textsOf } from '../domain/terms.ts';
import { Unreadable } from '../domain/unreadable.ts';
import {
  type AttemptOptions,
  attemptEach,
  type Condition,
  type Erased,
  type Seen,
  type Tally,
} from './attempts.ts';
import type { ChangeDependencies } from './change-testimonial.ts';
import { findTestimonial } from './find-testimonial.ts';

/**
 * Erases a testimonial: it is in no list from then on, and its id is never given again. The marker comes before, as with
 * a change of status, and keeps the texts by which an index update takes the testimonial out of the list index; a later index update
 * deletes it. It may stop after each step, and be repeated. A testimonial that cannot be read is erased by its place: the marker has
 * the texts that can be read, and a rebuild removes the words of the others.
 * @throws {Unreadable} where it was to be as it was seen
 */
export async function eraseTestimonial(
  { testimonials, now }: ChangeDependencies,
  organization: string,
  id: string,
  { ifUpdatedAt }: Condition = {},
): Promise<Erased> {
  for (;;) {
    const previous = await findTestimonial(testimonials, organization, id).catch(whenUnconditional);
    if (previous === 'unreadable') {
      const erased = await eraseRemains({ testimonials, now }, organization, id);
      if (erased) return erased;
      continue;
    }
    if (!previous) return { kind: (await testimonials.wasErased(organization, id)) ? 'already' : 'absent' };
    const { ordinal, version, updateOrdinal: previousUpdateOrdinal, testimonial } = previous;
    if (ifUpdatedAt !== undefined && ifUpdatedAt !== testimonial.updatedAt) {
      return { kind: 'conflict', testimonial };
    }
    const { updateOrdinal, time } = await testimonials.takeUpdateOrdinal(organization, now(), 'erasure');
    const places = { ordinal, updateOrdinal, previousUpdateOrdinal };
    const erases = textsOf(testimonial);
    await testimonials.putChangeMarker(organization, { ...places, version, time, erases });
    if (await testimonials.erase(organization, previous, { updateOrdinal, time })) {
      return { kind: 'done', before: testimonial };
    }
  }

  function whenUnconditional(error: unknown): 'unreadable' {
    if (!(error instanceof Unreadable) || ifUpdatedAt !== undefined) throw error;
    return 'unreadable';
  }
}

/** Returns undefined where it can be read meanwhile. */
async function eraseRemains(
  { testimonials, now }: ChangeDependencies,
  organization: string,
  id: string,
): Promise<Erased | undefined> {
  const remains = await testimonials.findRemains(organization, id);
  if (!remains) return { kind: (await testimonials.wasErased(organization, id)) ? 'already' : 'absent' };
  const { updateOrdinal, time } = await testimonials.takeUpdateOrdinal(organization, now(), 'erasure');
  // Where its place in the order of updates cannot be read either, a rebuild clears that.
  const { updateOrdinal: previousUpdateOrdinal = updateOrdinal, ...rest } = remains;
  await testimonials.putChangeMarker(organization, { ...rest, updateOrdinal, previousUpdateOrdinal, time });
  const isErased = await testimonials.eraseRemains(organization, id, { updateOrdinal, time });
  return isErased ? { kind: 'done' } : undefined;
}

/** Erases each of some testimonials that is still as it was seen. */
export function eraseEach(
  deps: ChangeDependencies,
  organization: string,
  seen: readonly Seen[],
  options?: AttemptOptions,
): Promise<Tally> {
  return attemptEach(
    seen,
    ({ id, updatedAt }) => eraseTestimonial(deps, organization, id, { ifUpdatedAt: updatedAt }),
    options,
  );
}
