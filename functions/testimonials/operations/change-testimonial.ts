/** Changes the status and tags of testimonials. */

import type { ChangeOptions, ChangeOutcome, Tally } from '../../domain/outcomes.ts';
import type { ChangeKind, StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import { applyChange, type TestimonialChange } from '../../domain/testimonial-change.ts';
import { formerFacetsOf } from '../list-index/index-terms.ts';
import type { ReservedUpdate, TestimonialStore } from '../model/testimonial-store.ts';
import {
  type AttemptOptions,
  attemptEach,
  type ExpectedVersion,
  findSeen,
  reserveUpdates,
} from './attempts.ts';
import { findTestimonial } from './find-testimonial.ts';
import type { ChargePostings } from './unpaid-postings.ts';

export interface ChangeDependencies {
  testimonials: TestimonialStore;
  now: () => Date;
  charge?: ChargePostings;
}

/**
 * Changes a testimonial and moves its `updatedAt` forward. If nothing changes, it writes nothing and succeeds
 * even if `ifUpdatedAt` is older, so that a client can repeat a request whose response was lost.
 *
 * The function may stop or pause after any step. It writes the change marker before the change, so that no
 * list misses the change. Before an index update covers a marker, it raises the testimonial's version: a
 * change that has not been written by then fails and starts over (rules 3 and 4).
 * @param firstAttempt the attempt of `changeEach` whose write was refused, or was stored although its
 * response was lost
 */
export async function changeTestimonial(
  { testimonials, now, charge }: ChangeDependencies,
  organization: string,
  id: string,
  change: TestimonialChange,
  { ifUpdatedAt, by }: ChangeOptions = {},
  firstAttempt?: PreparedChange,
): Promise<ChangeOutcome> {
  for (let attempted = firstAttempt; ; ) {
    const current = await findTestimonial(testimonials, organization, id);
    if (!current) return { kind: 'absent' };
    const { testimonial } = current;
    // Checked before all other outcomes, because our own write would look like `already`, and a later one
    // like a conflict.
    if (attempted && hasAttempt(current, attempted)) return doneOutcome(attempted);
    const applied = applyChange(testimonial, change);
    if (applied === 'unchanged') {
      const { decision } = current;
      return { kind: 'already', testimonial, ...(decision && { decision }) };
    }
    if (ifUpdatedAt !== undefined && ifUpdatedAt !== testimonial.updatedAt) {
      return { kind: 'conflict', testimonial };
    }
    if (applied === 'tooManyTags') return { kind: applied };
    // Each attempt pays only for postings that the earlier ones have not paid for.
    await charge?.([applied], 'change');
    const reserved = await testimonials.reserveUpdateOrdinal(
      organization,
      earliestUpdateTime(now(), [current]),
    );
    attempted = preparedChange(current, applied, reserved, by);
    await testimonials.putChangeMarkers(organization, [attempted.marker]);
    if (await testimonials.writeChange(organization, current, attempted.changed))
      return doneOutcome(attempted);
  }
}

type PreparedChange = ReturnType<typeof preparedChange>;

/** Returns a change with a reserved update ordinal: its marker, and the testimonial before and after. */
function preparedChange(
  previous: StoredTestimonial,
  applied: Testimonial,
  { updateOrdinal, time }: ReservedUpdate,
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

/**
 * True if a testimonial already has the attempted change. `writeChange` also fails if the SDK repeats a write
 * whose response was lost. Our update ordinal in the testimonial shows that the write succeeded; after one
 * more change by someone else it is the previous update ordinal. After two, the attempt counts as failed: the
 * change is made again, or conflicts with `ifUpdatedAt`.
 */
function hasAttempt(
  { updateOrdinal, previousUpdateOrdinal }: StoredTestimonial,
  { changed }: PreparedChange,
) {
  return [updateOrdinal, previousUpdateOrdinal].includes(changed.updateOrdinal);
}

function doneOutcome({ previous, changed }: PreparedChange): ChangeOutcome {
  return { kind: 'done', before: previous.testimonial, testimonial: changed.testimonial };
}

/** Returns the earliest time that moves the `updatedAt` of all these testimonials forward. */
function earliestUpdateTime(now: Date, changing: readonly StoredTestimonial[]): Date {
  const moved = changing.map(({ testimonial }) => Date.parse(testimonial.updatedAt) + 1);
  return new Date(Math.max(now.getTime(), ...moved));
}

/**
 * Changes each testimonial, unless its `updatedAt` differs from the expected one. The first attempts of a
 * block share their calls; `changeTestimonial` makes the others and decides their outcomes.
 */
export function changeEach(
  deps: ChangeDependencies,
  organization: string,
  seen: readonly ExpectedVersion[],
  change: TestimonialChange,
  { by, ...options }: AttemptOptions & Pick<ChangeOptions, 'by'> = {},
): Promise<Tally> {
  const begin = async (block: readonly ExpectedVersion[]) => {
    const announced = await announceChanges(deps, organization, block, change, by);
    return async ({ id, updatedAt }: ExpectedVersion) => {
      const first = announced.get(id);
      // A testimonial that is listed twice changes once.
      announced.delete(id);
      if (first && (await deps.testimonials.writeChange(organization, first.previous, first.changed))) {
        return doneOutcome(first);
      }
      const again = { ifUpdatedAt: updatedAt, ...(by && { by }) };
      return changeTestimonial(deps, organization, id, change, again, first);
    };
  };
  return attemptEach(seen, begin, options);
}

/**
 * Charges the changes of a block and puts all their markers before the first write (rule 45).
 * @returns the changes to write, by id. Leaves out testimonials that were changed or erased, that already
 * have the values, or that would get too many tags; `changeTestimonial` reads those again.
 */
async function announceChanges(
  { testimonials, now, charge }: ChangeDependencies,
  organization: string,
  block: readonly ExpectedVersion[],
  change: TestimonialChange,
  by?: ChangeOptions['by'],
): Promise<Map<string, PreparedChange>> {
  const rows = await findSeen(testimonials, organization, block);
  const changes = rows.flatMap((previous) => {
    const applied = applyChange(previous.testimonial, change);
    return typeof applied === 'string' ? [] : { previous, applied };
  });
  if (changes.length === 0) return new Map();
  await charge?.(
    changes.map(({ applied }) => applied),
    'change',
  );
  const options = {
    earliest: earliestUpdateTime(
      now(),
      changes.map(({ previous }) => previous),
    ),
    reason: 'change',
  } as const;
  const taken = await reserveUpdates(testimonials, organization, changes, options);
  const prepared = taken.map(([{ previous, applied }, update]) =>
    preparedChange(previous, applied, update, by),
  );
  await testimonials.putChangeMarkers(
    organization,
    prepared.map(({ marker }) => marker),
  );
  return new Map(prepared.map((each) => [each.changed.testimonial.id, each]));
}
