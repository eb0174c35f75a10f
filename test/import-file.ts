/** Imports a file as every face does: looked at first, then stored. */
import { readWhole } from '../lib/operator/files/whole-file.ts';
import type { ImportOptions } from '../lib/operator/import/check-file.ts';
import type { Doubts, ImportDependencies } from '../lib/operator/import/import-plan.ts';
import { sourceOf } from '../lib/operator/import/interpretation.ts';
import type { ImportReport } from '../lib/operator/import/report.ts';
import { prepareImport, storeImport } from '../lib/operator/import/store-import.ts';

export interface AskingDependencies extends ImportDependencies {
  /** Asked where there is something to doubt; all lines are stored where it is absent. */
  confirm?: (doubts: Doubts, report: ImportReport) => Promise<'all' | 'only new'>;
}

/** NDJSON, unless it is said. */
export type ImportedFile = Partial<ImportOptions> & { file: string; dryRun?: boolean };

/** @returns what was done, or would be in a dry run */
export async function importFile(
  { confirm = async () => 'all', ...deps }: AskingDependencies,
  organization: string,
  { dryRun = false, file, ...options }: ImportedFile,
): Promise<ImportReport> {
  const told = { file, format: 'ndjson' as const, map: {}, defaults: {}, ...options };
  const prepared = await prepareImport(deps, organization, await sourceOf(told, await readWhole(file)));
  const { report } = prepared;
  if (dryRun) return report;
  return storeImport(deps, prepared, report.doubts ? await confirm(report.doubts, report) : 'all');
}
