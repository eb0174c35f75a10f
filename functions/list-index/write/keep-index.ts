/** Keeping the list index of an organization: what whoever comes to it does, the index function or a command. */
import { type FoldDependencies, type FoldOptions, type FoldReport, foldOrganization } from './fold.ts';
import { continueRebuild, RebuildSuperseded } from './rebuild.ts';

/**
 * Folds what is worth it, and goes on with a rebuild that was left: while there is one, no change marker is deleted.
 * @throws {FencedOff} when another fold or a rebuild came in between: what was written holds
 */
export async function keepIndex(
  deps: FoldDependencies,
  organization: string,
  options: FoldOptions = {},
): Promise<FoldReport> {
  const report = await foldOrganization(deps, organization, options);
  if (report.isBeingRebuilt) {
    await continueRebuild(deps, organization, options).catch((error: unknown) => {
      // Another process is at it.
      if (!(error instanceof RebuildSuperseded)) throw error;
    });
  }
  return report;
}
