/**
 * Checks an opened file and loads its good lines. Before that, `openFile` has read and mapped it.
 *
 * | Step | Function | File |
 * |---|---|---|
 * | decode | `decodeText`, `correctedTexts` | csv/decode.ts |
 * | read sheets | `contentOf` | spreadsheet.ts, workbook.ts, csv/csv.ts |
 * | … and find the header | `headerRowIn` | header-row.ts |
 * | choose a sheet | `chooseSheet` | open-file.ts |
 * | … and guess its columns | `mappingFor` | guess-mapping.ts, csv/column-names.ts, column-values.ts |
 * | map | `mapColumns().toTestimonial` | map-columns.ts |
 * | check | `checkFile` | check-file.ts |
 * | load | `Load.check`, `store` | functions/testimonials/loads.ts |
 *
 * Only the last step uses a store. It runs here, or in the steps of the desk.
 */
import {
  type Load,
  type LoadDescription,
  type LoadPhase,
  type LoadResult,
  type LoadStatus,
  loadLimits,
  type WorkCallbacks,
} from '../domain/loads.ts';
import { type CheckedFile, checkFile, loadErrorsOf } from './check-file.ts';
import { columnsByField, type Mapping } from './map-columns.ts';
import { type OpenedFile, sha256 } from './open-file.ts';

/** Callbacks of an import. */
export interface ImportCallbacks extends Omit<WorkCallbacks, 'progress'> {
  /** @param total 0 if unknown */
  progress: (done: number, total: number, phase: 'checked' | LoadPhase) => void;
}

/** An import that is not stored yet. */
export interface PreparedImport {
  /** Present if the import was begun before. */
  earlier: LoadStatus | undefined;
  /** The result of storing all lines. */
  result: ImportResult;
  store(which: 'all' | 'only new', work: ImportCallbacks): Promise<ImportResult>;
}

/**
 * Checks a file and compares it with an organization. Writes nothing.
 * @param work the callbacks; `onlyNew` leaves out lines that repeat others
 * @throws {LoadRefused} if the lines cannot be stored
 */
export async function prepareImport(
  loads: { open: (fingerprint: string, hash: string, description: LoadDescription) => Promise<Load> },
  opened: OpenedFile,
  { onlyNew, ...work }: ImportCallbacks & { onlyNew?: boolean | undefined },
): Promise<PreparedImport> {
  const { mapping } = opened;
  const load = await loads.open(await fingerprintOf(opened), opened.hash, descriptionOf(opened));
  const { id, at, earlier } = load;
  const check = (loadErrors?: ReturnType<typeof loadErrorsOf>) =>
    checkFile(opened, {
      // Relative to the start of the import, so that every process rejects the same lines as being in the
      // future.
      now: new Date(at),
      progress: (lines) => work.progress(lines, 0, 'checked'),
      ...(loadErrors && { loadErrors }),
    });
  const fileCheck = await check();
  const loadCheck = await load.check(fileCheck.lines, { asNew: mapping.asNew, onlyNew }, work);
  const { rejected: byLoad } = loadCheck.result;
  // The load can reject good lines. The file is then read again to report them with the others.
  const file = byLoad.length === 0 ? fileCheck : await check(loadErrorsOf(loadCheck.result));
  const describe = (loaded: LoadResult) => importResultOf({ id, earlier, opened, file, loaded });
  return {
    earlier,
    result: describe(loadCheck.result),
    store: async (which, later) => describe(await loadCheck.store(which, later)),
  };
}

/** Describes a file by the end of its name, without its folders, and by its mapping. */
function descriptionOf({ name, mapping }: OpenedFile): LoadDescription {
  const title = (name.split(/[\\/]/).at(-1) ?? '').slice(-loadLimits.title).toWellFormed();
  const text = JSON.stringify(mapping);
  // Without its mapping, someone must choose the columns again to continue the import.
  return { title, ...(text.length <= loadLimits.mapping && { mapping: text }) };
}

interface ImportedFile {
  id: string;
  /** Present if the import was begun before. */
  earlier: LoadStatus | undefined;
  opened: OpenedFile;
  file: CheckedFile;
  loaded: LoadResult;
}

/** The result of an import or a dry run. */
export type ImportResult = ReturnType<typeof importResultOf>;

// `--json` of the command prints each member that commands/import.ts does not leave out.
function importResultOf({ id, earlier, opened, file, loaded }: ImportedFile) {
  const { mapping, sheet, guess } = opened;
  const { lines, ...checked } = file;
  const { good, leftOut, repeated, repeatedInFile, ids, stored, endsHistory } = loaded;
  const isUnsure = repeated > 0 || file.rejected > 0 || guess !== undefined;
  return {
    ...checked,
    /** The id for `--undo --id`. */
    id,
    /** Testimonials that this process has stored. */
    stored,
    /** Good lines, not counting those left out. */
    good,
    /** Likely duplicates that are left out. */
    leftOut,
    /** Likely duplicates that are stored. */
    repeated,
    /** The part of `repeated` that repeats an earlier line of the file. */
    repeatedInFile,
    /** True if the times of the file are kept. */
    keepsTimes: loaded.keepsTimes,
    /** True if rejected lines could not keep their times in a later import. */
    rejectedLoseDates: endsHistory && file.rejected > 0,
    /** True if the import had ended before. */
    wasImported: loaded.wasLoaded,
    /** True if a person must agree before lines are stored. */
    mustAsk: !earlier && isUnsure && good > 0,
    ids,
    /** True if the testimonials are created now. */
    asNew: mapping.asNew,
    mapping,
    guess,
    sheet,
  };
}

/** Returns the identity of an import: the bytes of a file, and how its lines are read. */
export function fingerprintOf({ hash, format, sheet, mapping }: OpenedFile): Promise<string> {
  const columns = sheet ? columnsByField(sheet.header, mapping) : mapping.map;
  // The same columns give the same lines, whether a person chose them or not.
  const map = Object.fromEntries(Object.entries(columns).filter(([, names]) => names.length > 0));
  const sorted = (record: object) => Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
  // Guesses are part of the identity, too. After a release that guesses differently, adds a member here or
  // changes the order, the command does not continue an unfinished import unless its options name the old
  // mapping. The desk reads the mapping from the load's record.
  const read = {
    map: sorted(map),
    defaults: sorted(mapping.defaults),
    dateFormat: mapping.dateFormat,
    roundRatings: Boolean(mapping.roundRatings),
    keepHtml: Boolean(mapping.keepHtml),
    asNew: Boolean(mapping.asNew),
    sheetName: mapping.sheetName,
  } satisfies { [Name in keyof Mapping]-?: unknown };
  const parts = [format, ...Object.values(read)];
  return sha256(new TextEncoder().encode(JSON.stringify(parts) + hash));
}
