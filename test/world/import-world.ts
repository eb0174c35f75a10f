/** An organization for imports, by processes that a test can pause or kill. */

import {
  type ImportJob,
  type ImportJobStore,
  idOfImport,
  usedBy,
} from '../../functions/testimonials/load/import-job.ts';
import type { Placement } from '../../functions/testimonials/load/positions.ts';
import {
  findUndoable,
  lookAtUndo,
  type Undo,
  undoImport,
} from '../../functions/testimonials/load/undo-import.ts';
import { decodePlacement, encodePlacement } from '../../functions/testimonials/table/load-store.ts';
import { readWhole } from '../../lib/operator/files/whole-file.ts';
import { noUndoText } from '../../lib/operator/import/report.ts';
import { type AskingDependencies, type ImportedFile, importFile } from '../import-file.ts';
import type { Backend } from './backend.ts';
import { inMemoryBackend } from './in-memory-backend.ts';
import { Process } from './process.ts';
import { createWorld } from './world.ts';

export type ImportWorld = Awaited<ReturnType<typeof createImportWorld>>;

export async function createImportWorld({
  backend = { ...inMemoryBackend(), jobs: importJobsInMemory() },
  linesPerBlock,
}: {
  backend?: Backend & { jobs: ImportJobStore };
  linesPerBlock?: number;
} = {}) {
  const world = await createWorld(backend);
  const steps: string[] = [];
  const again: string[] = [];
  const organizations: string[] = [];
  const importDependencies: AskingDependencies = {
    ...backend,
    organizations: { add: async (organization) => void organizations.push(organization) },
    now: world.now,
    progress: (done, total, step) => steps.push(`${done} of ${total} ${step}`),
    sleep: async (milliseconds) => world.advance(milliseconds),
    confirm: async ({ repeated }, { good }) => {
      if (repeated > 0) again.push(`${repeated} of ${good}`);
      return 'all';
    },
    ...(linesPerBlock !== undefined && { linesPerBlock }),
  };
  const importInto = (deps: AskingDependencies, options: ImportedFile) =>
    importFile(deps, world.organization, options);
  const undoIn = async (deps: AskingDependencies, what: Undone): Promise<Undo | undefined> => {
    const { organization } = world;
    const pages = { ...deps, progress: () => {}, pageLength: 7 };
    const found = await findUndoable(pages, organization, 'file' in what ? await readWhole(what.file) : what);
    if (found?.job.state === 'undone') return undefined;
    if (!found) throw new Error(noUndoText({ ...what, organization }));
    await lookAtUndo(pages, organization, found);
    return undoImport(pages, organization, found);
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
      new Map((await backend.jobs.all(world.organization)).map(({ name, job }) => [idOfImport(name), job])),
    contents: async () => (await world.stored()).map(({ testimonial }) => testimonial.content),
  };
}

type Undone = { file: string } | { id: string };

function importJobsInMemory(): ImportJobStore {
  const jobs = new Map<string, ImportJob>();
  const placements = new Map<number, Placement>();
  return {
    all: async () => Array.from(jobs, ([name, job]) => ({ name, job })),
    find: async (_, name) => jobs.get(name),
    async replace(_, name, next) {
      if ((jobs.get(name)?.revision ?? 0) !== next.revision) return undefined;
      const job = { ...next, revision: next.revision + 1 };
      jobs.set(name, job);
      return job;
    },
    placements: async () =>
      Array.from(placements.values(), (each) => ({ ...each, ...usedBy(jobs.get(each.name)) })),
    async addPlacement(_, placement) {
      const { number, name } = placement;
      // Encoded as in the table.
      const stored = { ...placement, ...decodePlacement(encodePlacement(placement)) };
      if (!placements.has(number)) placements.set(number, stored);
      return placements.get(number)?.name === name;
    },
    async freePlacement(_, number, staying) {
      const placement = placements.get(number);
      if (placement) placements.set(number, { ...placement, staying: [...staying] });
    },
  };
}
