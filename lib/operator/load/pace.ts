/** The pace of many changes: no faster than the list index takes them up, because every list reads the other markers. */
import type { IndexDependencies } from '../../../functions/list-index/index-store.ts';
import { whileBehind } from './load-testimonials.ts';

/** The changes with a marker at which a command pauses. As many markers, without texts, fit into one page of a query, 1 MB. */
export const mostOutstanding = 4000;

// Each look reads the markers of all outstanding changes.
const lookEvery = 250;

export interface PaceDependencies extends IndexDependencies {
  sleep?: ((milliseconds: number) => Promise<unknown>) | undefined;
  /** Called with the number of outstanding changes, at each look during a pause. */
  progress: (outstanding: number, total: 0, step: 'pacing') => void;
}

/**
 * Returns a function that a command awaits before each block of changes, with their number. Above `mostOutstanding` it waits
 * until half of them are indexed.
 */
export function paceOf(deps: PaceDependencies, organization: string): (changes: number) => Promise<void> {
  const letIndexCatchUp = async () => {
    let most = mostOutstanding;
    await whileBehind(deps, organization, async () => {
      let outstanding = 0;
      for await (const page of deps.testimonials.changeMarkers(organization)) outstanding += page.length;
      if (outstanding <= most) return false;
      most = mostOutstanding / 2;
      deps.progress(outstanding, 0, 'pacing');
      return true;
    });
  };
  let begun = 0;
  let nextLook = 0;
  let isFree = Promise.resolve();
  return (changes) => {
    if (begun >= nextLook) {
      isFree = isFree.then(letIndexCatchUp);
      nextLook = begun + lookEvery;
    }
    begun += changes;
    return isFree;
  };
}
