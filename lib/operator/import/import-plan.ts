/** What an import is about to do, by what its file says and what is there. Nothing is written. */
import type { Counted } from '../../../functions/domain/stores.ts';
import { firstPlace } from '../../../functions/domain/testimonial-order.ts';
import { emptied, isEmpty, type LoadDependencies } from '../load/load-testimonials.ts';
import { type CheckedFile, checkFile, type FileOptions, type Source } from './check-file.ts';
import {
  type ImportJob,
  type ImportJobStore,
  isClaimed,
  isStored,
  isUnended,
  type LineRules,
  type StoredImport,
} from './import-job.ts';
import type { ImportedLine } from './imported-line.ts';
import type { Proposal } from './propose-reading.ts';
import { repeatedLines } from './repeated-lines.ts';
import { inOrderOfTimes, type PlaceRequest, placedLines } from './take-places.ts';

export interface PlanDependencies extends Pick<LoadDependencies, 'testimonials' | 'index' | 'now'> {
  jobs: ImportJobStore;
  /** @param total 0 where it is not known */
  progress: (done: number, total: number, step: 'checked' | 'compared') => void;
}

export interface ImportOptions extends FileOptions {
  /** Tells what would happen, and does nothing. */
  dryRun: boolean;
  /** All lines are created now, whatever their times; in the order of these. */
  asNew: boolean;
  /** Lines that are there already are left out. */
  onlyNew: boolean;
}

/** A file to import, and how it could be read better. */
export interface ImportSource extends Source, ImportOptions {
  proposal?: Proposal;
}

/** Why lines may not be meant to be stored as they are. */
export interface Doubts {
  /** So many of them are there already. */
  repeated: number;
  /** Imports that were stopped, and are given up for this one. */
  unended: StoredImport[];
  /** Others are refused. */
  hasRefused: boolean;
  /** Columns that look like fields are left out. */
  hasLost: boolean;
}

export interface Plan {
  source: ImportSource;
  /** When the import began, ISO 8601. */
  time: string;
  checked: CheckedFile;
  rules: LineRules;
  standing: Standing;
  /** Good lines that are there already. */
  repeated: readonly number[];
  /** Present where there are some. */
  doubts?: Doubts;
}

/** What is in an organization before an import. */
interface Standing {
  /** Nothing was ever stored there. */
  isEmpty: boolean;
  /** What was counted, where all that was stored is erased. */
  emptied?: Counted;
  /** Otherwise, what no line of the past may be later than. */
  end?: Pick<LineRules, 'latest' | 'isChange'>;
}

// Of an import that has its places already.
const anyStanding: Standing = { isEmpty: false };

/**
 * Checks all lines, by the same rules in each run of an import, and looks at the organization.
 * @throws where another load has not ended
 */
export async function planOf(
  deps: PlanDependencies,
  organization: string,
  { name, job }: { name: string; job?: ImportJob | undefined },
  source: ImportSource,
): Promise<Plan> {
  const time = job?.time ?? deps.now().toISOString();
  const load = job ? name : (await deps.index.readHead(organization))?.load;
  if (load !== undefined && load !== name) throw new Error(otherLoad(organization));
  const isOpen = !job || job.step === 'begun';
  const standing = isOpen ? await standingOf(deps, organization, name) : anyStanding;
  const { end } = standing;
  const check = async (rules: LineRules) => {
    const progress = (lines: number) => deps.progress(lines, 0, 'checked');
    return { rules, checked: await checkFile(source, rules, { now: new Date(time), progress }) };
  };
  const rules = job && 'rules' in job ? job.rules : { areDated: false, ...(!source.asNew && end) };
  let found = await check(rules);
  const dated = found.checked.lines.filter(({ createdAt }) => createdAt !== undefined).length;
  // Those without a time would be created now, and cannot stand among the others.
  if (end && !source.asNew && dated > 0 && dated < found.checked.lines.length)
    found = await check({ ...rules, areDated: true });
  const plan = { ...{ source, time, standing, repeated: [] }, ...found };
  return job || !end ? withDoubts(plan) : compared(deps, organization, plan);
}

/** What is said where another load has marked the organization. */
export function otherLoad(organization: string): string {
  return `Another import or a seed of ${organization} has not ended: wait for it, or run it again where it was stopped, or show what it stored by index rebuild --organization ${organization}.`;
}

async function standingOf(deps: PlanDependencies, organization: string, name: string): Promise<Standing> {
  if (await isEmpty(deps, organization, name)) return { isEmpty: true };
  const before = await emptied(deps, organization);
  if (before) return { isEmpty: false, emptied: before };
  const { firstTime, ordinal = 0 } = (await deps.testimonials.counted(organization)) ?? {};
  if (firstTime === undefined) return { isEmpty: false, end: {} };
  return { isEmpty: false, end: { latest: firstTime, ...(ordinal < firstPlace && { isChange: true }) } };
}

function withDoubts(plan: Plan, unended: StoredImport[] = []): Plan {
  const { source, checked, repeated } = plan;
  const doubts = {
    ...{ repeated: source.onlyNew ? 0 : repeated.length, unended },
    ...{ hasRefused: checked.refused > 0, hasLost: (source.proposal?.lost.length ?? 0) > 0 },
  };
  const isNone = doubts.repeated + unended.length === 0 && !doubts.hasRefused && !doubts.hasLost;
  return isNone ? plan : { ...plan, doubts };
}

/** Compares the lines with what is there. */
async function compared(deps: PlanDependencies, organization: string, plan: Plan): Promise<Plan> {
  const imports = await deps.jobs.all(organization);
  const importTimes = new Set(imports.map(({ job }) => Date.parse(job.time)));
  const onRead = (read: number) => deps.progress(read, 0, 'compared');
  const lines = goodLines(plan);
  const repeated = await repeatedLines(deps.testimonials, organization, lines, { importTimes, onRead });
  const now = deps.now();
  const stopped = imports.filter(isStored).filter((each) => isUnended(each) && each.job.step === 'storing');
  return withDoubts(
    { ...plan, repeated },
    stopped.filter(({ job }) => !isClaimed(job, now)),
  );
}

/** The good lines of a file, in the order in which they are stored. */
function goodLines({ source, checked }: Plan): readonly ImportedLine[] {
  return source.asNew ? inOrderOfTimes(checked.lines) : checked.lines;
}

/** The lines that are stored, and what decides where. */
export interface PlannedLines extends PlaceRequest {
  file: string;
  lines: readonly ImportedLine[];
  /** Good lines that are not, by their numbers. */
  leftOut: readonly number[];
  /** They have times of the past, which are kept. */
  isOfPast: boolean;
}

export function linesOf(plan: Plan, leftOut: readonly number[]): PlannedLines {
  const { source, rules, standing, time } = plan;
  const isLeftOut = new Set(leftOut);
  const others = goodLines(plan).filter((_, number) => !isLeftOut.has(number));
  const lines = source.asNew ? others.map(asNewLine) : others;
  return {
    ...{
      file: source.file,
      lines,
      leftOut,
      isOfPast: lines.some(({ createdAt }) => createdAt !== undefined),
    },
    ...{ ...placedLines(lines), ...standing, rules, time },
  };
}

/** What a line says, but for what it was: it is created now. */
function asNewLine({
  createdAt: _,
  updatedAt: __,
  updateOrdinal: ___,
  id: ____,
  ...line
}: ImportedLine): ImportedLine {
  return line;
}
