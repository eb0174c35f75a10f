/** The import of one file in the browser: its content, the person's choices, and its progress. */
import type { LoadPhase, LoadStatus } from '../../domain/loads.ts';
import { type CheckedFile, checkFile } from '../../reading/check-file.ts';
import { offeredFormats } from '../../reading/detect-date-format.ts';
import { fileFormats, formatOf, noFormatText } from '../../reading/formats.ts';
import {
  type ImportCallbacks,
  type ImportResult,
  type PreparedImport,
  prepareImport,
} from '../../reading/import-file.ts';
import { columnsByField, type Mapping, readMapping, samplesOf } from '../../reading/map-columns.ts';
import { chooseSheet, dayOf, type FileFacts, type OpenedFile, sha256 } from '../../reading/open-file.ts';
import { contentOf, type FileContent, jsonLines } from '../../reading/spreadsheet.ts';
import { maxFileBytes, maxLines } from '../parts/import-limits.ts';
import { importToContinue, remoteLoads } from './remote-loads.ts';

/**
 * The state that the page shows. `onChange` is called after each change:
 *
 * | From | By | To |
 * |---|---|---|
 * | an opened file, `unchecked`, `checked` | `begin`, `check` | `working`, then `checked` |
 * | an opened file with missing columns | `begin`, `check` | `working`, then `unchecked` |
 * | `unchecked`, `checked` | `preview`: other columns | `unchecked` |
 * | `checked` | `store` | `working`, then `ended` |
 * | any | an error | `failed` |
 * | `failed`, with columns | `preview`, `check` | as from `unchecked` |
 */
export type ImportState =
  /** A person has to choose columns, or has changed them. The file is not checked yet. */
  | { kind: 'unchecked' }
  /** The dry run is done. */
  | { kind: 'checked'; result: ImportResult }
  | { kind: 'working'; phase: LoadPhase | 'checked' | 'read' | 'prepared'; done: number; total: number }
  | { kind: 'ended'; result: ImportResult }
  | { kind: 'failed'; error: string };

/** A file in the browser, in the form of the DOM's `File`. */
interface ChosenFile extends Blob {
  name: string;
  lastModified: number;
}

const linesShown = 5;
const preparing: ImportState = { kind: 'working', phase: 'prepared', done: 0, total: 0 };
const reading: ImportState = { kind: 'working', phase: 'read', done: 0, total: 0 };

export class FileImport {
  readonly #file: FileFacts;
  readonly #content: FileContent;
  readonly #stepUrl: string;
  readonly #onChange: (file: FileImport) => void;
  readonly #stop = new AbortController();
  /** The parts of the mapping that the person has chosen. */
  chosenMapping: Mapping = { map: {}, defaults: {} };
  /** The sheet and its mapping with all guesses, as last read. */
  opened?: OpenedFile;
  /** The first lines, read with that mapping. */
  firstLines?: CheckedFile;
  state: ImportState = reading;
  /** The reason that the import waits: the desk is not responding. */
  waitingReason: string | undefined;
  #prepared: PreparedImport | undefined;
  /** The unfinished load of this file, if there was one when it was chosen. */
  #toContinue: LoadStatus | undefined;

  private constructor(
    file: FileFacts,
    content: FileContent,
    { stepUrl, onChange }: { stepUrl: string; onChange: (file: FileImport) => void },
  ) {
    this.#file = file;
    this.#content = content;
    this.#stepUrl = stepUrl;
    this.#onChange = onChange;
  }

  /**
   * Opens a file.
   * @param onChange called after each change
   * @throws if the file cannot be read
   */
  static async open(
    chosen: ChosenFile,
    stepUrl: string,
    onChange: (file: FileImport) => void,
  ): Promise<FileImport> {
    const { name } = chosen;
    const format = formatOf(name, fileFormats);
    if (!format) throw new Error(noFormatText(name));
    if (chosen.size > maxFileBytes)
      throw new Error(`${name} is larger than ${maxFileBytes / 1024 / 1024} MB. ${otherWaysText}`);
    const bytes = new Uint8Array(await chosen.arrayBuffer());
    const content = await contentOf(bytes, format, name, { maxUnpackedBytes });
    const file = { name, format, hash: await sha256(bytes), modifiedAt: new Date(chosen.lastModified) };
    return new FileImport(file, content, { stepUrl, onChange });
  }

  get name(): string {
    return this.#file.name;
  }

  /** The date formats to choose from; the current one first, as '' if it is ISO 8601 by default. */
  get dateFormats(): string[] {
    const { sheet, mapping = this.chosenMapping } = this.opened ?? {};
    const { createdAt: columns = [] } = sheet ? columnsByField(sheet.header, mapping) : {};
    const times = samplesOf(sheet?.header ?? [], sheet?.firstRows ?? [])
      .filter(({ name }) => columns.includes(name))
      .flatMap(({ filled }) => filled);
    const { dateFormat: current = '' } = mapping;
    const others = offeredFormats(times, dayOf(this.#file)).filter((each) => each !== (current || 'iso'));
    return [current, ...others];
  }

  /** Reads the first lines with another mapping. */
  async preview(mapping: Mapping): Promise<void> {
    this.#prepared = undefined;
    await this.#during(async () => {
      await this.#read(mapping);
      return { kind: 'unchecked' };
    });
  }

