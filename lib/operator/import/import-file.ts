/** Importing a file of testimonials: what `nextStep` says, one step after the other. */
import type { OrganizationStore } from '../../../functions/domain/stores.ts';
import { firstPlace } from '../../../functions/domain/testimonial-order.ts';
import { ownCopyOf } from '../files/own-copy.ts';
import {
  awaitIndex,
  endLoad,
  generationAfter,
  isEmpty,
  type LoadDependencies,
  markLoad,
} from '../load/load-testimonials.ts';
import { counted } from '../terminal/formatting.ts';
import { type ReadingDependencies, readAsAgreed } from './agree-reading.ts';
import { type CheckedFile, checkFile, type FileOptions, fingerprintOf, type Source } from './check-file.ts';
import {
  type ImportJob,
  type ImportJobStore,
  isUnended,
  type JobBeside,
  type LineRules,
  type PlacedJob,
} from './import-job.ts';
import type { ImportReport, KnownImport } from './import-report.ts';
import { likelyRepeated } from './likely-repeated.ts';
import {
  type Doubts,
  type NextStep,
  nextStep,
  type Refusal,
  type Situation,
  type Surroundings,
} from './next-step.ts';
import type { Proposal } from './propose-reading.ts';
import { type RejectedLines, rejectedLines } from './rejected-lines.ts';
import { lastRound } from './rounds.ts';
import { type Load, storeBeside, storePlaced } from './store-lines.ts';
import { keepsIds, placedLines, placementOf, placesFor, takePlaces } from './take-places.ts';

export interface ImportDependencies extends Omit<LoadDependencies, 'progress'>, ReadingDependencies {
  jobs: ImportJobStore;
  organizations: Pick<OrganizationStore, 'add'>;
  progress: (done: number, total: number, step: 'read' | 'checked' | 'stored' | 'indexed') => void;
  /**
   * Asked before lines are stored that may not be meant to be stored as they are.
   * @throws when they are not to be stored
   */
  confirm: (doubts: Doubts, report: KnownImport) => Promise<void>;
  clock?: () => number;
  /** Lines whose places are taken at once, at least. */
  linesABlock?: number;
}

export interface ImportOptions extends FileOptions {
  /** Tells what would happen, and does nothing. */
  dryRun: boolean;
  /** All lines are created now, whatever their times; in the order of these. */
  asNew: boolean;
}

/** Another run of the same import has done all there was to do. */
class EndedElsewhere extends Error {
  readonly job: ImportJob;

  constructor(job: ImportJob) {
    super();
    this.job = job;
  }
}

/**
 * Imports a file, or what of it an earlier run that was stopped did not. Nothing is stored twice, however often it is
 * stopped and started. What is stored comes from a copy of the file: that may change meanwhile.
 */
export async function importFile(
  deps: ImportDependencies,
  organization: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const onBytes = (bytes: number, size: number) => deps.progress(bytes, size, 'read');
  const copy = await ownCopyOf(options.file, onBytes);
  try {
    const { source, proposal } = await readAsAgreed(deps, { ...options, copy });
    const begun = { ...(await checkAll(deps, organization, source)), ...(proposal && { proposal }) };
    try {
      return await importChecked(deps, organization, source, begun);
    } finally {
      begun.rejected.discard();
    }
  } finally {
    copy.discard();
  }
}

/** A file that was checked, for an import that was begun before or now. */
interface Begun {
  /** How it could be read better. */
  proposal?: Proposal;
  name: string;
  job: ImportJob | undefined;
  /** When it began, ISO 8601. */
  time: string;
  /** Nothing was ever stored in the organization. */
  isEmpty: boolean;
  rules: LineRules;
  checked: CheckedFile;
  rejected: RejectedLines;
}

/** Checks all lines; by the same rules in each run of an import. */
async function checkAll(
  deps: ImportDependencies,
  organization: string,
  source: Source & ImportOptions,
): Promise<Begun> {
  const { copy, asNew, file } = source;
  const fingerprint = fingerprintOf(source, asNew ? 'as new' : 'as it was');
  const { name, job } = await lastRound(deps, organization, fingerprint);
  const time = job?.time ?? deps.now().toISOString();
  const isOpen = !job || job.step === 'begun';
  const isFirst = isOpen && (await isEmpty(deps, organization, name));
  const own =
    job && 'rules' in job
      ? job.rules
      : { areDated: false, ...(isOpen && !isFirst && !asNew && (await latestOf(deps, organization))) };
  const check = async (rules: LineRules) => {
    const rejected = rejectedLines(file);
    const onBytes = (bytes: number) => deps.progress(bytes, copy.size, 'checked');
    const checked = await checkFile(source, rules, { now: new Date(time), rejected, onBytes });
    return { name, job, time, isEmpty: isFirst, rules, checked, rejected };
  };
  const begun = await check(own);
  const { dated, times } = begun.checked;
  const isMixed = isOpen && !isFirst && !asNew && dated > 0 && dated < times.createdAt.length;
  if (!isMixed) return begun;
  // Those without a time would be created now, and cannot stand among the others.
  begun.rejected.discard();
  return check({ ...own, areDated: true });
}

