/**
 * Checks the lines of a load against the organization (`checkLines`), then whether there is room for them
 * (`checkRoomAndDescribe`). Writes nothing. A line has four indices, each from 0:
 *
 * | Index | In | Counts | Used for |
 * |---|---|---|---|
 * | given | `lines` | the good lines of the file | `rejected`, `ComparedLines.repeated` |
 * | accepted | `accepted` | without rejected lines | `duplicates`, `repeated`, `leftOut` |
 * | stored | `orders.lines` | also without lines that are left out | `orders.order`, blocks, ids of lines |
 * | rank | `orders.order.createdAt` | the stored lines by their creation | high-water mark, kept by an undo |
 *
 * If the lines are created as new, the accepted ones are sorted by their times.
 */
import { createHash } from 'node:crypto';
import { foldAddress } from '../../domain/email-address.ts';
import {
  type ComparedLines,
  type LoadLine,
  type LoadOptions,
  LoadRefused,
  type LoadResult,
  type Rejection,
  type WorkCallbacks,
} from '../../domain/loads.ts';
import type { TestimonialInput } from '../../domain/testimonial.ts';
import { withoutInvisible } from '../../domain/visible-text.ts';
import type { CounterValue } from '../model/testimonial-store.ts';
import { counterIfErased, isFirstLoad } from './all-at-once.ts';
import type { OpenedLoad } from './find-loads.ts';
import { hasStarted, type LoadRecord, type LoadStores, type TimeRules } from './load-record.ts';
import {
  keepsIds,
  type LineOrders,
  maxLinesOfHistory,
  ordersOf,
  ordinalOfLine,
  positionsAmong,
} from './positions.ts';

type CheckDependencies = LoadStores & Pick<WorkCallbacks, 'progress'>;

/** The state of an organization before a load. */
type StateBeforeLoad =
  /** Nothing was ever stored. */
  | { kind: 'new' }
  /** All stored testimonials have been erased. */
  | { kind: 'all erased'; counter: CounterValue }
  /** `historyEnd`, in ISO 8601, is absent until a testimonial is created or changed here. */
  | { kind: 'used'; historyEnd?: string }
  /** The load has started to store lines, and keeps its positions. */
  | { kind: 'started' };

/** The lines of a load that its rules accept. */
interface AcceptedLines {
  load: OpenedLoad;
  asNew: boolean;
  before: StateBeforeLoad;
  rules: TimeRules;
  rejected: readonly Rejection[];
  /** If all lines are created as new, in the order of their times. */
  accepted: readonly LoadLine[];
  /** Indices in `accepted` of lines that repeat a stored testimonial or an earlier line, ascending. */
  duplicates: readonly number[];
  /** The part of `duplicates` that repeats an earlier line. */
  repeated: readonly number[];
  /** True if the load had ended before. */
  wasLoaded: boolean;
}

/** The lines that a load stores. */
export interface CheckedLines extends AcceptedLines {
  /** Indices in `accepted` of lines that are left out. */
  leftOut: readonly number[];
  /** The other accepted lines, ordered on both axes. */
  orders: LineOrders;
  /** True if the lines have times to keep. */
  keepsTimes: boolean;
}

/**
 * Checks lines with the same rules each time a load is continued, and compares the lines of a new load with
 * the organization.
 * @throws {LoadRefused} if another version began the load with a different number of lines
 */
export async function checkLines(
  deps: CheckDependencies,
  load: OpenedLoad,
  lines: readonly LoadLine[],
  { asNew = false, onlyNew = false, alreadyStored }: LoadOptions,
): Promise<CheckedLines> {
  const { organization, name, record } = load.claim;
  const hasStartedBefore = hasStarted(record);
  const before: StateBeforeLoad = hasStartedBefore
    ? { kind: 'started' }
    : await stateOf(deps, organization, name);
  const history = !asNew && before.kind === 'used' ? before : undefined;
  const { accepted, rules, rejected } = checkTimes(lines, record, history);
  const all: AcceptedLines = {
    load,
    asNew,
    before,
    rules,
    rejected,
    accepted: asNew ? inOrderOfTimes(accepted) : accepted,
    duplicates: [],
    repeated: [],
    wasLoaded: record?.state === 'ended',
  };
  const checked = record
    ? withoutLines(all, leftOutBy(record, all, lines))
    : await withDuplicates(deps, all, lines, { onlyNew, alreadyStored });
  // Positions depend on the number of lines, so this number must stay the same.
  if (hasStartedBefore && record.count !== checked.orders.lines.length)
    throw new LoadRefused({ why: 'other version', count: record.count });
  return checked;
}

