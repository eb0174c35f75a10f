/** An organization that files are imported into, by processes that a test can pause or end. */
import type { ImportDependencies, ImportOptions } from '../../lib/operator/import/import-dependencies.ts';
import { importFile } from '../../lib/operator/import/import-file.ts';
import {
  givenUp,
  type ImportJob,
  type ImportJobStore,
  isBeingUndone,
  isUnended,
} from '../../lib/operator/import/import-job.ts';
import {
  decodeLines,
  decodePlacement,
  encodeLines,
  encodePlacement,
  type Placement,
} from '../../lib/operator/import/placement.ts';
import {
  findUndoStep,
  lookAtUndo,
  refuseUndo,
  type UndoReport,
  undoImport,
} from '../../lib/operator/import/undo-import.ts';
import type { Backend } from './backend.ts';
import { inMemoryBackend } from './in-memory-backend.ts';
import { Process } from './process.ts';
import { createWorld } from './world.ts';

export type ImportWorld = Awaited<ReturnType<typeof createImportWorld>>;

/** @param backend in memory where it is absent */
export async function createImportWorld({
  backend = { ...inMemoryBackend(), jobs: importJobsInMemory() },
  linesABlock,
}: {
  backend?: Backend & { jobs: ImportJobStore };
  linesABlock?: number;
} = {}) {
  const world = await createWorld(backend);
  const steps: string[] = [];
  const again: string[] = [];
  const organizations: string[] = [];
  const importDependencies: ImportDependencies = {
    ...backend,
    organizations: { add: async (organization) => void organizations.push(organization) },
    now: world.now,
    progress: (done, total, step) => steps.push(`${done} of ${total} ${step}`),
    sleep: async (milliseconds) => world.advance(milliseconds),
    // Whether lines are there already is asked of lists, which have tests of their own.
    clock: () => 0,
    confirm: async ({ repeated, besideUnended }) => {
      if (repeated) again.push(`${repeated.there} of ${repeated.looked}`);
      if (besideUnended) again.push('beside another');
    },
    ...(linesABlock !== undefined && { linesABlock }),
  };
  const importInto = (deps: ImportDependencies, options: ImportedFile) =>
    importFile(deps, world.organization, {
      ...{ format: 'ndjson', map: {}, defaults: {}, roundRatings: false, dryRun: false, asNew: false },
      ...options,
    });
  const undoIn = async (
    deps: Pick<ImportDependencies, 'testimonials' | 'jobs' | 'now'>,
    file: string,
  ): Promise<UndoReport | undefined> => {
    const { testimonials, jobs, now } = deps;
    const pages = { testimonials, jobs, now, pageLength: 7 };
    const step = await findUndoStep(pages, world.organization, file);
    if (step.kind === 'end') return undefined;
    if (step.kind === 'refuse') return refuseUndo(step, { file, organization: world.organization });
    return undoImport(pages, world.organization, await lookAtUndo(pages, world.organization, step.of));
  };
  return {
    ...world,
    backend,
    /** What was told of progress. */
    steps,
    /** Where it was asked whether to store lines again. */
    again,
    /** The organizations that were named. */
    organizations,
    importDependencies,
    import: (options: ImportedFile, deps = importDependencies) => importInto(deps, options),
    /** An import that is paused before its first call. */
    beginImport: (options: ImportedFile) =>
      new Process('import', backend).begin((stores) =>
        importInto({ ...importDependencies, ...stores }, options),
      ),
    undo: (file: string) => undoIn({ ...importDependencies, ...backend }, file),
    /** An undo that is paused before its first call. */
    beginUndo: (file: string) =>
      new Process('undo', backend).begin((stores) => undoIn({ ...importDependencies, ...stores }, file)),
    contents: async () => (await world.stored()).map(({ testimonial }) => testimonial.content),
  };
}

type ImportedFile = Partial<ImportOptions> & { file: string };

function importJobsInMemory(): ImportJobStore {
  const jobs = new Map<string, ImportJob>();
  const placements = new Map<string, Placement>();
  return {
    unended: async () =>
      [...jobs].flatMap(([key, job]) =>
        isUnended(job) || isBeingUndone(job) ? { name: key.slice(key.indexOf(' ') + 1), job } : [],
      ),
    async giveUpOthers(_, own) {
      for (const [key, job] of jobs) {
        if (!isUnended(job) || key.endsWith(` ${own}`)) continue;
        jobs.set(key, { ...givenUp(job), revision: job.revision + 1 });
      }
    },
    find: async (organization, name) => jobs.get(`${organization} ${name}`),
    ofFile: async (organization, hash) =>
      [...jobs].flatMap(([key, job]) =>
        key.startsWith(`${organization} `) && job.hash === hash
          ? { name: key.slice(organization.length + 1), job }
          : [],
      ),
    async replace(organization, name, next) {
      const key = `${organization} ${name}`;
      if ((jobs.get(key)?.revision ?? 0) !== next.revision) return undefined;
      const job = { ...next, revision: next.revision + 1 };
      jobs.set(key, job);
      return job;
    },
    placements: async (organization) =>
      [...placements].filter(([key]) => key.startsWith(`${organization} `)).map(([, each]) => each),
    async addPlacement(organization, placement) {
      const key = `${organization} ${placement.number}`;
      // As they are stored.
      const stored = { ...placement, ...decodePlacement(encodePlacement(placement)) };
      if (!placements.has(key)) placements.set(key, stored);
      return placements.get(key)?.name === placement.name;
    },
    async freePlacement(organization, number, staying) {
      const key = `${organization} ${number}`;
      const placement = placements.get(key);
      if (placement) placements.set(key, { ...placement, staying: decodeLines(encodeLines(staying)) });
    },
  };
}
