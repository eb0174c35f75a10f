/** What an import is about to do, by what its file says and what is there. Nothing is written. */
import type { CounterValue, OrganizationStore } from '../../../functions/domain/stores.ts';
import { counterIfErased, isEmpty, type LoadDependencies } from '../load/load-testimonials.ts';
import { type CheckedFile, checkFile } from './check-file.ts';
import { type ImportJobStore, isClaimed, isStored, isUnended, type StoredImport } from './import-job.ts';
import type { ImportRun } from './import-run.ts';
import type { ImportedLine, LineRules } from './imported-line.ts';
import type { ProposedSource } from './interpretation.ts';
import { decodeAscending } from './placement.ts';
import { type LineOrders, mostOfPast, ordersOf } from './places.ts';
import { linesTwice, repeatedLines } from './repeated-lines.ts';

export interface ImportDependencies extends Omit<LoadDependencies, 'progress'> {
  jobs: ImportJobStore;
  organizations: Pick<OrganizationStore, 'add'>;
  /** @param total 0 where it is not known */
  progress: (done: number, total: number, step: 'checked' | 'compared' | 'stored' | 'indexed') => void;
  /** Lines whose places are taken at once, at least. */
  linesABlock?: number;
}

/** Why lines may not be meant to be stored as they are, besides those that are refused, and guesses. */
export interface Doubts {
  /** So many of them are there already, or stand in the file before. */
  repeated: number;
  /** Those that stand in the file before. */
  twice: number;
  /** Imports that were stopped, and are given up for this one. */
  unended: readonly StoredImport[];
  /** Refused lines cannot be imported with their times afterwards. */
  endsPast: boolean;
}

export interface Plan {
  source: ProposedSource;
  checked: CheckedFile;
  /** By which lines are good. */
  rules: LineRules;
  /** When the import began, ISO 8601: the createdAt of lines that have none. */
  time: string;
  standing: Standing;
  /** Good lines that are there already or stand in the file before, by their numbers. */
  repeated: readonly number[];
  /** Absent where there are none. */
  doubts?: Doubts;
  /** Good lines that are left out, by their numbers. */
  leftOut: readonly number[];
  /** The others, in their orders. */
  orders: LineOrders;
  /** They have times of the past, which are kept. */
  isOfPast: boolean;
}

/** What is in an organization before an import. */
interface Standing {
  /** Nothing was ever stored there. */
  isEmpty: boolean;
  /** What was counted, where all that was stored is erased. */
  emptied?: CounterValue;
  /** Otherwise, what no line of the past may be later than. */
  end?: Pick<LineRules, 'latest'>;
}

/**
 * Checks all lines, by the same rules in each run of an import, and looks at the organization.
 * @throws where another load has not ended
 */
export async function planOf(
  deps: ImportDependencies,
  { organization, name, job }: ImportRun,
  source: ProposedSource,
): Promise<Plan> {
  const time = job?.time ?? deps.now().toISOString();
  const load = job ? name : (await deps.index.readHead(organization))?.load;
  if (load !== undefined && load !== name) throw otherLoad(organization);
  // Whoever has places stands where it stands.
  const standing =
    !job || job.state === 'begun' ? await standingOf(deps, organization, name) : { isEmpty: false };
  const end = source.asNew ? undefined : standing.end;
  const progress = (lines: number) => deps.progress(lines, 0, 'checked');
  const check = (by: LineRules) => checkFile(source, by, { now: new Date(time), progress });
  let rules = job && 'rules' in job ? job.rules : { areDated: false, ...end };
  let checked = await check(rules);
  const dated = checked.lines.filter(({ createdAt }) => createdAt !== undefined).length;
  // Lines without a time would be created now, and cannot stand among the others.
  if (end && dated > 0 && dated < checked.lines.length) {
    rules = { ...rules, areDated: true };
    checked = await check(rules);
  }
  const looked = { source, time, standing, rules, checked, repeated: [] };
  const leftOut = job?.leftOut && decodeAscending(job.leftOut)[0];
  return job ? withLines(looked, leftOut ?? []) : compared(deps, organization, looked);
}

/** The error where another load has marked the organization. */
export function otherLoad(organization: string): Error {
  return new Error(
    `Another import or a seed of ${organization} has not ended: wait for it, or run it again where it was stopped, or show what it stored by index rebuild --organization ${organization}.`,
  );
}

async function standingOf(deps: ImportDependencies, organization: string, name: string): Promise<Standing> {
  if (await isEmpty(deps, organization, name)) return { isEmpty: true };
  const before = await counterIfErased(deps, organization);
  if (before) return { isEmpty: false, emptied: before };
  const { firstTime } = (await deps.testimonials.readCounter(organization)) ?? {};
  return { isEmpty: false, end: firstTime === undefined ? {} : { latest: firstTime } };
}

type Looked = Omit<Plan, 'leftOut' | 'orders' | 'isOfPast'>;

/** The plan of an import that has not begun: with lines that are there already or stand twice, and imports that were stopped. */
async function compared(deps: ImportDependencies, organization: string, looked: Looked): Promise<Plan> {
  const { source, standing, checked } = looked;
  const lines = goodLines(looked);
  const twice = linesTwice(lines);
  const there = standing.end
    ? await repeatedLines(deps.testimonials, organization, lines, (read) =>
        deps.progress(read, 0, 'compared'),
      )
    : [];
  const repeated = [...new Set([...there, ...twice])].sort((a, b) => a - b);
  const isAsked = repeated.length > 0 && !source.onlyNew;
  const doubts = {
    ...{ repeated: isAsked ? repeated.length : 0, twice: isAsked ? twice.length : 0 },
    unended: standing.end ? await stoppedImports(deps, organization) : [],
    endsPast: standing.isEmpty && !source.asNew && checked.lines.length > mostOfPast && checked.refused > 0,
  };
  const isDoubtful = isAsked || doubts.unended.length > 0 || checked.refused > 0 || source.proposal;
  const plan = withLines({ ...looked, repeated }, source.onlyNew ? repeated : []);
  return isDoubtful && plan.orders.lines.length > 0 ? { ...plan, doubts } : plan;
}

async function stoppedImports({ jobs, now }: ImportDependencies, organization: string) {
  const isStopped = (each: StoredImport) =>
    isUnended(each) && each.job.state === 'storing' && !isClaimed(each.job, now());
  return (await jobs.all(organization)).filter(isStored).filter(isStopped);
}

/** The same with all good lines but some. */
export function withLines(plan: Looked, leftOut: readonly number[]): Plan {
  const { source, time } = plan;
  const isLeftOut = new Set(leftOut);
  const others = goodLines(plan).filter((_, number) => !isLeftOut.has(number));
  const lines = source.asNew ? others.map(asNewLine) : others;
  const isOfPast = lines.some(({ createdAt }) => createdAt !== undefined);
  return { ...plan, leftOut, isOfPast, orders: ordersOf(lines, Date.parse(time)) };
}

/** The good lines of a file, in the order in which they are stored: as new, that of their times. */
function goodLines({ source, checked: { lines } }: Looked): readonly ImportedLine[] {
  if (!source.asNew) return lines;
  return ordersOf(lines, 0).order.createdAt.flatMap((number) => lines[number] ?? []);
}

/** What a line says, but for what it was: it is created now. */
function asNewLine({ createdAt, updatedAt, updateOrdinal, id, ...line }: ImportedLine): ImportedLine {
  return line;
}
