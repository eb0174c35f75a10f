/** Moderation: approving, rejecting and tagging testimonials. */
import type { ChangeKind, StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { ChangeMarker, TestimonialStore } from '../domain/stores.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { applyChange, type TestimonialChange } from '../domain/testimonial-change.ts';
import { formerFacetsOf } from '../list-index/index-terms.ts';
import {
  type AttemptOptions,
  announceAll,
  attemptEach,
  type Changed,
  type ChangeOptions,
  findSeen,
  type MaybeSeen,
  onCondition,
  type TakenUpdate,
  type Tally,
} from './attempts.ts';
import { findTestimonial } from './find-testimonial.ts';

export interface ChangeDependencies {
  testimonials: TestimonialStore;
  now: () => Date;
  /** Awaited before a testimonial is written as it is to be, or one erased as it was: nothing is when it fails. */
  beforeWrite?: (testimonial: Testimonial, write: 'change' | 'erasure') => Promise<void>;
}

/**
 * Changes a testimonial and moves its updatedAt forward; where there is nothing to change, it writes nothing, also when the
 * testimonial is no longer as it was seen: so a request may be repeated whose answer was lost. It may stop after each step,
 * or pause there for any time: the marker comes before the change, so that no list misses it, and a change that comes after
 * its marker was indexed finds another version and begins again.
 * @param tried the change that was sent before, and may have been made with its answer lost
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
    // The change was made, and its answer was lost; also where somebody has changed it since.
    const ordinals = [previous.updateOrdinal, previous.previousUpdateOrdinal];
    if (last && ordinals.includes(last.next.updateOrdinal)) {
      return { kind: 'done', before: last.previous.testimonial, testimonial };
    }
    const next = applyChange(testimonial, change);
    if (next === testimonial) return { kind: 'already', testimonial };
    if (ifUpdatedAt !== undefined && ifUpdatedAt !== testimonial.updatedAt) {
      return { kind: 'conflict', testimonial };
    }
    if (!next) return { kind: 'tooManyTags' };
    await beforeWrite?.(next, 'change');
    const taken = await testimonials.takeUpdateOrdinal(organization, earliestOf(now(), [previous]));
    last = announcedChange(previous, next, taken, by);
    await testimonials.putChangeMarker(organization, last.marker);
    if (await testimonials.replace(organization, previous, last.next)) return doneBy(last);
  }
}

/** A change that has its place in the order of updates: the marker that announces it, and the testimonial that it writes. */
interface AnnouncedChange {
  previous: StoredTestimonial;
  marker: ChangeMarker;
  next: StoredTestimonial;
}

function announcedChange(
  previous: StoredTestimonial,
  next: Testimonial,
  { updateOrdinal, time }: TakenUpdate,
  by?: ChangeOptions['by'],
): AnnouncedChange {
  const { ordinal, version, testimonial } = previous;
  const places = { updateOrdinal, previousUpdateOrdinal: previous.updateOrdinal };
  const change: ChangeKind = next.status === testimonial.status ? 'tags' : 'status';
  return {
    previous,
    marker: { ...places, ordinal, version, time, ...formerFacetsOf(testimonial) },
    next: {
      ...previous,
      ...places,
      change,
      testimonial: { ...next, updatedAt: time },
      version: version + 1,
      ...(change === 'status' && { decision: { by: by?.name ?? '', ...(by && { id: by.id }), at: time } }),
    },
  };
}

function doneBy({ previous, next }: AnnouncedChange): Changed {
  return { kind: 'done', before: previous.testimonial, testimonial: next.testimonial };
}

/** The earliest time of changes: each moves its testimonial's updatedAt forward. */
function earliestOf(now: Date, changing: readonly StoredTestimonial[]): Date {
  const moved = changing.map(({ testimonial }) => Date.parse(testimonial.updatedAt) + 1);
  return new Date(Math.max(now.getTime(), ...moved));
}

/** Changes each of some testimonials that is still as it was seen. */
export function changeEach(
  deps: ChangeDependencies,
  organization: string,
  seen: readonly MaybeSeen[],
  change: TestimonialChange,
  options?: AttemptOptions,
): Promise<Tally> {
  const { testimonials, now } = deps;
  const begin = async (block: readonly MaybeSeen[]) => {
    const rows = await findSeen(testimonials, organization, block);
    const changes = rows.flatMap((previous) => {
      const next = applyChange(previous.testimonial, change);
      if (!next || next === previous.testimonial) return [];
      return (taken: TakenUpdate) => announcedChange(previous, next, taken);
    });
    const earliest = earliestOf(now(), rows);
    const all = await announceAll(testimonials, organization, { earliest, by: 'change' }, changes);
    const announced = new Map(all.map((each) => [each.next.testimonial.id, each]));
    return async ({ id, updatedAt }: MaybeSeen) => {
      const first = announced.get(id);
      // A testimonial that is named twice is changed once.
      announced.delete(id);
      if (first && (await testimonials.replace(organization, first.previous, first.next))) {
        return doneBy(first);
      }
      return changeTestimonial(deps, organization, id, change, onCondition(updatedAt), first);
    };
  };
  return attemptEach(seen, begin, options);
}