/** What no line of the past may be later than. */
async function latestOf(
  { testimonials }: Pick<ImportDependencies, 'testimonials'>,
  organization: string,
): Promise<Pick<LineRules, 'latest' | 'isChange'>> {
  const { firstTime, ordinal = 0 } = (await testimonials.counted(organization)) ?? {};
  if (firstTime === undefined) return {};
  return { latest: firstTime, ...(ordinal < firstPlace && { isChange: true }) };
}

async function importChecked(
  deps: ImportDependencies,
  organization: string,
  source: Source & ImportOptions,
  begun: Begun,
): Promise<ImportReport> {
  const { dryRun, asNew } = source;
  const { name, job, time, rules, checked, rejected, proposal } = begun;
  const wasImported = job?.step === 'ended' || job?.step === 'givenUp';
  const lines = placedLines(checked.times, asNew);
  const isOfPast = checked.dated > 0 && !asNew;
  const load: Load = {
    ...{ deps, organization, source, asNew, name, lines },
    save: (next) => save(deps, load, next),
  };
  const surroundings = await look(deps, load, begun, isOfPast);
  let at: Situation = {
    ...{ job, surroundings, dryRun, isAgreed: false },
    file: { count: checked.times.createdAt.length, isOfPast },
  };
  const { refused, firstRefused, columns, hasIds } = checked;
  let known: KnownImport = {
    ...{ good: at.file.count, refused, firstRefused },
    ...(proposal && { proposal }),
  };
  const advance = async (step: NextStep) => {
    at = { ...at, ...(await carryOut(deps, load, { step, at, time, rules, known })) };
  };
  const first = nextStep(at);
  // Before anything is written.
  if (first.kind === 'refuse') await advance(first);
  // What an import that has ended refused was told then.
  const rejectedFile = wasImported ? undefined : rejected.keep();
  known = { ...known, ...(rejectedFile !== undefined && { rejectedFile }) };
  for (let next = nextStep(at); next.kind !== 'end'; next = nextStep(at)) await advance(next);

  const { repeated } = surroundings.doubts ?? {};
  return {
    ...{ ...known, keepsHistory: isOfPast, wasImported },
    ...(asNew && { asNew: true }),
    ...(job?.step === 'givenUp' && { wasGivenUp: true }),
    ...(repeated && { repeated }),
    ...(columns && { columns }),
    ...(hasIds && { ids: (await keepsItsIds(deps, load, at, begun)) ? 'kept' : 'replaced' }),
  };
}

/** Whether the lines have the ids of the file, or would have them. */
async function keepsItsIds(
  deps: Pick<ImportDependencies, 'jobs'>,
  { organization, lines }: Load,
  { job }: Situation,
  begun: Begun,
): Promise<boolean> {
  if (job && 'isPlaced' in job)
    return job.isPlaced && keepsIds(await placementOf(deps, organization, job), lines);
  const { found } = await placesFor(deps, organization, { ...lines, ...begun });
  return begun.isEmpty && 'places' in found && keepsIds(found, lines);
}

/** Looks at the organization, as far as that still decides something. */
async function look(
  deps: ImportDependencies,
  { organization, name, lines }: Load,
  begun: Begun,
  isOfPast: boolean,
): Promise<Surroundings> {
  const { jobs, index } = deps;
  const { job, checked, proposal, isEmpty: isFirst } = begun;
  const nothing = { isEmpty: false, isLoading: false, isBegunElsewhere: false, lacking: 0 };
  if (job && job.step !== 'begun') return nothing;
  if (!job && (await index.readHead(organization))?.load !== undefined) {
    return { ...nothing, isLoading: true, isBegunElsewhere: !!(await jobs.find(organization, name)) };
  }
  const { found } = isOfPast
    ? await placesFor(deps, organization, { ...lines, ...begun })
    : { found: { lacking: 0 } };
  const lacking = 'lacking' in found ? found.lacking : 0;
  if (job) return { ...nothing, lacking, isEmpty: isFirst };
  const repeated = isFirst ? undefined : await likelyRepeated(deps, organization, checked.sample);
  const unended = isFirst ? [] : (await jobs.unended(organization)).filter(({ job }) => isUnended(job));
  const doubts: Doubts = {
    ...{ repeated, besideUnended: unended.length > 0 },
    ...{ hasRefused: checked.refused > 0, hasLost: (proposal?.lost.length ?? 0) > 0 },
  };
  return {
    ...{
      ...nothing,
      lacking,
      isEmpty: isFirst,
      isBegunElsewhere: unended.some((each) => each.name === name),
    },
    ...(Object.values(doubts).some(Boolean) && { doubts }),
  };
}

interface StepAt {
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
async function carryOut(
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
async function save<Job extends ImportJob>(
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