  /** Continues the unfinished import of this file, or runs a dry run. */
  async begin(): Promise<void> {
    this.#set(preparing);
    await this.#during(async () => {
      const toContinue = await importToContinue(this.#file.hash, this.#connection);
      this.#toContinue = toContinue;
      this.#set(reading);
      const kept = readMapping(toContinue?.mapping);
      return this.#dryRun(kept && this.#fits(kept) ? kept : this.chosenMapping);
    });
  }

  /** Runs a dry run. */
  async check(mapping: Mapping): Promise<void> {
    this.#set(reading);
    await this.#during(() => this.#dryRun(mapping));
  }

  /** Runs a dry run in which lines without a status get this one. */
  async checkWithStatus(chosen: 'approved' | 'pending'): Promise<void> {
    const { status: _, ...others } = this.chosenMapping.defaults;
    // A line without a status is pending in any case.
    const defaults = chosen === 'pending' ? others : { ...others, status: chosen };
    await this.check({ ...this.chosenMapping, defaults });
  }

  async #dryRun(mapping: Mapping): Promise<ImportState> {
    this.#prepared = undefined;
    const opened = await this.#read(mapping);
    if (opened.guess?.withoutColumn.length) return { kind: 'unchecked' };
    const prepared = await this.#prepare(opened);
    this.#prepared = prepared;
    return { kind: 'checked', result: prepared.result };
  }

  /** Stores the lines of the dry run that was shown. */
  async store(which: 'all' | 'only new'): Promise<void> {
    if (this.state.kind === 'working') return;
    const prepared = this.#prepared;
    // The person has changed the columns since the dry run.
    if (!prepared) return this.check(this.chosenMapping);
    this.isStoring = true;
    this.#set({ kind: 'working', phase: 'stored', done: 0, total: prepared.result.good });
    await this.#during(async () => {
      return { kind: 'ended', result: await prepared.store(which, this.#work) };
    });
  }

  /** Stops sending steps. Stored lines stay, and the import of the same file continues from there. */
  stop(): void {
    this.#stop.abort();
  }

  /** The progress of the import, if some of its lines may be stored. */
  get earlier(): LoadStatus | undefined {
    if (!this.#prepared) return this.#toContinue;
    const { earlier } = this.#prepared;
    return earlier?.state === 'begun' ? undefined : earlier;
  }

  /** True after the person has agreed to store the lines, until that ends. The page should stay open. */
  isStoring = false;

  get #connection() {
    return {
      url: this.#stepUrl,
      signal: this.#stop.signal,
      onWaiting: (text: string | undefined) => {
        if (this.waitingReason === text) return;
        this.waitingReason = text;
        this.#onChange(this);
      },
    };
  }

  get #work(): ImportCallbacks {
    return { progress: (done, total, phase) => this.#set({ kind: 'working', phase, done, total }) };
  }

  /**
   * True if the file has the columns of a mapping. Another version may have named the columns differently.
   */
  #fits(mapping: Mapping): boolean {
    try {
      chooseSheet(this.#file, this.#content, mapping);
      return true;
    } catch {
      return false;
    }
  }

  async #read(mapping: Mapping): Promise<OpenedFile> {
    this.chosenMapping = mapping;
    this.opened = chooseSheet(this.#file, this.#content, mapping);
    this.firstLines = await checkFile(this.opened, {
      now: new Date(),
      progress: () => {},
      limit: linesShown,
    });
    return this.opened;
  }

  async #prepare(opened: OpenedFile): Promise<PreparedImport> {
    const lines = Iterator.from(opened.sheet?.records() ?? jsonLines(opened.text));
    const count = lines.reduce((sum) => sum + 1, 0);
    if (count > maxLines)
      throw new Error(
        `${this.name} has ${count.toLocaleString('en')} testimonials. This page imports up to ${maxLines.toLocaleString('en')} at once. ${otherWaysText}`,
      );
    this.#set(preparing);
    return prepareImport(remoteLoads(this.#connection), opened, this.#work);
  }

  async #during(work: () => Promise<ImportState>): Promise<void> {
    const ended = await work().catch((error: unknown): ImportState => {
      return { kind: 'failed', error: error instanceof Error ? error.message : String(error) };
    });
    if (!this.#stop.signal.aborted) this.#set(ended);
  }

  #set(state: ImportState): void {
    this.state = state;
    if (state.kind !== 'working') {
      this.waitingReason = undefined;
      this.isStoring = false;
    }
    this.#onChange(this);
  }
}

// A workbook that unpacks to more would use up the memory of a phone.
const maxUnpackedBytes = 64 * 1024 * 1024;
const otherWaysText =
  'Split the file, or ask your administrator to import it with the command “import”, which has no such limit.';
