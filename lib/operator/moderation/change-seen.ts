/** Changing and erasing testimonials that somebody has before them, each only if it is still as it was shown. */
import { forEachAtOnce } from '../../../functions/concurrency.ts';
import type { TestimonialStore } from '../../../functions/domain/stores.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { type TestimonialChange, TooManyTags } from '../../../functions/domain/testimonial-change.ts';
import {
  changeTestimonial,
  stillAs,
  TestimonialChanged,
} from '../../../functions/operations/change-testimonial.ts';
import { eraseTestimonial } from '../../../functions/operations/erase-testimonial.ts';
import { TestimonialNotFound } from '../../../functions/operations/find-testimonial.ts';
import { changes } from './change-matching.ts';

/** A testimonial as it was shown: by `updatedAt` it is known whether it is still so. */
export type Seen = Pick<Testimonial, 'id' | 'updatedAt'>;

/** What became of testimonials that were to be changed or erased. */
export interface Outcome {
  /** Ids of those that were. */
  done: string[];
  /** Ids of those that the change would have left as they are. */
  same: string[];
  /** Those that somebody else had changed since they were shown, as they are now. Nothing was done with them. */
  changed: Testimonial[];
  /** Ids of those that are not there any more. */
  gone: string[];
  /** Ids of those that would have too many tags. */
  full: string[];
}

interface Dependencies {
  testimonials: TestimonialStore;
  now: () => Date;
}

/** Changes those that are still as they were seen. */
export function changeSeen(
  deps: Dependencies,
  organization: string,
  seen: readonly Seen[],
  change: TestimonialChange,
): Promise<Outcome> {
  return forEachSeen(seen, async ({ id, updatedAt }) => {
    const isAsSeen = stillAs({ updatedAt });
    await changeTestimonial(
      deps,
      organization,
      id,
      change,
      (current) => isAsSeen(current) && changes(current, change),
    );
    return true;
  });
}

/** Erases those that are still as they were seen. */
export function eraseSeen(deps: Dependencies, organization: string, seen: readonly Seen[]): Promise<Outcome> {
  return forEachSeen(seen, (each) => eraseTestimonial(deps, organization, each.id, stillAs(each)));
}

/** @param work false where there was nothing any more to do it with */
async function forEachSeen(seen: readonly Seen[], work: (seen: Seen) => Promise<boolean>): Promise<Outcome> {
  const outcome: Outcome = { done: [], same: [], changed: [], gone: [], full: [] };
  await forEachAtOnce(seen, async (each) => {
    const { id, updatedAt } = each;
    try {
      outcome[(await work(each)) ? 'done' : 'gone'].push(id);
    } catch (error) {
      if (error instanceof TestimonialChanged) {
        if (stillAs({ updatedAt })(error.testimonial)) outcome.same.push(id);
        else outcome.changed.push(error.testimonial);
      } else if (error instanceof TestimonialNotFound) outcome.gone.push(id);
      else if (error instanceof TooManyTags) outcome.full.push(id);
      else throw error;
    }
  });
  return outcome;
}
