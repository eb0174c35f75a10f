/** Changes the status and tags of testimonials. */

import type { Changed, ChangeOptions, Tally } from '../../domain/outcomes.ts';
import type { ChangeKind, StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import { applyChange, type TestimonialChange } from '../../domain/testimonial-change.ts';
import { formerFacetsOf } from '../list-index/index-terms.ts';
import type { TakenUpdate, TestimonialStore } from '../model/testimonial-store.ts';
import { type AttemptOptions, announceAll, attemptEach, findSeen, type MaybeSeen } from './attempts.ts';
import { findTestimonial } from './find-testimonial.ts';

export interface ChangeDependencies {
  testimonials: TestimonialStore;
  now: () => Date;
  /**
   * Charges the organization's budget before the writes of a block. Receives the new testimonials of changes,
   * or the old ones of erasures. If it rejects, none of them is written.
   */
  beforeWrite?: (testimonials: readonly Testimonial[], write: 'change' | 'erasure') => Promise<void>;
}

/**
 * Changes a testimonial and moves its `updatedAt` forward. If nothing changes, it writes nothing and succeeds
 * even if `ifUpdatedAt` is older, so that a client can repeat a request whose response was lost.
 *
 * The function may stop or pause after any step. It writes the change marker before the change, so that no
 * list misses the change. Before an index update covers a marker, it raises the testimonial's version: a
 * change that has not been written by then fails and starts again.
 * @param tried a change that was sent before and may have succeeded without a response
 */
export async function changeTestimonial(
  { testimonials, now, beforeWrite }: ChangeDependencies,
  organization: string,
  id: string,
  change: TestimonialChange,
  { ifUpdatedAt, by }: ChangeOptions = {},
  tried?: AnnouncedChange,
): Promise<Changed> {
  for (let last = tried; ; ) {
    const previous = await findTestimonial(testimonials, organization, id);
    if (!previous) return { kind: 'absent' };
    const { testimonial } = previous;
    // `replace` also fails if the SDK repeats a write whose response was lost. Our update ordinal in the
    // testimonial shows that the write succeeded; after one more change by somebody else it is the previous
    // update ordinal.
    const ordinals = [previous.updateOrdinal, previous.previousUpdateOrdinal];
    if (last && ordinals.includes(last.changed.updateOrdinal)) {
      return { kind: 'done', before: last.previous.testimonial, testimonial };
    }
    const applied = applyChange(testimonial, change);
    if (applied === 'unchanged') {
      const { decision } = previous;
      return { kind: 'already', testimonial, ...(decision && { decision }) };
    }
    if (ifUpdatedAt !== undefined && ifUpdatedAt !== testimonial.updatedAt) {
      return { kind: 'conflict', testimonial };
    }
    if (applied === 'tooManyTags') return { kind: applied };
    await beforeWrite?.([applied], 'change');
    const taken = await testimonials.takeUpdateOrdinal(organization, earliestOf(now(), [previous]));
    last = announcedChange(previous, applied, taken, by);
    await testimonials.putChangeMarker(organization, last.marker);
    if (await testimonials.replace(organization, previous, last.changed)) return doneBy(last);
  }
}

type AnnouncedChange = ReturnType<typeof announcedChange>;

/** Returns a change with a reserved update ordinal: its marker, and the testimonial before and after. */
function announcedChange(
  previous: StoredTestimonial,
  applied: Testimonial,
  { updateOrdinal, time }: TakenUpdate,
  by?: ChangeOptions['by'],
) {
  const { ordinal, version, testimonial } = previous;
  const ordinals = { updateOrdinal, previousUpdateOrdinal: previous.updateOrdinal };
  const change: ChangeKind = applied.status === testimonial.status ? 'tags' : 'status';
  return {
    previous,
    marker: { ...ordinals, ordinal, version, time, ...formerFacetsOf(testimonial) },
    changed: {
      ...previous,
      ...ordinals,
      change,
      testimonial: { ...applied, updatedAt: time },
      version: version + 1,
      ...(change === 'status' && { decision: { by: by?.name ?? '', ...(by && { id: by.id }), at: time } }),
    },
  };
}

function doneBy({ previous, changed }: AnnouncedChange): Changed {
  return { kind: 'done', before: previous.testimonial, testimonial: changed.testimonial };
}

/** Returns the earliest time that moves the `updatedAt` of all testimonials forward. */
function earliestOf(now: Date, changing: readonly StoredTestimonial[]): Date {
  const moved = changing.map(({ testimonial }) => Date.parse(testimonial.updatedAt) + 1);
  return new Date(Math.max(now.getTime(), ...moved));
}

/** Changes each testimonial, unless its `updatedAt` differs from the expected one. */
export function changeMany(
  deps: ChangeDependencies,
  organization: string,
  seen: readonly MaybeSeen[],
  change: TestimonialChange,
  { by, ...options }: AttemptOptions & Pick<ChangeOptions, 'by'> = {},
): Promise<Tally> {
  const { testimonials, now, beforeWrite } = deps;
  const begin = async (block: readonly MaybeSeen[]) => {
    const rows = await findSeen(testimonials, organization, block);
    const changes = rows.flatMap((previous) => {
      const applied = applyChange(previous.testimonial, change);
      return typeof applied === 'string' ? [] : { previous, applied };
    });
    if (changes.length > 0)
      await beforeWrite?.(
        changes.map(({ applied }) => applied),
        'change',
      );
    const earliest = earliestOf(now(), rows);
    const all = await announceAll(
      testimonials,
      organization,
      { earliest, reason: 'change' },
      changes.map(
        ({ previous, applied }) =>
          (taken: TakenUpdate) =>
            announcedChange(previous, applied, taken, by),
      ),
    );
    const announced = new Map(all.map((announcement) => [announcement.changed.testimonial.id, announcement]));
    return async ({ id, updatedAt }: MaybeSeen) => {
      const first = announced.get(id);
      // A testimonial that is listed twice changes once.
      announced.delete(id);
      if (first && (await testimonials.replace(organization, first.previous, first.changed))) {
        return doneBy(first);
      }
      const again = { ifUpdatedAt: updatedAt, ...(by && { by }) };
      return changeTestimonial(deps, organization, id, change, again, first);
    };
  };
  return attemptEach(seen, begin, options);
}
