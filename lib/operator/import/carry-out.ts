/** Doing the steps of an import, each as `nextStep` has decided it. */
import {
  awaitIndex,
  endLoad,
  generationAfter,
  type LoadDependencies,
  markLoad,
} from '../load/load-testimonials.ts';
import { counted } from '../terminal/formatting.ts';
import type { ImportDependencies } from './import-dependencies.ts';
import type { ImportJob, ImportJobStore, JobBeside, LineRules, PlacedJob } from './import-job.ts';
import type { KnownImport } from './import-report.ts';
import type { NextStep, Refusal, Situation } from './next-step.ts';
import { type Load, storeBeside, storePlaced } from './store-lines.ts';
import { placementOf, takePlaces } from './take-places.ts';

/** Another run of the same import has done all there was to do. */
class EndedElsewhere extends Error {
  readonly job: ImportJob;

  constructor(job: ImportJob) {
    super();
    this.job = job;
  }
}

export interface StepAt {
  step: NextStep;
  at: Situation;
  /** When the import began. */
  time: string;
  rules: LineRules;
  known: KnownImport;
}

/**
 * Does a step.
 * @returns how the situation is another one then
 */
export async function carryOut(
  deps: ImportDependencies,
  load: Load,
  { step, at, time, rules, known }: StepAt,
): Promise<Partial<Situation>> {
  const { organization, name, save: saved } = load;
  const { count } = at.file;
  const indexing = indexingOf(deps, count);
  try {
    switch (step.kind) {
      case 'refuse':
        throw refusal(step.why, load, at);
      case 'ask':
        await deps.confirm(step.doubts, known);
        // Run again, what was not ended would store the rest of its lines beside these.
        await deps.jobs.giveUpOthers(organization, name);
        return { isAgreed: true };
      case 'begin':
        await deps.organizations.add(organization);
        return { job: await saved({ count, time, revision: 0, hash: load.source.copy.hash, step: 'begun' }) };
      case 'place':
        return await place(indexing, load, { job: step.job, at, rules });
      case 'append':
        return { job: await saved({ ...step.job, count, step: 'storing', isPlaced: false, blocks: [] }) };
      case 'store':
        return { job: await saved(await store(indexing, load, step.job, at)) };
      case 'index': {
        const { job } = step;
        if (job.isPlaced) await endLoad(indexing, organization, job.generation ?? 0);
        else await awaitBlocks(indexing, organization, job);
        return { job: await saved({ ...job, step: 'ended' }) };
      }
      case 'end':
        return {};
    }
  } catch (error) {
    if (error instanceof EndedElsewhere) return { job: error.job };
    throw error;
  }
}

function indexingOf(deps: ImportDependencies, count: number): PlacingDependencies {
  return {
    ...deps,
    progress: (done, step) => deps.progress(Math.min(done, count), count, step),
  };
}

type PlacingDependencies = LoadDependencies & { jobs: ImportJobStore };

/** Takes the places of the lines. */
async function place(
  deps: PlacingDependencies,
  load: Load,
  { job, at, rules }: { job: ImportJob; at: Situation; rules: LineRules },
): Promise<Partial<Situation>> {
  const { organization, lines, save: saved } = load;
  const { count, isOfPast } = at.file;
  const { isEmpty: isFirst } = at.surroundings;
  const request = { ...lines, isEmpty: isFirst, rules, time: job.time };
  const placed = await takePlaces(deps, organization, load, request);
  if (placed === 'other load') throw refusal('other load', load, at);
  if (placed === 'created meanwhile') {
    // What has no times is created after it.
    if (!isOfPast) return { surroundings: { ...at.surroundings, isEmpty: false } };
    throw new Error(
      `A testimonial was created in ${organization} just now, and lines of the file are later: nothing is stored. Run it again.`,
    );
  }
  if ('lacking' in placed)
    throw refusal('no places', load, { surroundings: { ...at.surroundings, ...placed } });
  const { number } = placed;
  return { job: await saved({ ...job, count, step: 'storing', isPlaced: true, number, rules }) };
}

/** Stores the lines; returns the job as it is then. */
async function store(
  deps: PlacingDependencies,
  load: Load,
  job: PlacedJob | JobBeside,
  at: Situation,
): Promise<PlacedJob | JobBeside> {
  const { organization, name } = load;
  if (!job.isPlaced) return { ...(await storeBeside(load, job)), step: 'stored' };
  // A rebuild by hand may have shown what was stored, and taken the mark.
  if (!(await markLoad(deps, organization, name))) throw refusal('other load', load, at);
  await storePlaced(load, job, await placementOf(deps, organization, job));
  return { ...job, step: 'stored', generation: await generationAfter(deps, organization) };
}

/** Writes the job, where no other run is at it. */
export async function save<Job extends ImportJob>(
  { jobs }: ImportDependencies,
  load: Load,
  next: Job,
): Promise<Job> {
  const { organization, name } = load;
  const job = await jobs.replace(organization, name, next);
  if (job) return job;
  const there = await jobs.find(organization, name);
  if (there?.step === 'givenUp') throw new Error('This import was given up meanwhile, for another one.');
  if (there?.step === 'ended') throw new EndedElsewhere(there);
  throw refusal(there?.step === 'undoing' || there?.step === 'undone' ? 'undone' : 'same file', load);
}

function refusal(
  why: Refusal,
  { organization, source }: Load,
  { job, surroundings }: Partial<Pick<Situation, 'job' | 'surroundings'>> = {},
): Error {
  switch (why) {
    case 'other version':
      return new Error(
        `Another version of this program began to import ${source.file}, which took ${job?.count} of its lines: end it with that.`,
      );
    case 'same file':
      return new Error(
        'The same file is being imported by somebody else: run this again when that has ended.',
      );
    case 'undone':
      return new Error(
        `${source.file} is being undone: let that end first; where it was stopped, undo it again (--undo).`,
      );
    case 'other load':
      return new Error(
        `Another import or a seed of ${organization} has not ended: wait for it, or run it again where it was stopped, or show what it stored by index rebuild --organization ${organization}.`,
      );
    case 'no places':
      return new Error(
        `${counted(surroundings?.lacking ?? 0, 'line')} of ${source.file} find no place between those of earlier imports: nothing is stored. Leave some out that are of about the same time, or take --as-new to create all of them now.`,
      );
  }
}

async function awaitBlocks(
  deps: LoadDependencies,
  organization: string,
  { blocks }: JobBeside,
): Promise<void> {
  const from = blocks[0]?.ordinal ?? 1;
  const to = blocks.reduce((last, { ordinal, count }) => Math.max(last, ordinal + count - 1), 0);
  await awaitIndex(deps, organization, { from, to });
}
