/** What an import is about to do, by what its file says and what is there. Nothing is written. */
import type { Counted, OrganizationStore } from '../../../functions/domain/stores.ts';
import { firstPlace } from '../../../functions/domain/testimonial-order.ts';
import { emptied, isEmpty, type LoadDependencies } from '../load/load-testimonials.ts';
import { type CheckedFile, checkFile, type FileOptions, type Source } from './check-file.ts';
import {
  type ImportJobStore,
  isClaimed,
  isStored,
  isUnended,
  type MaybeBegun,
  type StoredImport,
} from './import-job.ts';
import type { ImportedLine, LineRules } from './imported-line.ts';
import { decodeAscending } from './placement.ts';
import { type LineOrders, mostOfPast, ordersOf } from './places.ts';
import type { Proposal } from './propose-reading.ts';
import { linesTwice, repeatedLines } from './repeated-lines.ts';

export interface ImportDependencies extends Omit<LoadDependencies, 'progress'> {
  jobs: ImportJobStore;
  organizations: Pick<OrganizationStore, 'add'>;
  /** @param total 0 where it is not known */
  progress: (done: number, total: number, step: 'checked' | 'compared' | 'stored' | 'indexed') => void;
  /** Lines whose places are taken at once, at least. */
  linesABlock?: number;
}

export interface ImportOptions extends FileOptions {
  /** All lines are created now, whatever their times; in the order of these. */
  asNew: boolean;
  /** Lines that are there already are left out. */
  onlyNew: boolean;
}

/** Why lines may not be meant to be stored as they are. */
export interface Doubts {
  /** So many of them are there already, or stand in the file before. */
  repeated: number;
  /** Those that stand in the file before. */
  twice: number;
  /** They are read as it was guessed. */
  isGuessed: boolean;
  /** Imports that were stopped, and are given up for this one. */
  unended: StoredImport[];
  /** Refused lines cannot be imported with their times afterwards. */
  endsPast: boolean;
}

export interface Plan {
  /** The file, and how it is proposed to be read, where that was not told: so it is. */
  source: Source & ImportOptions & { proposal?: Proposal };
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
  emptied?: Counted;
  /** Otherwise, what no line of the past may be later than. */
  end?: Pick<LineRules, 'latest' | 'isChange'>;
}

/**
 * Checks all lines, by the same rules in each run of an import, and looks at the organization.
 * @throws where another load has not ended
 */
export async function planOf(
  deps: ImportDependencies,
  organization: string,
  { name, job }: MaybeBegun,
  source: Plan['source'],
): Promise<Plan> {
  const time = job?.time ?? deps.now().toISOString();
  const load = job ? name : (await deps.index.readHead(organization))?.load;
  if (load !== undefined && load !== name) throw otherLoad(organization);
  // Whoever has places stands where it stands.
  const standing =
    !job || job.step === 'begun' ? await standingOf(deps, organization, name) : { isEmpty: false };
  const end = source.asNew ? undefined : standing.end;
  const check = async (rules: LineRules) => {
    const progress = (lines: number) => deps.progress(lines, 0, 'checked');
    return { rules, checked: await checkFile(source, rules, { now: new Date(time), progress }) };
  };
  let found = await check(job && 'rules' in job ? job.rules : { areDated: false, ...end });
  const dated = found.checked.lines.filter(({ createdAt }) => createdAt !== undefined).length;
  // Lines without a time would be created now, and cannot stand among the others.
  if (end && dated > 0 && dated < found.checked.lines.length)
    found = await check({ ...found.rules, areDated: true });
  const looked = { source, time, standing, ...found };
  const { unended, ...twins } = job ? nothing : await compared(deps, organization, looked);
  const repeated = [...new Set([...twins.there, ...twins.twice])].sort((a, b) => a - b);
  const doubts = doubtsOf(looked, source.onlyNew ? [] : repeated, twins.twice.length, unended);
  const leftOut = job?.leftOut ? decodeAscending(job.leftOut)[0] : source.onlyNew ? repeated : [];
  return withLines({ ...looked, repeated, ...(!job && doubts && { doubts }) }, leftOut ?? []);
}

const nothing = { there: [], twice: [], unended: [] };

/** The error where another load has marked the organization. */
export function otherLoad(organization: string): Error {
  return new Error(
    `Another import or a seed of ${organization} has not ended: wait for it, or run it again where it was stopped, or show what it stored by index rebuild --organization ${organization}.`,
  );
}

async function standingOf(deps: ImportDependencies, organization: string, name: string): Promise<Standing> {
  if (await isEmpty(deps, organization, name)) return { isEmpty: true };
  const before = await emptied(deps, organization);
  if (before) return { isEmpty: false, emptied: before };
  const { firstTime, ordinal = 0 } = (await deps.testimonials.counted(organization)) ?? {};
  if (firstTime === undefined) return { isEmpty: false, end: {} };
  return { isEmpty: false, end: { latest: firstTime, ...(ordinal < firstPlace && { isChange: true }) } };
}

type Looked = Pick<Plan, 'source' | 'time' | 'standing' | 'rules' | 'checked'>;

/** Which lines are there already, or stand twice, and which imports were stopped. */
async function compared(deps: ImportDependencies, organization: string, looked: Looked) {
  const lines = goodLines(looked);
  const twice = linesTwice(lines);
  if (looked.standing.end === undefined) return { ...nothing, twice };
  const there = await repeatedLines(deps.testimonials, organization, lines, (read) =>
    deps.progress(read, 0, 'compared'),
  );
  const now = deps.now();
  const isStopped = (each: StoredImport) =>
    isUnended(each) && each.job.step === 'storing' && !isClaimed(each.job, now);
  const imports = await deps.jobs.all(organization);
  return { there, twice, unended: imports.filter(isStored).filter(isStopped) };
}

function doubtsOf(
  { source, checked, standing }: Looked,
  { length: repeated }: readonly number[],
  twice: number,
  unended: StoredImport[],
): Doubts | undefined {
  const isGuessed = source.proposal !== undefined;
  if (repeated + unended.length + checked.refused === 0 && !isGuessed) return undefined;
  const isBeyond = standing.isEmpty && !source.asNew && checked.lines.length > mostOfPast;
  const endsPast = isBeyond && checked.refused > 0;
  return { repeated, twice: repeated > 0 ? twice : 0, unended, isGuessed, endsPast };
}

/** The same with all good lines but some. */
export function withLines(
  plan: Omit<Plan, 'leftOut' | 'orders' | 'isOfPast'>,
  leftOut: readonly number[],
): Plan {
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
  return Array.from(ordersOf(lines, 0).order.createdAt).flatMap((number) => lines[number] ?? []);
}

/** What a line says, but for what it was: it is created now. */
function asNewLine({ createdAt, updatedAt, updateOrdinal, id, ...line }: ImportedLine): ImportedLine {
  return line;
}
