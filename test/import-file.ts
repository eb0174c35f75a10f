/** Imports a file as the command line and the desk do: prepared first, then stored. */

import {
  type Doubts,
  type ImportDependencies,
  type ImportResult,
  prepareImport,
} from '../functions/testimonials/load/import-plan.ts';
import { storeImport } from '../functions/testimonials/load/store-import.ts';
import { readWhole } from '../lib/operator/files/whole-file.ts';
import { type ImportOptions, openSource } from '../lib/operator/import/detect-columns.ts';

export interface AskingDependencies extends ImportDependencies {
  /** Called if there are doubts; all lines are stored if it is absent. */
  confirm?: (doubts: Doubts, result: ImportResult) => Promise<'all' | 'only new'>;
}

/** NDJSON, unless the options name another format. */
export type ImportedFile = Partial<ImportOptions> & { file: string; dryRun?: boolean };

/** Returns the report of the import, or of a dry run. */
export async function importFile(
  { confirm = async () => 'all', ...deps }: AskingDependencies,
  organization: string,
  { dryRun = false, file, ...options }: ImportedFile,
): Promise<ImportResult> {
  const given = { file, format: 'ndjson' as const, map: {}, defaults: {}, ...options };
  const prepared = await prepareImport(deps, organization, await openSource(given, await readWhole(file)));
  const { result } = prepared;
  if (dryRun) return result;
  return storeImport(deps, prepared, result.doubts ? await confirm(result.doubts, result) : 'all');
}