async function stateOf(deps: LoadStores, organization: string, name: string): Promise<StateBeforeLoad> {
  if (await isFirstLoad(deps, organization, name)) return { kind: 'new' };
  const counter = await counterIfErased(deps, organization);
  if (counter) return { kind: 'all erased', counter };
  const { historyEnd } = (await deps.testimonials.readCounter(organization)) ?? {};
  return { kind: 'used', ...(historyEnd !== undefined && { historyEnd }) };
}

/** @param history the history that the lines may join */
function checkTimes(
  lines: readonly LoadLine[],
  record: LoadRecord | undefined,
  history: { historyEnd?: string } | undefined,
) {
  const byRules = (rules: TimeRules) => {
    const all = lines.map((line, given) => rejectionOf(line, given, rules));
    return { rules, rejected: all.filter((each) => each !== undefined), accepted: acceptedIn(lines, all) };
  };
  // Until a load is `storing`, the state of the organization decides its rules.
  const kept = hasStarted(record) ? record.rules : undefined;
  const { historyEnd } = history ?? {};
  const checked = byRules(
    kept ?? { areDated: false, ...(historyEnd !== undefined && { latest: historyEnd }) },
  );
  const dated = checked.accepted.filter(({ createdAt }) => createdAt !== undefined).length;
  // A line without a time would be created now, and has no order relative to the others.
  const isMixed = history && dated > 0 && dated < checked.accepted.length;
  return isMixed ? byRules({ ...checked.rules, areDated: true }) : checked;
}

/**
 * Returns the indices in `accepted` of the lines that a load leaves out. Until the load is `storing`, its
 * rules can accept other lines now than when it began.
 */
function leftOutBy(
  record: LoadRecord,
  { accepted, asNew }: AcceptedLines,
  lines: readonly LoadLine[],
): readonly number[] {
  const { leftOut = [] } = record;
  if (asNew || hasStarted(record) || !record.rules) return leftOut;
  const { rules } = record;
  const acceptedThen = acceptedIn(
    lines,
    lines.map((line, given) => rejectionOf(line, given, rules)),
  );
  // By identity, because `accepted` has the same objects as `lines`.
  const leftOutLines = new Set(leftOut.map((then) => acceptedThen[then]));
  return accepted.flatMap((line, now) => (leftOutLines.has(line) ? [now] : []));
}

function acceptedIn(lines: readonly LoadLine[], rejections: readonly (Rejection | undefined)[]): LoadLine[] {
  return lines.filter((_, given) => rejections[given] === undefined);
}

/** Returns the reason that a line cannot join the history, or undefined if it can. */
function rejectionOf(
  { createdAt, updatedAt = createdAt }: LoadLine,
  index: number,
  { latest: historyEnd, areDated }: TimeRules,
): Rejection | undefined {
  if (createdAt === undefined) return areDated ? { index, field: 'createdAt', why: 'undated' } : undefined;
  const isLate = (time = 0) => historyEnd !== undefined && time > Date.parse(historyEnd);
  if (isLate(createdAt)) return { index, field: 'createdAt', why: 'later' };
  return isLate(updatedAt) ? { index, field: 'updatedAt', why: 'later' } : undefined;
}

function inOrderOfTimes(lines: readonly LoadLine[]): LoadLine[] {
  return ordersOf(lines, 0).order.createdAt.flatMap((index) => lines[index] ?? []);
}

async function withDuplicates(
  deps: CheckDependencies,
  all: AcceptedLines,
  lines: readonly LoadLine[],
  { onlyNew, alreadyStored }: Pick<LoadOptions, 'alreadyStored'> & { onlyNew: boolean },
): Promise<CheckedLines> {
  const { accepted, before, load } = all;
  const repeated = repeatedLines(accepted);
  const compare = async () =>
    before.kind === 'used' ? (await compareLines(deps, load, lines)).repeated : [];
  // By identity, because `accepted` has the same objects as `lines`.
  const storedLines = new Set((alreadyStored ?? (await compare())).map((given) => lines[given]));
  const stored = accepted.flatMap((line, index) => (storedLines.has(line) ? [index] : []));
  const duplicates = [...new Set([...stored, ...repeated])].sort((a, b) => a - b);
  return withoutLines({ ...all, duplicates, repeated: repeated }, onlyNew ? duplicates : []);
}

const pageSize = 1000;

/**
 * Finds the lines that repeat the text, the author's name and the e-mail address of a stored testimonial.
 * Reads the whole organization, page by page. Ignores times, because tools write them in many ways.
 * @param options.until when to stop, in milliseconds since 1970
 */
