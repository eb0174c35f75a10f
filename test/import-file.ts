/** Imports a file as the command line and the desk do: prepared first, then stored. */
import { LoadRefused } from '../functions/domain/loads.ts';
import type { FileFormat } from '../functions/reading/formats.ts';
import { type ImportCallbacks, type ImportResult, prepareImport } from '../functions/reading/import-file.ts';
import type { Mapping } from '../functions/reading/map-columns.ts';
import { openFile } from '../functions/reading/open-file.ts';
import type { LoadStores } from '../functions/testimonials/load/load-record.ts';
import { loadsOn } from '../functions/testimonials/loads.ts';
import { readWhole } from '../lib/operator/files/whole-file.ts';
import { refusalText } from '../lib/operator/import/command-texts.ts';

export interface ImportDependencies extends LoadStores, ImportCallbacks {
  linesPerBlock?: number;
  /** Called if someone has to agree; all lines are stored if it is absent. */
  confirm?: (result: ImportResult) => Promise<'all' | 'only new'>;
}

/** NDJSON, unless the options name another format. */
export interface ImportedFile extends Partial<Mapping> {
  file: string;
  format?: FileFormat;
  onlyNew?: boolean;
  dryRun?: boolean;
}

/** Returns the report of the import, or of a dry run. */
export async function importFile(
  { confirm = async () => 'all', linesPerBlock, ...deps }: ImportDependencies,
  organization: string,
  { dryRun = false, file, format = 'ndjson', onlyNew, ...chosen }: ImportedFile,
): Promise<ImportResult> {
  const whole = { name: file, format, ...(await readWhole(file)) };
  const opened = await openFile(whole, { map: {}, defaults: {}, ...chosen });
  return explained(async () => {
    const loads = loadsOn(deps, { linesPerBlock })(organization);
    const prepared = await prepareImport(loads, opened, { ...deps, onlyNew });
    const { result } = prepared;
    if (dryRun) return result;
    return prepared.store(result.mustAsk ? await confirm(result) : 'all', deps);
  });
}

/** Does work, and explains a refusal as commands do. */
export async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof LoadRefused ? new Error(refusalText(error.refusal), { cause: error }) : error;
  }
}
