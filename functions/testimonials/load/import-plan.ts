/** Plans an import from its file and the organization, and describes the result. Nothing is written. */
import { createHash } from 'node:crypto';
import { type CheckedFile, checkFile } from '../../../lib/operator/import/check-file.ts';
import { type FileSource, fingerprintOf } from '../../../lib/operator/import/detect-columns.ts';
import {
  type ImportedLine,
  type LineRules,
  ordinalOfLine,
} from '../../../lib/operator/import/imported-line.ts';
import { foldAddress } from '../../domain/email-address.ts';
import type { CounterValue, OrganizationStore, TestimonialStore } from '../../domain/stores.ts';
import type { TestimonialInput } from '../../domain/testimonial.ts';
import { withoutInvisible } from '../../domain/visible-text.ts';
import { type ImportJobStore, idOfImport, lastRound } from './import-job.ts';
import { ImportRun } from './import-run.ts';
import { counterIfErased, isEmpty, type LoadDependencies } from './load-testimonials.ts';
import { keepsIds, type LineOrders, maxLinesOfHistory, ordersOf, positionsAmong } from './positions.ts';

export interface ImportDependencies extends Omit<LoadDependencies, 'progress'> {
  jobs: ImportJobStore;
  organizations: Pick<OrganizationStore, 'add'>;
  /** @param total 0 if unknown */
  progress: (done: number, total: number, step: 'checked' | 'compared' | 'stored' | 'indexed') => void;
  /** Minimum number of lines whose positions are reserved at once. */
  linesPerBlock?: number;
}

/** Reasons to ask before storing, apart from rejected lines and guesses. */
export interface Doubts {
  /** Likely duplicates. */
  repeated: number;
  /** The part of `repeated` that repeats an earlier line of the file. */
  twice: number;
  /** True if rejected lines could not keep their times when they are imported later. */
  endsHistory: boolean;
}

export interface Plan {
  source: FileSource;
  checked: CheckedFile;
  rules: LineRules;
  /** When the import began, ISO 8601: the `createdAt` of lines without one. */
  time: string;
  standing: Standing;
  /** Likely duplicates, by the numbers of the good lines. */
  repeated: readonly number[];
  /** Good lines that are left out, by their numbers. */
  leftOut: readonly number[];
  doubts?: Doubts;
  /** The other good lines on the two axes. */
  orders: LineOrders;
  /** True if the lines have times to keep. */
  isHistory: boolean;
}

/** The state of an organization before an import. */
interface Standing {
  /** True if nothing was ever stored. */
  isEmpty: boolean;
  /** The counter, if all stored testimonials have been erased. */
  emptied?: CounterValue;
  /** The end of the history, for any other organization. */
  end?: Pick<LineRules, 'latest'>;
}

/** An import that this run has not stored yet. */
export type PreparedImport = Awaited<ReturnType<typeof prepareImport>>;

/**
 * Plans an import, with the result of storing all lines.
 * @throws when another run works on the import, another load has not ended, or the lines cannot be stored
 */
export async function prepareImport(deps: ImportDependencies, organization: string, source: FileSource) {
  const last = await lastRound(deps.jobs, organization, fingerprintOf(source));
  const run = new ImportRun(deps, organization, last);
  const { job } = run;
  if (job?.state === 'undoing')
    throw new Error(
      `The import of ${source.file} is being undone. Wait for that to finish; if it was stopped, run it again with --undo.`,
    );
  const plan = await planOf(deps, run, source);
  // Runs assign positions by line number, so the number of lines must stay the same.
  if (job && job.state !== 'begun' && job.count !== plan.orders.lines.length)
    throw new Error(
      `Another version of this program began to import ${job.count} lines of ${source.file}. Finish the import with that version.`,
    );
  return { run, plan, result: await resultOf(deps, run, plan, job?.state === 'ended') };
}

/**
 * Checks all lines, with the same rules in every run of an import, and compares them with the organization.
 */