export async function compareLines(
  { testimonials, now, progress }: Pick<CheckDependencies, 'testimonials' | 'now' | 'progress'>,
  { claim: { organization } }: OpenedLoad,
  lines: readonly LoadLine[],
  {
    comparedSoFar: { repeated, next = 0 } = { repeated: [] },
    until = Number.POSITIVE_INFINITY,
  }: { comparedSoFar?: ComparedLines; until?: number } = {},
): Promise<ComparedLines> {
  const byDigest = Map.groupBy(lines.keys(), (given) => digestOf(lines[given] as LoadLine)); // of its keys
  const found = new Set(repeated);
  let read = 0;
  for await (const page of testimonials.from(organization, next, { limit: pageSize })) {
    for (const { testimonial } of page)
      for (const given of byDigest.get(digestOf(testimonial)) ?? []) found.add(given);
    read += page.length;
    progress(read, 0, 'compared');
    const last = page.at(-1);
    if (last && now().getTime() >= until)
      return { repeated: [...found].sort((a, b) => a - b), next: last.ordinal + 1 };
  }
  return { repeated: [...found].sort((a, b) => a - b) };
}

function digestOf(testimonial: TestimonialInput): string {
  return createHash('sha256').update(comparedTexts(testimonial)).digest('base64');
}

/** Returns the texts that two copies of a testimonial share. */
function comparedTexts({ content, author: { name, email } }: TestimonialInput): string {
  return JSON.stringify([withoutInvisible(content), withoutInvisible(name), foldAddress(email)]);
}

/**
 * Returns the indices in `lines` of lines that repeat an earlier line with the same time and rating,
 * ascending.
 */
function repeatedLines(lines: readonly LoadLine[]): number[] {
  const seen = new Set<string>();
  return lines.flatMap((line, index) => {
    const key = `${line.createdAt} ${line.rating} ${comparedTexts(line)}`;
    if (seen.has(key)) return [index];
    seen.add(key);
    return [];
  });
}

/** Returns the accepted lines except those left out. */
export function withoutLines(all: AcceptedLines, leftOut: readonly number[]): CheckedLines {
  const { asNew, accepted, load } = all;
  const leftOutIndices = new Set(leftOut);
  const others = accepted.filter((_, index) => !leftOutIndices.has(index));
  const timeless = ({ createdAt, updatedAt, update, id, ...line }: LoadLine): LoadLine => line;
  const lines = asNew ? others.map(timeless) : others;
  const keepsTimes = lines.some(({ createdAt }) => createdAt !== undefined);
  return { ...all, leftOut, keepsTimes, orders: ordersOf(lines, Date.parse(load.at)) };
}

/**
 * Describes the load of checked lines, before or after they are stored. Before, also checks that there is
 * room.
 * @throws {LoadRefused} if there are too few positions for the lines
 */
export async function checkRoomAndDescribe(deps: LoadStores, checked: CheckedLines): Promise<LoadResult> {
  const { load, asNew, before, rules, rejected, accepted, orders, leftOut, keepsTimes, wasLoaded } = checked;
  const ids = await checkRoomAndIds(deps, checked);
  const isKept = leftOut.length === 0;
  return {
    rejected,
    ...(rules.latest !== undefined && { historyEnd: rules.latest }),
    good: orders.lines.length,
    repeated: isKept ? checked.duplicates.length : 0,
    repeatedInFile: isKept ? checked.repeated.length : 0,
    leftOut: leftOut.length,
    keepsTimes,
    ...(ids && { ids }),
    endsHistory: before.kind === 'new' && !asNew && accepted.length > maxLinesOfHistory,
    wasLoaded,
    stored: load.claim.stored,
  };
}

/**
 * True if lines join the history or are the first of the organization. If a testimonial arrives in the
 * meantime, lines without times are appended.
 */
export function mayBePlaced({ before, keepsTimes }: Pick<CheckedLines, 'before' | 'keepsTimes'>): boolean {
  return before.kind === 'new' || keepsTimes;
}

/**
 * Checks that there is room for the lines. Returns whether they keep their ids of this service; undefined if
 * they have no such ids.
 * @throws {LoadRefused} if there are too few positions for the lines
 */
async function checkRoomAndIds({ loads }: LoadStores, checked: CheckedLines): Promise<LoadResult['ids']> {
  const { load, accepted, orders, before, keepsTimes, rules } = checked;
  const { organization, name, record } = load.claim;
  const hasIds = accepted.some((line) => ordinalOfLine(line) > 0);
  // Once lines are stored, `before` still has the earlier state. The record is newer.
  const hasStartedNow = hasStarted(record);
  const isFirstLoad = before.kind === 'new';
  const arePlaced = hasStartedNow ? record.isPlaced : mayBePlaced(checked);
  if (!arePlaced) return hasIds ? 'replaced' : undefined;
  // Without ids, positions are read only to check that there is room.
  if (!hasIds && (hasStartedNow || !keepsTimes)) return undefined;
  const all = await loads.positions(organization);
  const reserved = all.find((each) => each.name === name);
  const { positions } = reserved ?? positionsAmong(all, orders, { isFirstLoad, historyEnd: rules.latest });
  if (!hasIds) return undefined;
  return keepsIds(orders, positions) ? 'kept' : 'replaced';
}
