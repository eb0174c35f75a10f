/** Imports a file: reads its lines, loads the good ones, and describes both. */
import type { Load, LoadPhase, LoadResult, LoadStatus, Work } from '../domain/loads.ts';
import { type CheckedFile, checkFile } from './check-file.ts';
import { fingerprintOf, type OpenedFile } from './detect-columns.ts';
import { errorsOf } from './imported-line.ts';

/** Callbacks of an import. */
export interface ImportWork extends Omit<Work, 'progress'> {
  /** @param total 0 if unknown */
  progress: (done: number, total: number, phase: 'checked' | LoadPhase) => void;
}

/** An import that is not stored yet. */
export interface PreparedImport {
  /** Present if the import was begun before. */
  earlier: LoadStatus | undefined;
  /** The result of storing all lines. */
  result: ImportResult;
  store(which: 'all' | 'only new', work: ImportWork): Promise<ImportResult>;
}

/**
 * Checks a file and compares it with an organization. Writes nothing.
 * @throws {LoadRefused}
 */
export async function prepareImport(
  loads: { open: (name: string, hash: string) => Promise<Load> },
  opened: OpenedFile,
  work: ImportWork,
): Promise<PreparedImport> {
  const load = await loads.open(await fingerprintOf(opened), opened.hash);
  const { id, at, earlier } = load;
  const check = (loadErrors?: ReturnType<typeof errorsOf>) =>
    checkFile(opened, {
      // Every process rejects the same lines as later than the import.
      now: new Date(at),
      progress: (lines) => work.progress(lines, 0, 'checked'),
      ...(loadErrors && { loadErrors }),
    });
  const valid = await check();
  const checked = await load.check(valid.lines, opened, work);
  const { rejected } = checked.result;
  const file = rejected.length === 0 ? valid : await check(errorsOf(checked.result));
  const describe = (loaded: LoadResult) => resultOf({ id, isNew: !earlier, opened, file, loaded });
  return {
    earlier,
    result: describe(checked.result),
    store: async (which, later) => describe(await checked.store(which, later)),
  };
}

interface ImportedFile {
  id: string;
  /** True if the import was never begun before. */
  isNew: boolean;
  opened: OpenedFile;
  file: CheckedFile;
  loaded: LoadResult;
}

/** The result of an import or a dry run. */
export type ImportResult = ReturnType<typeof resultOf>;

function resultOf({ id, isNew, opened, file, loaded }: ImportedFile) {
  const { asNew, sheet, guess } = opened;
  const { lines, ...numbers } = file;
  const { good, leftOut, repeated, twice, ids, stored, endsHistory } = loaded;
  const isUnsure = repeated > 0 || file.refused > 0 || guess !== undefined;
  return {
    ...numbers,
    /** The id for `--undo --id`. */
    id,
    /** Testimonials that this process has stored. */
    stored,
    /** Good lines, without those left out. */
    good,
    /** Likely duplicates that are left out. */
    leftOut,
    /** Likely duplicates that are stored. */
    repeated,
    /** The part of `repeated` that repeats an earlier line of the file. */
    twice,
    /** True if the times of the file are kept. */
    keepsHistory: loaded.keepsTimes,
    /** True if rejected lines could not keep their times when they are imported later. */
    endsHistory: endsHistory && file.refused > 0,
    /** True if the import had ended before. */
    wasImported: loaded.wasLoaded,
    /** True if someone has to agree before lines are stored. */
    mustAsk: isNew && isUnsure && good > 0,
    ids,
    asNew,
    guess,
    sheet,
  };
}