async function planOf(deps: ImportDependencies, { organization, name, job }: ImportRun, source: FileSource) {
  const time = job?.time ?? deps.now().toISOString();
  const load = job ? name : (await deps.index.readHead(organization))?.load;
  if (load !== undefined && load !== name) throw otherLoad(organization);
  // An import that has reserved positions keeps them.
  const standing =
    !job || job.state === 'begun' ? await standingOf(deps, organization, name) : { isEmpty: false };
  const end = source.asNew ? undefined : standing.end;
  const progress = (lines: number) => deps.progress(lines, 0, 'checked');
  const check = (lineRules: LineRules) => checkFile(source, lineRules, { now: new Date(time), progress });
  let rules = job && 'rules' in job ? job.rules : { areDated: false, ...end };
  let checked = await check(rules);
  const dated = checked.lines.filter(({ createdAt }) => createdAt !== undefined).length;
  // A line without a time would be created now, and could not be ordered among the others.
  if (end && dated > 0 && dated < checked.lines.length) {
    rules = { ...rules, areDated: true };
    checked = await check(rules);
  }
  const compared = { source, time, standing, rules, checked, repeated: [] };
  return job ? withoutLines(compared, job.leftOut ?? []) : findDuplicates(deps, organization, compared);
}

export function otherLoad(organization: string): Error {
  return new Error(
    `Another import or seed of ${organization} has not finished. Wait for it, run it again if it was stopped, or show its testimonials with: npm run admin -- index rebuild --organization ${organization}`,
  );
}

async function standingOf(deps: ImportDependencies, organization: string, name: string): Promise<Standing> {
  if (await isEmpty(deps, organization, name)) return { isEmpty: true };
  const before = await counterIfErased(deps, organization);
  if (before) return { isEmpty: false, emptied: before };
  const { firstTime } = (await deps.testimonials.readCounter(organization)) ?? {};
  return { isEmpty: false, end: firstTime === undefined ? {} : { latest: firstTime } };
}

type ComparedFile = Omit<Plan, 'leftOut' | 'orders' | 'isHistory'>;

async function findDuplicates(deps: ImportDependencies, organization: string, compared: ComparedFile) {
  const { source, standing, checked } = compared;
  const lines = goodLines(compared);
  const twice = repeatedLines(lines);
  const onRead = (read: number) => deps.progress(read, 0, 'compared');
  const stored = standing.end ? await storedLines(deps.testimonials, organization, lines, onRead) : [];
  const repeated = [...new Set([...stored, ...twice])].sort((a, b) => a - b);
  const isAsked = repeated.length > 0 && !source.onlyNew;
  const doubts = {
    repeated: isAsked ? repeated.length : 0,
    twice: isAsked ? twice.length : 0,
    endsHistory:
      standing.isEmpty && !source.asNew && checked.lines.length > maxLinesOfHistory && checked.refused > 0,
  };
  const plan = withoutLines({ ...compared, repeated }, source.onlyNew ? repeated : []);
  const isDoubtful = isAsked || checked.refused > 0 || source.proposal;
  return isDoubtful && plan.orders.lines.length > 0 ? { ...plan, doubts } : plan;
}

const pageSize = 1000;

/**
 * Returns the numbers of lines whose text, author name and e-mail address a stored testimonial has,
 * ascending. Reads the whole organization. Ignores times, because tools write them in many ways.
 */
async function storedLines(
  testimonials: Pick<TestimonialStore, 'from'>,
  organization: string,
  lines: readonly ImportedLine[],
  onRead: (read: number) => void,
): Promise<number[]> {
  const digests = lines.map(digestOf);
  const wanted = new Set(digests);
  const stored = new Set<string>();
  let read = 0;
  for await (const page of testimonials.from(organization, 0, { limit: pageSize })) {
    for (const { testimonial } of page) {
      const digest = digestOf(testimonial);
      if (wanted.has(digest)) stored.add(digest);
    }
    read += page.length;
    onRead(read);
  }
  return digests.flatMap((digest, number) => (stored.has(digest) ? [number] : []));
}

