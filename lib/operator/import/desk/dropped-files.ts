/** The files dropped on a desk, and the work on each of them. */
import type { UndoResult } from '../../../../functions/domain/loads.ts';
import { type CheckedFile, checkFile } from '../../../../functions/reading/check-file.ts';
import {
  type ImportOptions,
  type Mapping,
  type OpenedFile,
  openedFile,
} from '../../../../functions/reading/detect-columns.ts';
import { fileFormats, formatOf, noFormatText } from '../../../../functions/reading/formats.ts';
import {
  type ImportResult,
  type ImportWork,
  type PreparedImport,
  prepareImport,
} from '../../../../functions/reading/import-file.ts';
import { contentOf, type FileContent } from '../../../../functions/reading/spreadsheet.ts';
import { BadForm } from '../../../../functions/serve-desk/parts/forms.ts';
import { type WholeFile, wholeFile } from '../../files/whole-file.ts';
import type { Session } from '../../session.ts';
import type { ProgramIo } from '../../terminal/program-io.ts';
import { phases } from '../../terminal/progress.ts';
import { noUndoText } from '../command-texts.ts';

/** A desk that files are dropped on. */
export interface FilesDesk {
  organization: string;
  sleep: ProgramIo['sleep'];
  /** Returns one line about an error and how to resolve it. */
  explain: (error: unknown) => string;
  session: () => Session;
}

export type ImportStep =
  /** Someone has to choose columns, or has changed them. The file is not checked yet. */
  | { kind: 'shown' }
  /** The dry run is done. */
  | { kind: 'checked'; result: ImportResult }
  | { kind: 'working'; work: string; done: number; total: number }
  | { kind: 'ended'; result: ImportResult }
  | { kind: 'asking to undo'; undo: UndoResult; id: string }
  | { kind: 'undone'; undone: UndoResult }
  | { kind: 'failed'; why: string };

export interface DroppedFile extends WholeFile, Pick<ImportOptions, 'format'> {
  name: string;
  mapping: Mapping;
  content?: FileContent;
  /** The sheet and its mapping with all guesses, as last read. */
  opened?: OpenedFile;
  /** The first lines by that mapping. */
  first?: CheckedFile;
  step: ImportStep;
  /** True if an import of the file can be undone. */
  isUndoable: boolean;
}

type Loads = Session['loads'];

/** Returns a digest of the page that someone agreed to: how the file is interpreted, and its duplicates. */
export function agreementTo({ mapping }: DroppedFile, { repeated }: ImportResult): string {
  return JSON.stringify([mapping, repeated]);
}

const linesShown = 5;
const detected: Mapping = { map: {}, defaults: {} };
const reading: ImportStep = { kind: 'working', work: 'Reading', done: 0, total: 0 };

export class DroppedFiles {
  readonly #desk: FilesDesk;
  readonly byHash = new Map<string, DroppedFile>();

  constructor(desk: FilesDesk) {
    this.#desk = desk;
  }

  /**
   * Returns the file of a form.
   * @throws {BadForm} when the file is closed, or work on it is under way
   */
  requireIdle({ hash, name }: Pick<DroppedFile, 'hash' | 'name'>): DroppedFile {
    const file = this.byHash.get(hash);
    if (!file) throw new BadForm(`${name} is no longer open. Drop it again.`);
    if (file.step.kind === 'working')
      throw new BadForm(`${file.name} is still being processed. Wait for it to finish.`);
    return file;
  }

  /**
   * Opens a file and checks it.
   * @throws {BadForm} when its name has no known ending
   */
  async open(dropped: File): Promise<DroppedFile> {
    const { name } = dropped;
    const format = formatOf(name, fileFormats);
    if (!format) throw new BadForm(noFormatText(name));
    const whole = wholeFile(Buffer.from(await dropped.arrayBuffer()), new Date());
    const open = this.byHash.get(whole.hash);
    if (open?.step.kind === 'working') return open;
    const file = { ...whole, name, format, mapping: detected, step: reading, isUndoable: false };
    this.byHash.set(file.hash, file);
    await this.check(file, detected);
    return file;
  }

