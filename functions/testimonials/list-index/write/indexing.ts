/** Work on the list index that a process does itself, instead of leaving it to the index function. */
import type { IndexDependencies } from '../index-store.ts';
import { FencedOff } from './posting-edits.ts';
import { rebuildIndex } from './rebuild.ts';
import { updateIndex } from './update-index.ts';
import type { IndexUpdateOptions } from './update-step.ts';

/**
 * The process's own index updates. A process without it needs neither the rights on postings nor this code.
 */
export interface Indexing {
  rebuild: typeof rebuildIndex;
  update: typeof updateIndexAlongside;
}

export const ownIndexing: Indexing = { rebuild: rebuildIndex, update: updateIndexAlongside };

/** Updates an index, even if the index function does so at the same time. */
export async function updateIndexAlongside(
  deps: IndexDependencies,
  organization: string,
  options?: IndexUpdateOptions,
): Promise<void> {
  await updateIndex(deps, organization, options).catch((error: unknown) => {
    if (!(error instanceof FencedOff)) throw error;
  });
}
