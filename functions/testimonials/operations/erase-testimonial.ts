/** Erases testimonials, for a person's right to be forgotten (GDPR, article 17). */
import { textsOf } from '../../domain/fields.ts';
import type { Erased, IfUnchanged, Tally } from '../../domain/outcomes.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import { Unreadable } from '../../domain/unreadable.ts';
import { facetNames, formerFacetsOf } from '../list-index/index-terms.ts';
import type { TakenUpdate } from '../model/testimonial-store.ts';
import { type AttemptOptions, announceAll, attemptEach, findSeen, type MaybeSeen } from './attempts.ts';
import type { ChangeDependencies } from './change-testimonial.ts';
import { findTestimonial } from './find-testimonial.ts';

/**
 * Erases a testimonial. No later list shows it, and its id is never used again. The function first stores the
 * texts, from which an index update finds the words to remove, then the change marker. Then it erases. It may
 * stop after any step and be repeated.
 *
 * An unreadable testimonial is erased at its position, with its readable texts. A rebuild removes its other
 * words.
 * @throws {Unreadable} if `ifUpdatedAt` is present and the testimonial cannot be read
 */
export async function eraseTestimonial(
  { testimonials, now, beforeWrite }: ChangeDependencies,
  organization: string,
  id: string,
  { ifUpdatedAt }: IfUnchanged = {},
): Promise<Erased> {
  // A condition cannot be checked on a testimonial that nobody can read.
  const allowUnreadable = (error: unknown) => {
    if (!(error instanceof Unreadable) || ifUpdatedAt !== undefined) throw error;
    return 'unreadable' as const;
  };
  for (;;) {
    const previous = await findTestimonial(testimonials, organization, id).catch(allowUnreadable);
    if (previous === 'unreadable') {
      const erased = await eraseUnreadable({ testimonials, now }, organization, id);
      if (erased) return erased;
      continue;
    }
    if (!previous) return { kind: (await testimonials.wasErased(organization, id)) ? 'already' : 'absent' };
    const { testimonial } = previous;
    if (ifUpdatedAt !== undefined && ifUpdatedAt !== testimonial.updatedAt) {
      return { kind: 'conflict', testimonial };
    }
    await beforeWrite?.([testimonial], 'erasure');
    const { updateOrdinal, time } = await testimonials.takeUpdateOrdinal(organization, now(), 'erasure');
    const erasure = announcedErasure(previous, { updateOrdinal, time });
    await testimonials.putErasureTexts(organization, [erasure.texts]);
    await testimonials.putChangeMarker(organization, erasure.marker);
    if (await testimonials.erase(organization, previous, erasure.taken)) {
      return { kind: 'done', before: testimonial };
    }
  }
}

/**
 * Erases an unreadable testimonial. Returns undefined if it has changed since it was read, perhaps to a
 * readable one.
 */
async function eraseUnreadable(
  { testimonials, now }: ChangeDependencies,
  organization: string,
  id: string,
): Promise<Erased | undefined> {
  const remains = await testimonials.findRemains(organization, id);
  if (!remains) return { kind: (await testimonials.wasErased(organization, id)) ? 'already' : 'absent' };
  const { updateOrdinal, time } = await testimonials.takeUpdateOrdinal(organization, now(), 'erasure');
  // If its update ordinal is unreadable too, a rebuild removes that position.
  const { updateOrdinal: previousUpdateOrdinal = updateOrdinal, ordinal, version, texts } = remains;
  const ordinals = { ordinal, version, updateOrdinal, time };
  await testimonials.putErasureTexts(organization, [{ ...ordinals, texts }]);
  const formerFacets = facetNames(texts);
  await testimonials.putChangeMarker(organization, { ...ordinals, previousUpdateOrdinal, formerFacets });
  const isErased = await testimonials.eraseRemains(organization, id, remains, { updateOrdinal, time });
  return isErased ? { kind: 'done' } : undefined;
}

/** Returns an erasure with a reserved update ordinal, and the items to write before it. */
function announcedErasure(previous: StoredTestimonial, taken: TakenUpdate) {
  const { ordinal, version, updateOrdinal: previousUpdateOrdinal, testimonial } = previous;
  const ordinals = { ordinal, version, ...taken };
  return {
    previous,
    taken,
    texts: { ...ordinals, texts: textsOf(testimonial) },
    marker: { ...ordinals, previousUpdateOrdinal, ...formerFacetsOf(testimonial) },
  };
}

/**
 * Erases each testimonial, unless its `updatedAt` differs from the expected one.
 * @param options `evenUnreadable` erases one that cannot be read, whatever it has become, because nobody can
 * look at it again
 */
export function eraseEach(
  deps: ChangeDependencies,
  organization: string,
  seen: readonly MaybeSeen[],
  { evenUnreadable = false, ...options }: AttemptOptions & { evenUnreadable?: boolean } = {},
): Promise<Tally> {
  const { testimonials, now, beforeWrite } = deps;
  const begin = async (block: readonly MaybeSeen[]) => {
    const rows = await findSeen(testimonials, organization, block);
    if (rows.length > 0)
      await beforeWrite?.(
        rows.map(({ testimonial }) => testimonial),
        'erasure',
      );
    const erasures = rows.map((previous) => (taken: TakenUpdate) => announcedErasure(previous, taken));
    const all = await announceAll(
      testimonials,
      organization,
      {
        earliest: now(),
        reason: 'erasure',
        before: (block) =>
          testimonials.putErasureTexts(
            organization,
            block.map(({ texts }) => texts),
          ),
      },
      erasures,
    );
    const announced = new Map(all.map((erasure) => [erasure.previous.testimonial.id, erasure]));
    return async ({ id, updatedAt }: MaybeSeen): Promise<Erased> => {
      const first = announced.get(id);
      // A testimonial that is listed twice is erased once.
      announced.delete(id);
      if (first && (await testimonials.erase(organization, first.previous, first.taken))) {
        return { kind: 'done', before: first.previous.testimonial };
      }
      return eraseTestimonial(deps, organization, id, { ifUpdatedAt: updatedAt }).catch((error: unknown) => {
        if (!(evenUnreadable && error instanceof Unreadable)) throw error;
        return eraseTestimonial(deps, organization, id);
      });
    };
  };
  return attemptEach(seen, begin, options);
}