  /** Shows the first lines with another mapping. */
  async show(file: DroppedFile, mapping: Mapping): Promise<void> {
    const shown = this.#read(file, mapping).then((): ImportStep => ({ kind: 'shown' }));
    file.step = await shown.catch(this.#failure);
  }

  /** Runs a dry run. */
  async check(file: DroppedFile, mapping: Mapping): Promise<void> {
    file.mapping = mapping;
    await this.#work(file, async (loads, work) => {
      const prepared = await this.#prepare(file, loads, work);
      return prepared ? { kind: 'checked', result: prepared.result } : { kind: 'shown' };
    });
  }

  /**
   * Begins to store a file. Its step shows the progress.
   * @param agreement the result of `agreementTo` for the page that was shown
   */
  store(file: DroppedFile, which: 'all' | 'only new', agreement: string): void {
    void this.#work(file, async (loads, work) => {
      const prepared = await this.#prepare(file, loads, work);
      if (!prepared) return { kind: 'shown' };
      if (agreementTo(file, prepared.result) !== agreement)
        throw new Error(
          'The testimonials have changed since this file was checked. Nothing was stored. Check it again.',
        );
      return { kind: 'ended', result: await prepared.store(which, work) };
    });
  }

  /** Counts the testimonials that an undo of the file's last import would erase. */
  async askToUndo(file: DroppedFile): Promise<void> {
    const { organization } = this.#desk;
    await this.#work(file, async (loads, work) => {
      const load = await loads.find(file);
      if (!load) throw new Error(noUndoText({ file: file.name, organization }));
      if (load.state === 'undone') throw alreadyUndone(file);
      return { kind: 'asking to undo', undo: await load.preview(work), id: load.id };
    });
  }

  /** Begins to undo the import of an id. The file's step shows the progress. */
  undo(file: DroppedFile, id: string): void {
    void this.#work(file, async (loads, work) => {
      const load = await loads.find({ id });
      if (!load || load.state === 'undone' || load.hash !== file.hash) throw alreadyUndone(file);
      return { kind: 'undone', undone: await load.undo(work) };
    });
  }

  /** Checks a file. Returns undefined if someone has to choose columns. */
  async #prepare(file: DroppedFile, loads: Loads, work: ImportWork): Promise<PreparedImport | undefined> {
    const opened = await this.#read(file, file.mapping);
    return opened.guess?.nameless.length ? undefined : prepareImport(loads, opened, work);
  }

  /** Reads a file, and checks its first lines. */
  async #read(file: DroppedFile, mapping: Mapping): Promise<OpenedFile> {
    const options = { file: file.name, format: file.format, ...mapping };
    file.mapping = mapping;
    file.content ??= await contentOf(file.bytes, file.format, file.name);
    file.opened = openedFile(options, file, file.content);
    const now = this.#desk.session().now();
    file.first = await checkFile(file.opened, { now, progress: () => {}, limit: linesShown });
    return file.opened;
  }

  readonly #failure = (error: unknown): ImportStep => ({ kind: 'failed', why: this.#desk.explain(error) });

  /** Does work on a file, and shows its progress in the file's step. */
  async #work(
    file: DroppedFile,
    work: (loads: Loads, progress: ImportWork) => Promise<ImportStep>,
  ): Promise<void> {
    const { sleep, session } = this.#desk;
    file.step = reading;
    const { loads } = session();
    const progress: ImportWork['progress'] = (done, total, phase) => {
      file.step = { kind: 'working', work: phases[phase].work, done, total };
    };
    const step = await work(loads, { sleep, progress }).catch(this.#failure);
    // Only decides whether the page offers an undo. Errors of the work itself are in `step`.
    const load = await loads.find(file).catch(() => undefined);
    file.isUndoable = load !== undefined && load.state !== 'undone';
    file.step = step;
  }
}

function alreadyUndone({ name }: DroppedFile): Error {
  return new Error(`The import of ${name} was undone already. Nothing to do.`);
}
