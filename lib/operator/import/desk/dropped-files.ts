/** The files that were dropped on a desk, and what is done with each: nothing that another page can change. */
import { BadForm } from '../../../../functions/serve-desk/parts/forms.ts';
import { fileFormats, formatOf, noFormatText, type WholeFile, wholeFile } from '../../files/whole-file.ts';
import type { Session } from '../../session.ts';
import type { ProgramIo } from '../../terminal/program-io.ts';
import { type PhaseName, phases } from '../../terminal/progress.ts';
import type { ImportOptions, Interpretation } from '../check-file.ts';
import { idOfImport } from '../import-job.ts';
import type { Doubts } from '../import-plan.ts';
import { type Proposal, sourceOf } from '../interpretation.ts';
import { type ImportReport, noUndoText } from '../report.ts';
import { prepareImport, storeImport } from '../store-import.ts';
import { findUndoable, lookAtUndo, type Undo, undoImport } from '../undo-import.ts';

/** A desk that files are dropped on. */
export interface FilesDesk {
  organization: string;
  sleep: ProgramIo['sleep'];
  /** What to say and do about an error, in one line. */
  explain: (error: unknown) => string;
  session: () => Session;
}

export type ImportStep =
  /** Columns have to be named; the form has what is proposed. */
  | { kind: 'missing'; proposal: Proposal }
  /** The dry run. */
  | { kind: 'checked'; report: ImportReport }
  | { kind: 'working'; work: string; done: number; total: number }
  | { kind: 'ended'; report: ImportReport }
  | { kind: 'asking to undo'; undo: Undo; id: string }
  | { kind: 'undone'; undone: Undo }
  | { kind: 'failed'; why: string };

export interface DroppedFile extends WholeFile, Pick<ImportOptions, 'format'> {
  /** Its own name. */
  name: string;
  /** As it was read last. */
  reading: Interpretation;
  step: ImportStep;
  /** It was imported, now or before, and that can be undone. */
  isUndoable: boolean;
}

/** Tells what was shown, and agreed to, from anything else: how a file is read, and what there is to doubt. */
export function agreementTo({ reading }: DroppedFile, doubts: Doubts | undefined): string {
  return JSON.stringify([reading, doubts?.repeated, doubts?.unended.map(({ name }) => idOfImport(name))]);
}

const asWas: Interpretation = { map: {}, defaults: {} };

export class DroppedFiles {
  readonly #desk: FilesDesk;
  readonly #files = new Map<string, DroppedFile>();

  constructor(desk: FilesDesk) {
    this.#desk = desk;
  }

  get all(): DroppedFile[] {
    return [...this.#files.values()];
  }

  find(hash: string): DroppedFile | undefined {
    return this.#files.get(hash);
  }

  /**
   * The file that a page is about.
   * @throws {BadForm} where it is not here, or something is done with it just now
   */
  ofPage({ hash, name }: Pick<DroppedFile, 'hash' | 'name'>): DroppedFile {
    const file = this.find(hash);
    if (!file) throw new BadForm(`This page was about ${name}, which is not open any more: drop it again.`);
    if (file.step.kind === 'working')
      throw new BadForm(`Something is done with ${file.name} just now: wait for its end.`);
    return file;
  }

  /**
   * Takes a file and checks it.
   * @throws {BadForm} where its name tells no format
   */
  async take(dropped: File): Promise<DroppedFile> {
    const { name } = dropped;
    const format = formatOf(name, fileFormats);
    if (!format) throw new BadForm(noFormatText(name));
    const whole = wholeFile(Buffer.from(await dropped.arrayBuffer()), new Date());
    const there = this.find(whole.hash);
    if (there?.step.kind === 'working') return there;
    const file = { ...whole, name, format, reading: asWas, step: beginning, isUndoable: false };
    this.#files.set(file.hash, file);
    await this.check(file, asWas);
    return file;
  }

  forget({ hash }: DroppedFile): void {
    this.#files.delete(hash);
  }

  /** Tells what an import would do. */
  async check(file: DroppedFile, reading: Interpretation): Promise<void> {
    await this.#work(file, reading, async (deps) => {
      const prepared = await this.#prepare(deps, file);
      return 'report' in prepared ? { kind: 'checked', report: prepared.report } : prepared;
    });
  }

  /**
   * Begins to store what was shown; the file's step tells how far it is.
   * @param agreement to what was shown, as `agreementTo` has it
   */
  store(file: DroppedFile, which: 'all' | 'only new', agreement: string): void {
    void this.#work(file, file.reading, async (deps) => {
      const prepared = await this.#prepare(deps, file);
      if (!('report' in prepared)) return prepared;
      // What is refused or lost was shown by the dry run, and is the same.
      if (agreementTo(file, prepared.report.doubts) !== agreement)
        throw new Error('Nothing is stored: what is there is not as it was shown. Check it again.');
      return { kind: 'ended', report: await storeImport(deps, prepared, which) };
    });
  }

  /** Tells what an undo of the file's last import would erase. */
  async askToUndo(file: DroppedFile): Promise<void> {
    const { organization } = this.#desk;
    await this.#work(file, file.reading, async (deps) => {
      const found = await findUndoable(deps, organization, file);
      if (!found) throw new Error(noUndoText({ file: file.name, organization }));
      if (found.job.state === 'undone')
        throw new Error(`${file.name} was undone before: nothing is left to do.`);
      const undo = await lookAtUndo(deps, organization, found);
      return { kind: 'asking to undo', undo, id: idOfImport(found.name) };
    });
  }

  /** Begins to undo an import that was shown; the file's step tells how far it is. */
  undo(file: DroppedFile, id: string): void {
    const { organization } = this.#desk;
    void this.#work(file, file.reading, async (deps) => {
      const found = await findUndoable(deps, organization, { id });
      if (!found || found.job.state === 'undone' || found.job.hash !== file.hash)
        throw new Error(`${file.name} was undone meanwhile: nothing is left to do.`);
      return { kind: 'undone', undone: await undoImport(deps, organization, found) };
    });
  }

  /** Looks what an import would do; where columns have to be named, what is known of them. */
  async #prepare(deps: FileSession, file: DroppedFile) {
    const { name, format, reading } = file;
    const source = await sourceOf({ file: name, format, ...reading }, file);
    const { proposal } = source;
    return proposal && proposal.nameless.length > 0
      ? { kind: 'missing' as const, proposal }
      : prepareImport(deps, this.#desk.organization, source);
  }

  async #work(
    file: DroppedFile,
    reading: Interpretation,
    work: (deps: FileSession) => Promise<ImportStep>,
  ): Promise<void> {
    const { organization, explain } = this.#desk;
    file.reading = reading;
    file.step = beginning;
    const deps = sessionFor(this.#desk, file);
    const step = await work(deps).catch(
      (error: unknown): ImportStep => ({ kind: 'failed', why: explain(error) }),
    );
    // Whoever asked for something else is not told why that cannot be seen.
    const undo = await findUndoable(deps, organization, file).catch(() => undefined);
    file.isUndoable = undo !== undefined && undo.job.state !== 'undone';
    file.step = step;
  }
}

type FileSession = ReturnType<typeof sessionFor>;

/** A session that tells how far the work on a file is. */
function sessionFor({ sleep, session }: FilesDesk, file: DroppedFile) {
  return {
    ...session(),
    sleep,
    progress(done: number, total: number, step: PhaseName) {
      file.step = { kind: 'working', work: phases[step].work, done, total };
    },
  };
}

const beginning: ImportStep = { kind: 'working', work: 'Reading', done: 0, total: 0 };
