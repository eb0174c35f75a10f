/**
 * Checks the lines of a whole file: finds the good ones, and the reasons to reject the others. The rules are
 * those of a create, plus rules for the times of a line.
 */
import * as v from 'valibot';
import { byteOrderMark, type CsvRecord, csvText, separators } from '../csv/csv.ts';
import { isFieldGroup } from '../domain/fields.ts';
import { areTimesInOrder, type LoadLine, type LoadResult, lineEntries, update } from '../domain/loads.ts';
import { counted } from '../domain/wording.ts';
import type { ErrorDetails } from '../http/api-error.ts';
import { describeIssues } from '../http/validate.ts';
import {
  cellsOfFields,
  isFractional,
  type LineField,
  lineFields,
  reasonColumns,
  requiredFields,
} from './line-fields.ts';
import { type MappedColumns, mapColumns } from './map-columns.ts';
import type { OpenedFile } from './open-file.ts';
import { type FileRow, jsonLines, type Sheet } from './spreadsheet.ts';
import { pastTime, type TimeReader, timeReader } from './times.ts';

export type CheckedFile = Awaited<ReturnType<typeof checkFile>>;

interface RejectedRow extends Omit<FileRow, 'unreadable'> {
  errors: ErrorDetails;
}

// Signals and messages wait for at most this many rows.
const rowsPerTurn = 1000;
const letMessagesIn = () => new Promise((resolve) => setTimeout(resolve));
const examplesShown = 5;

interface CheckOptions {
  now: Date;
  /** Called with the number of rows checked. */
  progress: (rows: number) => void;
  /** The maximum number of rows to check. */
  limit?: number;
  /**
   * Errors of good lines that the load rejects, by their indices among the good lines: 2 is the third good
   * line.
   */
  loadErrors?: ReadonlyMap<number, ErrorDetails>;
}

export async function checkFile(
  opened: OpenedFile,
  { now, progress, limit = Infinity, loadErrors }: CheckOptions,
) {
  const { sheet, mapping } = opened;
  const { rows, columns } = readRows(opened);
  const check = lineChecker(mapping, now);
  const lines: LoadLine[] = [];
  const rejectedRows: RejectedRow[] = [];
  let read = 0;
  let good = 0;
  for (const { unreadable, ...row } of rows.take(limit)) {
    read += 1;
    if (read % rowsPerTurn === 0) {
      progress(read);
      await letMessagesIn();
    }
    if (unreadable !== undefined) {
      rejectedRows.push({ ...row, errors: { line: unreadable } });
      continue;
    }
    const { value = {} } = row;
    const checked = check(value);
    const errors = 'loadLine' in checked ? loadErrors?.get(good) : undefined;
    if ('loadLine' in checked) good += 1;
    // If the load rejects a good line, the second check turns it into a rejected row, with its times in ISO
    // 8601.
    const result = errors ? check(value, errors) : checked;
    if ('loadLine' in result) lines.push(result.loadLine);
    else rejectedRows.push({ ...row, errors: result.errors, value: result.members });
  }
  progress(read);
  return {
    /** Good lines in the order of the file. */
    lines,
    /** Number of rejected rows. */
    rejected: rejectedRows.length,
    reasons: reasonsOf(rejectedRows),
    /** A file of the rejected rows, which someone can correct and import. */
    rejectedFileText: rejectedFileTextOf(sheet, rejectedRows),
    /** The first good lines. */
    examples: lines.slice(0, examplesShown),
    /** True if a good line has a status of its own. */
    hasStatus: lines.some(({ status }) => status !== undefined && status !== mapping.defaults.status),
    /** True if a good line has a time, or if there are no good lines. */
    hasTime: lines.length === 0 || lines.some(({ createdAt }) => createdAt !== undefined),
    columns,
  };
}

/** Reads the rows of a file one by one and, for a sheet, its columns. */
export function readRows({ text, sheet, mapping }: Pick<OpenedFile, 'text' | 'sheet' | 'mapping'>): {
  rows: IteratorObject<FileRow>;
  columns?: MappedColumns;
} {
  if (!sheet) return { rows: jsonLines(text) };
  const columns = mapColumns(sheet, mapping);
  const rows = Iterator.from(sheet.records()).map((record) => rowOf(record, columns));
  return { rows, columns };
}

function rowOf({ line, text, cells = [], unreadable }: CsvRecord, columns: MappedColumns): FileRow {
  const { length: width } = columns.header;
  // In a row with too many or too few cells, the columns of the cells are unknown.
  const isWhole = cells.length === width;
  const why =
    unreadable ??
    (isWhole ? undefined : `has ${counted(cells.length, 'cell')} where the header has ${width}`);
  return {
    line,
    text,
    ...(isWhole && { value: columns.toTestimonial(cells) }),
    ...(why !== undefined && { unreadable: why }),
  };
}

function time(reader: TimeReader, now: Date) {
  return v.pipe(
    v.string('must be a string'),
    v.transform((text) => pastTime(reader, text, now.getTime()) ?? Number.NaN),
    v.number(reader.rule),
    v.check((value) => value <= now.getTime(), 'must not be in the future'),
  );
}

function schemaOf(reader: TimeReader, now: Date) {
  return v.pipe(
    v.object({ ...lineEntries(time(reader, now)), updateOrdinal: v.exactOptional(update) }),
    v.forward(
      v.partialCheck([['createdAt'], ['updatedAt']], areTimesInOrder, ({ input }) =>
        input.createdAt === undefined ? 'needs a createdAt' : 'must not be before createdAt',
      ),
      ['updatedAt'],
    ),
  );
}

// Exports have a column `updateOrdinal`; a line has the member `update`.
function loadLineOf({ updateOrdinal, ...line }: v.InferOutput<ReturnType<typeof schemaOf>>): LoadLine {
  return { ...line, ...(updateOrdinal !== undefined && { update: updateOrdinal }) };
}

