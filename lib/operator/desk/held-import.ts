/** An import that a page follows: a file is checked first, then stored, and may ask before that. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type FileFormat, formatOf } from '../files/file-format.ts';
import { MissingColumns } from '../import/agree-reading.ts';
import type { ImportOptions } from '../import/import-dependencies.ts';
import { importFile } from '../import/import-file.ts';
import { doubtsText, type ImportReport, type KnownImport } from '../import/import-report.ts';
import type { Doubts } from '../import/next-step.ts';
import type { Proposal } from '../import/propose-reading.ts';
import {
  findUndoStep,
  lookAtUndo,
  refuseUndo,
  type Undo,
  type UndoDependencies,
  type UndoReport,
  undoImport,
} from '../import/undo-import.ts';
import type { Desk } from './desk.ts';
import { BadForm } from './parts/forms.ts';

/** How a file is read, as the options of `import` say. */
export type Reading = Pick<ImportOptions, 'map' | 'defaults' | 'asNew' | 'dateFormat' | 'roundRatings'>;

export type ImportStep =
  /** Columns are missing; the form has what is proposed. */
  | { kind: 'missing'; proposal: Proposal }
  /** The dry run. */
  | { kind: 'checked'; report: ImportReport }
  | { kind: 'working'; work: string; done: number; total: number }
  | { kind: 'asking'; question: string }
  | { kind: 'ended'; report: ImportReport }
  | { kind: 'asking to undo'; undo: Undo }
  | { kind: 'undone'; undone: UndoReport }
  | { kind: 'failed'; why: string };

export interface HeldImport {
  /** The file's own name. */
  name: string;
  file: string;
  format: FileFormat;
  reading: Reading;
  step: ImportStep;
  /** The file was imported, now or before, and that can be undone. */
  isUndoable: boolean;
}

/** Ends an import that would have to ask. */
class Asks extends Error {}

const asWas: Reading = { map: {}, defaults: {}, asNew: false, roundRatings: false };

/** The import of a desk: one at a time. */
export class HeldImports {
  readonly #desk: Desk;
  #files = 0;
  current: HeldImport | undefined;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /**
   * Takes a file and checks it.
   * @throws {BadForm} while another is being stored, or where the name tells no format
   */
  async take(file: File): Promise<void> {
    this.#refuseWhileWorking();
    const format = formatOf(file.name);
    if (!format) throw new BadForm(`${file.name} is neither .csv nor .ndjson: save it as one of them.`);
    this.#files += 1;
    const folder = join(this.#desk.folder, `import-${this.#files}`);
    mkdirSync(folder);
    // What a browser sends as a name is no path.
    const path = join(folder, basename(file.name.replaceAll('\\', '/')));
    writeFileSync(path, Buffer.from(await file.arrayBuffer()));
    const { name } = file;
    const held: HeldImport = {
      ...{ name, file: path, format, reading: asWas, step: beginning, isUndoable: false },
    };
    this.current = held;
    await this.#run(held, { dryRun: true, isAgreed: false });
  }

  /** Tells what an import would do. */
  async check(reading: Reading): Promise<void> {
    const held = this.#held();
    held.reading = reading;
    await this.#run(held, { dryRun: true, isAgreed: false });
  }

  /**
   * Begins to store; `current` tells how far it is.
   * @param isAgreed the operator was asked, and said yes
   */
  store(isAgreed: boolean): void {
    const held = this.#held();
    void this.#run(held, { dryRun: false, isAgreed });
  }

  /** Tells what an undo of the file's last import would erase. */
  async askToUndo(): Promise<void> {
    const held = this.#held();
    await this.#undoing(held, async (deps) => {
      const { organization } = this.#desk;
      const step = await findUndoStep(deps, organization, held.file);
      if (step.kind === 'refuse') return refuseUndo(step, { file: held.name, organization });
      if (step.kind === 'end') throw new Error(`${held.name} was undone before: nothing is left to do.`);
      return { kind: 'asking to undo', undo: await lookAtUndo(deps, organization, step.of) };
    });
  }

  /**
   * Begins to undo what was told; `current` tells how far it is.
   * @throws {BadForm} where nothing was
   */
  undo(): void {
    const held = this.#held();
    const { step } = held;
    if (step.kind !== 'asking to undo') throw new BadForm('Look at what would be erased first.');
    void this.#undoing(held, async (deps) => {
      const undone = await undoImport(deps, this.#desk.organization, step.undo);
      return { kind: 'undone', undone };
    });
  }

  async #undoing(held: HeldImport, work: (deps: UndoDependencies) => Promise<ImportStep>): Promise<void> {
    const { session, explain } = this.#desk;
    const progress = (done: number, total: number, step: 'looked' | 'erased') => {
      held.step = { kind: 'working', work: works[step], done, total };
    };
    progress(0, 0, 'looked');
    try {
      held.step = await work({ ...session(), progress });
      held.isUndoable = held.step.kind === 'asking to undo';
    } catch (error) {
      held.step = { kind: 'failed', why: explain(error) };
    }
  }

  forget(): void {
    this.#refuseWhileWorking();
    this.current = undefined;
  }

  #held(): HeldImport {
    this.#refuseWhileWorking();
    if (!this.current) throw new BadForm('Drop a file first.');
    return this.current;
  }

  #refuseWhileWorking(): void {
    if (this.current?.step.kind === 'working') throw new BadForm('An import is at work: wait for its end.');
  }

  async #run(held: HeldImport, { dryRun, isAgreed }: { dryRun: boolean; isAgreed: boolean }): Promise<void> {
    const { organization, sleep, session, explain } = this.#desk;
    const { file, name, format, reading } = held;
    held.step = beginning;
    const deps = {
      ...session(),
      sleep,
      progress(done: number, total: number, step: keyof typeof works) {
        held.step = { kind: 'working', work: works[step], done, total };
      },
      async confirm(doubts: Doubts, known: KnownImport) {
        // What is refused or lost was shown by the dry run.
        const isNew = doubts.repeated !== undefined || doubts.besideUnended;
        const asked = { ...doubts, hasRefused: false, hasLost: false };
        if (isNew && !isAgreed) throw new Asks(doubtsText(asked, known, { file: name, organization }));
      },
    };
    const step = await importFile(deps, organization, { file, format, ...reading, dryRun }).then(
      (report): ImportStep => ({ kind: dryRun ? 'checked' : 'ended', report }),
      (error) => stepAfter(error, explain),
    );
    // Whoever asked for an import is not told why that cannot be seen.
    const undo = await findUndoStep(deps, organization, file).catch(() => undefined);
    held.isUndoable = undo?.kind === 'undo';
    held.step = step;
  }
}

function stepAfter(error: unknown, explain: (error: unknown) => string): ImportStep {
  if (error instanceof MissingColumns) return { kind: 'missing', proposal: error.proposal };
  if (error instanceof Asks) return { kind: 'asking', question: error.message };
  return { kind: 'failed', why: explain(error) };
}

const beginning: ImportStep = { kind: 'working', work: 'Reading', done: 0, total: 0 };

const works = {
  ...{ read: 'Reading', checked: 'Checking', stored: 'Storing', indexed: 'Indexing' },
  ...{ looked: 'Looking at', erased: 'Undoing' },
} as const;
