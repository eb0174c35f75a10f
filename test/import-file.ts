/** Imports a file as every face does: looked at first, then stored. */
import { openSource } from '../lib/operator/import/check-file.ts';
import { prepareImport, storeImport } from '../lib/operator/import/import-file.ts';
import type { Doubts, ImportDependencies, ImportOptions } from '../lib/operator/import/import-plan.ts';
import type { ImportReport } from '../lib/operator/import/report.ts';

export interface AskingDependencies extends ImportDependencies {
  /** Asked where there is something to doubt; all lines are stored where it is absent. */
  confirm?: (doubts: Doubts, report: ImportReport) => Promise<'all' | 'only new'>;
}

/** @returns what was done, or would be in a dry run */
export async function importFile(
  { confirm = async () => 'all', ...deps }: AskingDependencies,
  organization: string,
  { dryRun = false, ...options }: ImportOptions & { dryRun?: boolean },
): Promise<ImportReport> {
  const prepared = await prepareImport(deps, organization, await openSource(options));
  const { isDue, report } = prepared;
  if (dryRun || !isDue) return report;
  return storeImport(deps, prepared, report.doubts ? await confirm(report.doubts, report) : 'all');
}