/**
 * Returns a function that checks the members of a testimonial. For a rejected line, it returns the errors,
 * and the members in a form that needs no options once someone has corrected them.
 * @throws if `dateFormat` does not describe a date
 */
export function lineChecker(
  { dateFormat, roundRatings = false }: { dateFormat?: string | undefined; roundRatings?: boolean },
  now: Date,
) {
  const reader = timeReader(dateFormat);
  const schema = schemaOf(reader, now);
  /** @param loadErrors the errors of a good line that the load rejects */
  return (
    value: Record<string, unknown>,
    loadErrors?: ErrorDetails,
  ): { loadLine: LoadLine } | { errors: ErrorDetails; members: Record<string, unknown> } => {
    const isFractionalRating = isFractional(value.rating);
    const rounded =
      isFractionalRating && roundRatings ? { ...value, rating: Math.round(Number(value.rating)) } : value;
    const { consent, media, ...rest } = rounded;
    const url = isFieldGroup(media) ? media.url : undefined;
    // Exports also describe the bytes of media. An import only uses a URL.
    const withMediaUrl = { ...rest, ...(url !== undefined && { media: { url } }) };
    const hasOwnConsent = cellsOfFields({ consent }, ['consent.page', 'consent.at']).some(
      (cell) => cell !== '',
    );
    // A consent from another tool, such as the answer to a question, names no form of this service.
    const checkedMembers = hasOwnConsent ? { ...withMediaUrl, consent } : withMediaUrl;
    const result = v.safeParse(schema, checkedMembers, { abortPipeEarly: true });
    const errors = result.success ? loadErrors : describeIssues(result.issues);
    if (!errors && result.success) return { loadLine: loadLineOf(result.output) };
    const ownConsent = hasOwnConsent && { consent: withIsoTimes(consent, reader, now) };
    const members = { ...withIsoTimes(rounded, reader, now), ...ownConsent };
    const { rating } = errors ?? {};
    const canRound = isFractionalRating && rating !== undefined;
    return { members, errors: { ...errors, ...(canRound && { rating: `${rating}${canBeRounded}` }) } };
  };
}

/** Returns members with their readable times in ISO 8601. */
function withIsoTimes(members: unknown, reader: TimeReader, now: Date): Record<string, unknown> {
  const converted = Object.entries(members ?? {}).map(([name, text]) => {
    const isTime = ['createdAt', 'updatedAt', 'at'].includes(name) && typeof text === 'string';
    const time = isTime ? pastTime(reader, text, now.getTime()) : undefined;
    return [name, time === undefined ? text : new Date(time).toISOString()];
  });
  return Object.fromEntries(converted);
}

const canBeRounded = '; it can be rounded';

const isLater = 'must not be after the first testimonial that arrived here';

/** Returns the option that would accept lines rejected by a rule, or undefined if there is none. */
export function remedyOf(rule: string): 'roundRatings' | 'dateFormat' | 'asNew' | undefined {
  if (rule.endsWith(canBeRounded)) return 'roundRatings';
  if (rule.startsWith('must be a time')) return 'dateFormat';
  return rule.startsWith(isLater) ? 'asNew' : undefined;
}

/** Returns the errors of good lines that the load rejects, by their indices among the good ones. */
export function loadErrorsOf({ rejected, historyEnd = '' }: LoadResult): Map<number, ErrorDetails> {
  const rules = {
    later: `${isLater}, ${historyEnd.slice(0, 10)}`,
    undated: 'is required, because other lines have it',
  };
  return new Map(rejected.map(({ index, field, why }) => [index, { [field]: rules[why] }]));
}

const rowsShown = 5;

/**
 * Returns the reasons in the order of the file, each with the number of its rows and the numbers of the first
 * rows.
 */
function reasonsOf(rejected: readonly RejectedRow[]) {
  // The field is `line` if a row cannot be read.
  const reasons = new Map<string, { field: string; rule: string; count: number; lines: number[] }>();
  for (const { line, errors } of rejected) {
    for (const [field, rule] of Object.entries(errors)) {
      const key = `${field} ${rule}`;
      const reason = reasons.get(key) ?? { field, rule, count: 0, lines: [] };
      reasons.set(key, reason);
      reason.count += 1;
      if (reason.lines.length < rowsShown) reason.lines.push(line);
    }
  }
  return [...reasons.values()];
}

/**
 * Returns the readable parts of rejected rows as NDJSON or, for a sheet, as CSV. Uses the separator of the
 * file if an import can detect it, otherwise commas, because the line `sep=` of a file can name any
 * separator.
 */
function rejectedFileTextOf(sheet: Sheet | undefined, rejected: readonly RejectedRow[]): string {
  if (!sheet) return rejected.map((row) => `${jsonOf(row)}\n`).join('');
  const isUsed = (field: LineField) =>
    rejected.some(({ value = {} }) => cellsOfFields(value, [field]).join() !== '');
  const header = lineFields.filter((field) => requiredFields.includes(field) || isUsed(field));
  const rows = rejected.map(({ line, text, errors, value }) => {
    const why = Object.entries(errors).map((error) => error.join(' '));
    return [...cellsOfFields(value ?? {}, header), String(line), why.join('; '), value ? '' : text];
  });
  const separator = separators.find((each) => each === sheet.separator);
  return byteOrderMark + csvText([[...header, ...reasonColumns], ...rows], separator);
}

function jsonOf({ value, ...rejected }: RejectedRow): string {
  try {
    return JSON.stringify({ ...value, rejected });
  } catch {
    // The value is nested too deeply for JSON. Its text is written instead.
    return JSON.stringify({ rejected });
  }
}
