/** Waits until the list index contains no word of an erased testimonial, for an operator. */
import { type IndexDependencies, noIndex } from '../index-store.ts';
import { oldGenerations, removeOldGenerations } from './generations.ts';
import { updateIndexAlongside } from './indexing.ts';

// An index update handles only settled erasures, so the next one may be ready any second.
const updateEveryMs = 1000;

/**
 * Updates the index until it contains no word of an erased testimonial, then removes old generations. Also
 * finishes an abandoned rebuild. The index function does the same in the background.
 */
export async function awaitWordRemoval(
  deps: IndexDependencies,
  organization: string,
  sleep: (milliseconds: number) => Promise<unknown>,
): Promise<void> {
  while (await hasErasureTexts(deps, organization)) {
    await sleep(updateEveryMs);
    await updateIndexAlongside(deps, organization);
  }
  const head = (await deps.index.readHead(organization)) ?? noIndex;
  await removeOldGenerations(deps.index, organization, head, { sleep });
}

/** True if `awaitWordRemoval` has something to do. */
export async function hasWordsToRemove(deps: IndexDependencies, organization: string): Promise<boolean> {
  if (await hasErasureTexts(deps, organization)) return true;
  const head = (await deps.index.readHead(organization)) ?? noIndex;
  return (await oldGenerations(deps.index, organization, head)).length > 0;
}

async function hasErasureTexts({ testimonials }: IndexDependencies, organization: string): Promise<boolean> {
  for await (const page of testimonials.erasureTexts(organization)) if (page.length > 0) return true;
  return false;
}
