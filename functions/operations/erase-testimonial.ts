/** Erasure: a person's right to be forgotten (GDPR, article 17). */
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import { textsOf } from '../domain/terms.ts';
import { Unreadable } from '../domain/unreadable.ts';
import { facetNames, formerFacetsOf } from '../list-index/index-terms.ts';
import {
  type AttemptOptions,
  announceAll,
  attemptEach,
  type Condition,
  type Erased,
  findSeen,
  type MaybeSeen,
  onCondition,
  type TakenUpdate,
  type Tally,
} from './attempts.ts';
import type { ChangeDependencies } from './change-testimonial.ts';
import { findTestimonial } from './find-testimonial.ts';

/**
 * Erases a testimonial: it is in no list from then on, and its id is never given again. First it keeps the texts by which an index
 * update finds the testimonial's words, and then announces the erasure, as a change of status does. It may stop after each step, and
 * be repeated. A testimonial that cannot be read is erased by its place, with the texts that can be read; a rebuild removes the words of
 * the others.
 * @throws {Unreadable} if it has to be as it was seen
 */
export async function eraseTestimonial(
  { testimonials, now, beforeWrite }: ChangeDependencies,
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
    const { testimonial } = previous;
    if (ifUpdatedAt !== undefined && ifUpdatedAt !== testimonial.updatedAt) {
      return { kind: 'conflict', testimonial };
    }
    await beforeWrite?.(testimonial, 'erasure');
    const { updateOrdinal, time } = await testimonials.takeUpdateOrdinal(organization, now(), 'erasure');
    const erasure = announcedErasure(previous, { updateOrdinal, time });
    await testimonials.putErasureTexts(organization, [erasure.texts]);
    await testimonials.putChangeMarker(organization, erasure.marker);
    if (await testimonials.erase(organization, previous, erasure.taken)) {
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
  const { updateOrdinal: previousUpdateOrdinal = updateOrdinal, ordinal, version, texts } = remains;
  const places = { ordinal, version, updateOrdinal, time };
  await testimonials.putErasureTexts(organization, [{ ...places, texts }]);
  const formerFacets = facetNames(texts);
  await testimonials.putChangeMarker(organization, { ...places, previousUpdateOrdinal, formerFacets });
  const isErased = await testimonials.eraseRemains(organization, id, { updateOrdinal, time });
  return isErased ? { kind: 'done' } : undefined;
}

/** An erasure that has its place in the order of updates, with the items that are written before it. */
function announcedErasure(previous: StoredTestimonial, taken: TakenUpdate) {
  const { ordinal, version, updateOrdinal: previousUpdateOrdinal, testimonial } = previous;
  const places = { ordinal, version, ...taken };
  return {
    previous,
    taken,
    texts: { ...places, texts: textsOf(testimonial) },
    marker: { ...places, previousUpdateOrdinal, ...formerFacetsOf(testimonial) },
  };
}

/** Erases each of some testimonials that is still as it was seen. */
export function eraseEach(
  deps: ChangeDependencies,
  organization: string,
  seen: readonly MaybeSeen[],
  options?: AttemptOptions,
): Promise<Tally> {
  const { testimonials, now } = deps;
  const begin = async (block: readonly MaybeSeen[]) => {
    const rows = await findSeen(testimonials, organization, block);
    const erasures = rows.map((previous) => (taken: TakenUpdate) => announcedErasure(previous, taken));
    const all = await announceAll(
      testimonials,
      organization,
      {
        ...{ earliest: now(), by: 'erasure' },
        before: (each) =>
          testimonials.putErasureTexts(
            organization,
            each.map(({ texts }) => texts),
          ),
      },
      erasures,
    );
    const announced = new Map(all.map((each) => [each.previous.testimonial.id, each]));
    return async ({ id, updatedAt }: MaybeSeen): Promise<Erased> => {
      const first = announced.get(id);
      // A testimonial that is named twice is erased once.
      announced.delete(id);
      if (first && (await testimonials.erase(organization, first.previous, first.taken))) {
        return { kind: 'done', before: first.previous.testimonial };
      }
      return eraseTestimonial(deps, organization, id, onCondition(updatedAt));
    };
  };
  return attemptEach(seen, begin, options);
}
