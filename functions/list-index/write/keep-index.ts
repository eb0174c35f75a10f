/** Keeping the list index of an organization: what whoever comes to it does, the index function or a command. */
import { newerGivenUpMs } from '../../timing.ts';
import { noIndex } from '../index-store.ts';
import { dueSince } from '../waiting.ts';
import { continueRebuild } from './rebuild.ts';
import {
  type IndexDependencies,
  type IndexUpdateOptions,
  type IndexUpdateReport,
  NewerTerms,
  updateIndex,
} from './update-index.ts';

/**
 * Updates the index by what is worth it, and goes on with a rebuild that was left: while there is one, no change marker is deleted.
 * @throws {FencedOff} when another index update or a rebuild came in between: what was written holds
 * @throws {NewerTerms} when only a newer version can update the index; once none has for long, the index is being made anew by this one
 */
export async function keepIndex(
  deps: IndexDependencies,
  organization: string,
  options: IndexUpdateOptions = {},
): Promise<IndexUpdateReport> {
  try {
    const report = await updateIndex(deps, organization, options);
    if (report.isBeingRebuilt) await continueRebuild(deps, organization, options);
    return report;
  } catch (error) {
    if (error instanceof NewerTerms) await replaceNewer(deps, organization, options);
    throw error;
  }
}

/** Makes an index of a newer version anew, once an update of it has been due for so long that none is coming. */
async function replaceNewer(deps: IndexDependencies, organization: string, options: IndexUpdateOptions) {
  const head = (await deps.index.readHead(organization)) ?? noIndex;
  const since = dueSince(head, await deps.index.readRecent(organization, head.indexed));
  const isAbandoned = since !== undefined && deps.now().getTime() - Date.parse(since) >= newerGivenUpMs;
  await continueRebuild(deps, organization, { ...options, begins: isAbandoned && !head.building });
}
