/**
 * Erases testimonials, for a person's right to be forgotten (GDPR, article 17). The data that an erasure
 * removes:
 *
 * | Data | Removed by |
 * |---|---|
 * | the item, and its copies in secondary indexes | `erase` of the store |
 * | facets in the list index, also tags | the next index update (`finishStep` in update-step.ts) |
 * | words in the list index | the end of that update or of a later one (rules 27 and 46, remove-words.ts) |
 * | photo and recording | the index function, from the stream (keep-media.ts) |
 * | the testimonial in a restored backup | an operator, who replays the log of the index function |
 */
import { textsOf } from '../../domain/fields.ts';
import type { EraseOutcome, IfUnchanged, Tally } from '../../domain/outcomes.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import { Unreadable } from '../../domain/unreadable.ts';
import { facetNames, formerFacetsOf } from '../list-index/index-terms.ts';
import type { ReservedUpdate } from '../model/testimonial-store.ts';
import {
  type AttemptOptions,
  attemptEach,
  type ExpectedVersion,
  findSeen,
  reserveUpdates,
} from './attempts.ts';
import type { ChangeDependencies } from './change-testimonial.ts';
import { findTestimonial } from './find-testimonial.ts';

/**
 * Erases a testimonial. No later list shows it, and its id is never used again. The function first stores the
 * texts, from which an index update finds the words to remove, then the change marker, which may be indexed
 * at once (rules 3 and 27). Then it erases. It may stop after any step and be repeated; the next batch
 * removes the texts of a failed attempt.
 *
 * An unreadable testimonial is erased at its position, with its readable texts. A rebuild removes its other
 * words. The index function deletes photo and recording (index-testimonials/keep-media.ts).
 * @throws {Unreadable} if `ifUpdatedAt` is present and the testimonial cannot be read
 */
export async function eraseTestimonial(
  { testimonials, now, charge }: ChangeDependencies,
  organization: string,
  id: string,
  { ifUpdatedAt }: IfUnchanged = {},
): Promise<EraseOutcome> {
  // The condition cannot be checked on an unreadable testimonial.
  const allowUnreadable = (error: unknown) => {
    if (!(error instanceof Unreadable) || ifUpdatedAt !== undefined) throw error;
    return 'unreadable' as const;
  };
  for (;;) {
    const previous = await findTestimonial(testimonials, organization, id).catch(allowUnreadable);
    if (previous === 'unreadable') {
      // This erasure is not charged, because its postings are unknown.
      const erased = await eraseUnreadable({ testimonials, now }, organization, id);
      if (erased) return erased;
      continue;
    }
    if (!previous) return { kind: (await testimonials.wasErased(organization, id)) ? 'already' : 'absent' };
    const { testimonial } = previous;
    if (ifUpdatedAt !== undefined && ifUpdatedAt !== testimonial.updatedAt) {
      return { kind: 'conflict', testimonial };
    }
    await charge?.([testimonial], 'erasure');
    const taken = await testimonials.reserveUpdateOrdinal(organization, now(), 'erasure');
    const erasure = preparedErasure(previous, taken);
    await testimonials.putErasureTexts(organization, [erasure.textsItem]);
    await testimonials.putChangeMarkers(organization, [erasure.marker]);
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
): Promise<EraseOutcome | undefined> {
  const readable = await testimonials.findReadableParts(organization, id);
  if (!readable) return { kind: (await testimonials.wasErased(organization, id)) ? 'already' : 'absent' };
  const { updateOrdinal, time } = await testimonials.reserveUpdateOrdinal(organization, now(), 'erasure');
  const { ordinal, version, texts } = readable;
  // If its update ordinal is also unreadable, a rebuild removes that position.
  const previousUpdateOrdinal = readable.updateOrdinal ?? updateOrdinal;
  const ordinals = { ordinal, version, updateOrdinal, time };
  await testimonials.putErasureTexts(organization, [{ ...ordinals, texts }]);
  const formerFacets = facetNames(texts);
  await testimonials.putChangeMarkers(organization, [{ ...ordinals, previousUpdateOrdinal, formerFacets }]);
  const isErased = await testimonials.eraseUnreadable(organization, id, readable, { updateOrdinal, time });
  return isErased ? { kind: 'done', before: 'unreadable' } : undefined;
}

type PreparedErasure = ReturnType<typeof preparedErasure>;

/** Returns an erasure with a reserved update ordinal, and the items to write before it. */
function preparedErasure(previous: StoredTestimonial, { updateOrdinal, time }: ReservedUpdate) {
  const { ordinal, version, updateOrdinal: previousUpdateOrdinal, testimonial } = previous;
  const ordinals = { ordinal, version, updateOrdinal, time };
  return {
    previous,
    taken: { updateOrdinal, time },
    textsItem: { ...ordinals, texts: textsOf(testimonial) },
    marker: { ...ordinals, previousUpdateOrdinal, ...formerFacetsOf(testimonial) },
  };
}

/**
 * Erases each testimonial, unless its `updatedAt` differs from the expected one.
 * @param options `evenUnreadable` matters only for items with `updatedAt`: an unreadable testimonial is
 * erased in any state, because no one can look at it again. If it is not set, the first unreadable
 * testimonial rejects the call
 */
export function eraseEach(
  deps: ChangeDependencies,
  organization: string,
  seen: readonly ExpectedVersion[],
  { evenUnreadable = false, ...options }: AttemptOptions & { evenUnreadable?: boolean } = {},
): Promise<Tally> {
  const begin = async (block: readonly ExpectedVersion[]) => {
    const announced = await announceErasures(deps, organization, block);
    return async ({ id, updatedAt }: ExpectedVersion): Promise<EraseOutcome> => {
      const first = announced.get(id);
      // A testimonial that is listed twice is erased once.
      announced.delete(id);
      if (first && (await deps.testimonials.erase(organization, first.previous, first.taken))) {
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

/** Charges the erasures of a block, and stores their texts and markers. Returns them by id. */
async function announceErasures(
  { testimonials, now, charge }: ChangeDependencies,
  organization: string,
  block: readonly ExpectedVersion[],
): Promise<Map<string, PreparedErasure>> {
  const rows = await findSeen(testimonials, organization, block);
  if (rows.length === 0) return new Map();
  await charge?.(
    rows.map(({ testimonial }) => testimonial),
    'erasure',
  );
  const options = { earliest: now(), reason: 'erasure' } as const;
  const taken = await reserveUpdates(testimonials, organization, rows, options);
  const prepared = taken.map(([previous, update]) => preparedErasure(previous, update));
  await testimonials.putErasureTexts(
    organization,
    prepared.map(({ textsItem }) => textsItem),
  );
  await testimonials.putChangeMarkers(
    organization,
    prepared.map(({ marker }) => marker),
  );
  return new Map(prepared.map((each) => [each.previous.testimonial.id, each]));
}
