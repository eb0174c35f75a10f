/** Seeing erasures through: until nothing of the texts is left in the table. */
import { setTimeout as wait } from 'node:timers/promises';
import type { IndexDependencies } from '../../../functions/list-index/index-store.ts';
import { noIndex } from '../../../functions/list-index/index-store.ts';
import { oldGenerations, removeOldGenerations } from '../../../functions/list-index/write/generations.ts';
import { updateIndexBeside } from '../load/load-testimonials.ts';

// Between two index updates: what waits for one is due at some second.
const updateEveryMs = 1000;

/**
 * Updates the index until the words of all erased testimonials of an organization are out of it, goes on with a rebuild that was left,
 * and removes the generations before it. It can be stopped anywhere: the index function does the same.
 */
export async function awaitErased(
  deps: IndexDependencies,
  organization: string,
  sleep: (milliseconds: number) => Promise<unknown> = wait,
): Promise<void> {
  while (await isErasing(deps, organization)) {
    await sleep(updateEveryMs);
    await updateIndexBeside(deps, organization);
  }
  const head = (await deps.index.readHead(organization)) ?? noIndex;
  await removeOldGenerations(deps.index, organization, head, sleep);
}

/** Whether there is something left for `awaitErased` to do. */
export async function leavesWords(deps: IndexDependencies, organization: string): Promise<boolean> {
  if (await isErasing(deps, organization)) return true;
  const head = (await deps.index.readHead(organization)) ?? noIndex;
  return (await oldGenerations(deps.index, organization, head)).length > 0;
}

async function isErasing({ testimonials }: IndexDependencies, organization: string): Promise<boolean> {
  for await (const page of testimonials.erasureTexts(organization)) if (page.length > 0) return true;
  return false;
}
