/** Changing many testimonials no faster than the list index takes changes up: until then, every list reads their markers. */
import type { IndexDependencies } from '../../../functions/list-index/index-store.ts';
import { whileBehind } from './load-testimonials.ts';

/**
 * Changes that may be outstanding, their markers not deleted yet, before a command waits. Every list reads their markers: as many
 * without texts fit into one page of a query, which has 1 MB.
 */
export const mostOutstanding = 4000;

// A look reads the markers of all changes that are outstanding.
const lookEvery = 250;

export interface PaceDependencies extends IndexDependencies {
  sleep?: ((milliseconds: number) => Promise<unknown>) | undefined;
  /** Told how many changes are outstanding, at each look while a command waits. */
  progress: (outstanding: number, total: 0, step: 'pacing') => void;
}

/**
 * Paces the changes of an organization: a command awaits the result before it begins so many of them. Above `mostOutstanding` it
 * waits until no more than half of that are.
 */
export function paceOf(deps: PaceDependencies, organization: string): (changes: number) => Promise<void> {
  const letIndexCatchUp = async () => {
    let most = mostOutstanding;
    await whileBehind(deps, organization, async () => {
      const outstanding = await outstandingChanges(deps, organization);
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

async function outstandingChanges(
  { testimonials }: IndexDependencies,
  organization: string,
): Promise<number> {
  let outstanding = 0;
  for await (const page of testimonials.changeMarkers(organization)) outstanding += page.length;
  return outstanding;
}