function digestOf(testimonial: TestimonialInput): string {
  return createHash('sha256').update(comparedTexts(testimonial)).digest('base64');
}

/** Returns the texts that two copies of a testimonial share. */
function comparedTexts({ content, author: { name, email } }: TestimonialInput): string {
  return JSON.stringify([withoutInvisible(content), withoutInvisible(name), foldAddress(email)]);
}

/**
 * Returns the numbers of lines that repeat an earlier line of the file, including its time and rating,
 * ascending.
 */
function repeatedLines(lines: readonly ImportedLine[]): number[] {
  const seen = new Set<string>();
  return lines.flatMap((line, number) => {
    const key = `${line.createdAt} ${line.rating} ${comparedTexts(line)}`;
    if (seen.has(key)) return [number];
    seen.add(key);
    return [];
  });
}

/** Returns a plan for the good lines except those left out. */
export function withoutLines(plan: ComparedFile, leftOut: readonly number[]): Plan {
  const { source, time } = plan;
  const isLeftOut = new Set(leftOut);
  const others = goodLines(plan).filter((_, number) => !isLeftOut.has(number));
  const asNew = ({ createdAt, updatedAt, updateOrdinal, id, ...line }: ImportedLine): ImportedLine => line;
  const lines = source.asNew ? others.map(asNew) : others;
  const isHistory = lines.some(({ createdAt }) => createdAt !== undefined);
  return { ...plan, leftOut, isHistory, orders: ordersOf(lines, Date.parse(time)) };
}

/** Returns the good lines in the order of the file or, as new, of their times. */
function goodLines({ source, checked: { lines } }: ComparedFile): readonly ImportedLine[] {
  if (!source.asNew) return lines;
  return ordersOf(lines, 0).order.createdAt.flatMap((number) => lines[number] ?? []);
}

/** The result of an import or a dry run. */
export type ImportResult = Awaited<ReturnType<typeof resultOf>>;

/**
 * Describes the import of a plan.
 * @throws when there are too few positions for the lines; nothing is written then
 */
export async function resultOf(deps: ImportDependencies, run: ImportRun, plan: Plan, wasImported: boolean) {
  const { source, checked, orders, leftOut, doubts, isHistory } = plan;
  const { asNew, sheet, proposal } = source;
  const { lines, ...numbers } = checked;
  const ids = await idsOf(deps, run, plan);
  return {
    ...numbers,
    /** The id for `--undo --id`. */
    id: idOfImport(run.name),
    /** Testimonials that this run has stored. */
    stored: run.stored,
    /** Good lines, without those left out. */
    good: orders.lines.length,
    /** Likely duplicates that are left out. */
    leftOut: leftOut.length,
    /** True if the times of the file are kept. */
    keepsHistory: isHistory,
    /** True if an earlier run finished the import. */
    wasImported,
    ids,
    asNew,
    proposal,
    sheet,
    doubts,
  };
}

/**
 * Returns whether lines keep their ids of this service; undefined if they have none.
 * @throws when there are too few positions for the lines
 */
async function idsOf(
  { jobs }: ImportDependencies,
  { organization, name, job }: ImportRun,
  { checked, orders, standing: { isEmpty }, isHistory, rules: { latest } }: Plan,
): Promise<'kept' | 'replaced' | undefined> {
  const hasIds = checked.lines.some((line) => ordinalOfLine(line) > 0);
  const isOpen = !job || job.state === 'begun';
  const arePlaced = isOpen ? isEmpty || isHistory : job.isPlaced;
  if (!arePlaced || !(hasIds || (isOpen && isHistory))) return hasIds ? 'replaced' : undefined;
  const placements = await jobs.placements(organization);
  const reserved = placements.find((placement) => placement.name === name);
  const { positions } = reserved ?? positionsAmong(placements, orders, { isEmpty, latest });
  if (!hasIds) return undefined;
  return keepsIds(orders, positions) ? 'kept' : 'replaced';
}
