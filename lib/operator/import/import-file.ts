/** Importing a file of testimonials: what `nextStep` says, one step after the other. */
import { ownCopyOf } from '../files/own-copy.ts';
import { readAsAgreed } from './agree-reading.ts';
import { carryOut, save } from './carry-out.ts';
import type { Source } from './check-file.ts';
import { type Begun, checkAll } from './check-import.ts';
import type { ImportDependencies, ImportOptions } from './import-dependencies.ts';
import { isUnended } from './import-job.ts';
import type { ImportReport, KnownImport } from './import-report.ts';
import { likelyRepeated } from './likely-repeated.ts';
import { type Doubts, type NextStep, nextStep, type Situation, type Surroundings } from './next-step.ts';
import type { Load } from './store-lines.ts';
import { keepsIds, placedLines, placementOf, placesFor } from './take-places.ts';

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
