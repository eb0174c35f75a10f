/** An organization for imports, by processes that a test can pause or kill. */

import type { UndoResult } from '../../functions/domain/loads.ts';
import { ownIndexing } from '../../functions/testimonials/list-index/write/indexing.ts';
import {
  highWaterIfUndone,
  idOfLoad,
  type LoadRecord,
  type LoadStore,
} from '../../functions/testimonials/load/load-record.ts';
import type { ReservedPositions } from '../../functions/testimonials/load/positions.ts';
import { loadsOn } from '../../functions/testimonials/loads.ts';
import { decodePositions, encodePositions } from '../../functions/testimonials/table/load-store.ts';
import { readWhole } from '../../lib/operator/files/whole-file.ts';
import { noUndoText } from '../../lib/operator/import/command-texts.ts';
import { explained, type ImportDependencies, type ImportedFile, importFile } from '../import-file.ts';
import type { Backend } from './backend.ts';
import { inMemoryBackend } from './in-memory-backend.ts';
import { Process } from './process.ts';
import { createWorld } from './world.ts';

export type ImportWorld = Awaited<ReturnType<typeof createImportWorld>>;

export async function createImportWorld({
  backend = { ...inMemoryBackend(), loads: loadsInMemory() },
  linesPerBlock,
}: {
  backend?: Backend & { loads: LoadStore };
  linesPerBlock?: number;
} = {}) {
  const world = await createWorld(backend);
  const steps: string[] = [];
  const again: string[] = [];
  const organizations: string[] = [];
  const importDependencies: ImportDependencies = {
    indexing: ownIndexing,
    ...backend,
    organizations: { add: async (organization) => void organizations.push(organization) },
    now: world.now,
    progress: (done, total, phase) => steps.push(`${done} of ${total} ${phase}`),
    sleep: async (milliseconds) => world.advance(milliseconds),
    confirm: async ({ repeated, good }) => {
      if (repeated > 0) again.push(`${repeated} of ${good}`);
      return 'all';
    },
    ...(linesPerBlock !== undefined && { linesPerBlock }),
  };
  const importInto = (deps: ImportDependencies, options: ImportedFile) =>
    importFile(deps, world.organization, options);
  const undoIn = async (deps: ImportDependencies, what: Undone): Promise<UndoResult | undefined> => {
    const { organization } = world;
    const work = { ...deps, progress: () => {} };
    const wanted = 'file' in what ? await readWhole(what.file) : what;
    return explained(async () => {
      const load = await loadsOn(deps, { pageLength: 7 })(organization).find(wanted);
      if (load?.state === 'undone') return undefined;
      if (!load) throw new Error(noUndoText({ ...what, organization }));
      await load.preview(work);
      return load.undo(work);
    });
  };
  return {
    ...world,
    backend,
    /** The reported progress. */
    steps,
    /** The questions whether to store lines again. */
    again,
    /** The registered organizations. */
    organizations,
    importDependencies,
    import: (options: ImportedFile, deps = importDependencies) => importInto(deps, options),
    /** Begins an import, paused before its first call. */
    beginImport: (options: ImportedFile) =>
      new Process('import', backend).begin((stores) =>
        importInto({ ...importDependencies, ...stores }, options),
      ),
    undo: (file: string) => undoIn(importDependencies, { file }),
    undoById: (id: string) => undoIn(importDependencies, { id }),
    /** Begins an undo, paused before its first call. */
    beginUndo: (what: Undone) =>
      new Process('undo', backend).begin((stores) => undoIn({ ...importDependencies, ...stores }, what)),
    /** Returns the imports by their ids. */
    imports: async () =>
      new Map(
        (await backend.loads.all(world.organization)).map(({ name, record }) => [idOfLoad(name), record]),
      ),
    contents: async () => (await world.stored()).map(({ testimonial }) => testimonial.content),
  };
}

type Undone = { file: string } | { id: string };

export function loadsInMemory(): LoadStore {
  const records = new Map<string, LoadRecord>();
  const reserved = new Map<number, ReservedPositions>();
  return {
    all: async () => Array.from(records, ([name, record]) => ({ name, record })),
    find: async (_, name) => records.get(name),
    async replace(_, name, next) {
      if ((records.get(name)?.revision ?? 0) !== next.revision) return undefined;
      const record = { ...next, revision: next.revision + 1 };
      records.set(name, record);
      return record;
    },
    positions: async () =>
      Array.from(reserved.values(), (each) => ({ ...each, ...highWaterIfUndone(records.get(each.name)) })),
    async addPositions(_, positions) {
      const { number, name } = positions;
      // Encoded as in the table.
      const stored = { ...positions, ...decodePositions(encodePositions(positions)) };
      if (!reserved.has(number)) reserved.set(number, stored);
      return reserved.get(number)?.name === name;
    },
    async storeKeptRanks(_, number, keptRanks) {
      const positions = reserved.get(number);
      if (positions) reserved.set(number, { ...positions, keptRanks: [...keptRanks] });
    },
  };
}
