/**
 * Loads many testimonials with their own times: imports, and generated testimonials. A load can be undone. It
 * may stop after any of its calls and be continued; docs/protocol.md explains why no line is lost or stored
 * twice.
 */

import { organizationStore } from '../accounts/dynamodb-organization-store.ts';
import type {
  ComparableLoad,
  FillLine,
  FillStart,
  HistoryRoom,
  LoadDescription,
  LoadStatus,
  UndoResult,
  UnfinishedLoad,
  WorkCallbacks,
} from '../domain/loads.ts';
import type { Table } from '../dynamodb/table.ts';
import type { Indexing } from './list-index/write/indexing.ts';
import { checkLines, checkRoomAndDescribe, compareLines } from './load/check-lines.ts';
import { fill } from './load/fill.ts';
import {
  allLoads,
  findLoad,
  type LoadKey,
  loadToContinue,
  openLoad,
  unfinishedLoads,
} from './load/find-loads.ts';
import {
  idOfLoad,
  type LoadStores,
  type NamedLoad,
  type StartedRecord,
  statusOf,
} from './load/load-record.ts';
import { historyRoom } from './load/positions.ts';
import { endStoredLoad, storeLoad } from './load/store-load.ts';
import { previewUndo, undoLoad } from './load/undo-load.ts';
import { indexStore } from './table/index-store.ts';
import { loadStore } from './table/load-store.ts';
import { testimonialStore } from './table/testimonial-store.ts';

/** A load that can be undone. */
interface UndoableLoad extends LoadStatus {
  /** SHA-256 of the file, hexadecimal. */
  hash: string;
  /**
   * If all of its lines are stored, waits until lists show them, then ends the load.
   * @throws {LoadRefused} if another process works on the load
   */
  end(work: WorkCallbacks): Promise<void>;
  /**
   * Counts the testimonials that `undo` would erase.
   * @throws {LoadRefused} if another process works on the load
   */
  preview(work: WorkCallbacks): Promise<UndoResult>;
  /**
   * Erases the testimonials that no one has changed, or continues an undo that was stopped. The load cannot
   * be continued afterwards.
   * @throws {LoadRefused} if another process works on the load
   */
  undo(work: WorkCallbacks): Promise<UndoResult>;
}

export interface Loads {
  /**
   * Opens a load, to begin or to continue it. Writes nothing.
   * @param fingerprint SHA-256 of a file and of the way to read it, so that equal lines have an equal
   * fingerprint
   * @param hash SHA-256 of the file, by which `find` finds the load
   * @param description a title for people, such as the file name, and the mapping of the file. `at` is the
   * time of an earlier call that checked the lines
   * @throws {LoadRefused} if another process works on it, it is being undone, or another load is hidden
   */
  open(
    fingerprint: string,
    hash: string,
    description?: LoadDescription & { at?: string | undefined },
  ): Promise<ComparableLoad>;
  /**
   * Returns the load of a file in the state `storing` or `stored`. Until then the mapping can still change.
   */
  toContinue(hash: string): Promise<LoadStatus | undefined>;
  /** Returns all loads that can be undone or have been, the newest first. */
  all(): Promise<LoadStatus[]>;
  /** Returns the load to undo: by its id, or the last one of a file. */
  find(key: LoadKey): Promise<UndoableLoad | undefined>;
  /**
   * Returns the loads and undos that have lines left to store or erase, and the hidden load if there is one.
   */
  unfinished(): Promise<UnfinishedLoad[]>;
  /**
   * Stores generated lines, sorted by creation. In an empty organization, lists show all of them at once at
   * the end.
   * @param linesOf makes `count` lines, of which few are in memory at once
   */
  fill(count: number, linesOf: (start: FillStart) => Iterable<FillLine>, work: WorkCallbacks): Promise<void>;
  /** Returns the numbers of positions for lines that are older than the first create. */
  room(): Promise<HistoryRoom>;
}

/** Returns the load operations of one organization. */
export type OpenLoads = (organization: string) => Loads;

/**
 * Opens loads on a table, once for each process.
 * @param indexing given if the process has the rights on the list index; other processes wait for the index
 * function
 */
export function openLoads(
  table: Table,
  { indexing, ...sizes }: LoadSizes & { indexing?: Indexing } = {},
): OpenLoads {
  const stores = {
    testimonials: testimonialStore(table),
    index: indexStore(table),
    loads: loadStore(table),
    organizations: organizationStore(table),
    now: table.now,
    indexing,
  };
  return loadsOn(stores, sizes);
}

export interface LoadSizes {
  /** The number of lines whose positions are reserved at once. */
  linesPerBlock?: number | undefined;
  /** The number of testimonials of an undo in memory at once. */
  pageLength?: number | undefined;
}

/** Like `openLoads`, on any stores. */
export function loadsOn(stores: LoadStores, { linesPerBlock, pageLength }: LoadSizes = {}): OpenLoads {
  return (organization) => {
    const undoable = (load: NamedLoad<StartedRecord>): UndoableLoad => ({
      ...statusOf(load, stores.now()),
      hash: load.record.hash,
      end: (work) => endStoredLoad({ ...stores, ...work }, organization, load),
      preview: (work) => previewUndo({ ...stores, ...work, pageLength }, organization, load),
      undo: (work) => undoLoad({ ...stores, ...work, pageLength }, organization, load),
    });
    return {
      async open(fingerprint, hash, description) {
        const load = await openLoad(stores, organization, fingerprint, { hash, ...description });
        const { name, record } = load.claim;
        return {
          id: idOfLoad(name),
          at: load.at,
          ...(record && { earlier: statusOf({ name, record }, stores.now()) }),
          compare: (lines, { progress }, options) =>
            compareLines({ ...stores, progress }, load, lines, options),
          async check(lines, options, work) {
            const checked = await checkLines({ ...stores, ...work }, load, lines, options);
            return {
              result: await checkRoomAndDescribe(stores, checked),
              store: (which, later) => storeLoad({ ...stores, ...later, linesPerBlock }, checked, which),
            };
          },
        };
      },
      async find(key) {
        const load = await findLoad(stores.loads, organization, key);
        return load && undoable(load);
      },
      toContinue: (hash) => loadToContinue(stores, organization, hash),
      all: () => allLoads(stores, organization),
      unfinished: () => unfinishedLoads(stores, organization),
      fill: (count, linesOf, work) => fill({ ...stores, ...work }, organization, count, linesOf),
      room: async () => historyRoom(await stores.loads.positions(organization)),
    };
  };
}
