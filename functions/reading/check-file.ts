/** Checks the lines of a whole file: which ones are good, and why the others are rejected. */
import { type CsvRecord, csvText } from '../csv/csv.ts';
import type { LoadLine } from '../domain/loads.ts';
import { counted } from '../domain/wording.ts';
import type { ErrorDetails } from '../http/api-error.ts';
import { cellsOf, type LineField, lineChecker, lineFields, reasonColumns } from './imported-line.ts';
import { type Columns, columnsOf, required } from './map-columns.ts';
import type { OpenedFile } from './open-file.ts';
import { jsonLines, type Line, type Sheet } from './spreadsheet.ts';

export type CheckedFile = Awaited<ReturnType<typeof checkFile>>;

interface RejectedLine extends Omit<Line, 'unreadable'> {
  errors: ErrorDetails;
}

// Signals and messages wait for this many lines at most.
const linesPerTurn = 1000;
const turn = () => new Promise((resolve) => setTimeout(resolve));
const examplesShown = 5;

interface CheckOptions {
  now: Date;
  /** Called with the number of lines checked. */
  progress: (lines: number) => void;
  /** The number of lines to check at most. */
  limit?: number;
  /** Errors of good lines that the load rejects, by their indices among the good ones: 2 is the third. */
  loadErrors?: ReadonlyMap<number, ErrorDetails>;
}

export async function checkFile(
  opened: OpenedFile,
  { now, progress, limit = Infinity, loadErrors }: CheckOptions,
) {
  const { sheet, mapping } = opened;
  const columns = sheet && columnsOf(sheet.header, mapping, sheet.firstRows);
  const check = lineChecker(mapping, now);
  const lines: LoadLine[] = [];
  const bad: RejectedLine[] = [];
  let read = 0;
  let good = 0;
  for (const { unreadable, ...line } of readLines(opened, columns).take(limit)) {
    read += 1;
    if (read % linesPerTurn === 0) {
      progress(read);
      await turn();
    }
    if (unreadable !== undefined) {
      bad.push({ ...line, errors: { line: unreadable } });
      continue;
    }
    const { value = {} } = line;
    const checked = check(value);
    const errors = 'imported' in checked ? loadErrors?.get(good) : undefined;
    if ('imported' in checked) good += 1;
    // A line that the load rejects is described like any other rejected line.
    const result = errors ? check(value, errors) : checked;
    if ('imported' in result) lines.push(result.imported);
    else bad.push({ ...line, errors: result.errors, value: result.members });
  }
  progress(read);
  return {
    /** Good lines in the order of the file. */
    lines,
    /** Number of rejected lines. */
    rejected: bad.length,
    reasons: reasonsOf(bad),
    /** A file of the rejected lines, to be corrected and imported. */
    rejectedLines: rejectedFile(sheet, bad),
    /** The first good lines. */
    examples: lines.slice(0, examplesShown),
    /** True if a good line has a status. */
    hasStatus: lines.some(({ status }) => status !== undefined),
    /** True if a good line has a time, or if there are none. */
    hasTime: lines.length === 0 || lines.some(({ createdAt }) => createdAt !== undefined),
    columns,
  };
}

/** @param columns of a sheet */
export function* readLines({ text, sheet }: Pick<OpenedFile, 'text' | 'sheet'>, columns?: Columns) {
  if (!sheet) yield* jsonLines(text);
  else if (columns) for (const record of sheet.records()) yield sheetLine(record, columns);
}

function sheetLine({ line, text, cells = [], unreadable }: CsvRecord, columns: Columns): Line {
  const { length: width } = columns.header;
  // With too many or too few cells, their columns are unknown.
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

const linesShown = 5;

/**
 * Returns the reasons in the order of the file, each with its number of lines and the numbers of the first
 * ones.
 */
function reasonsOf(rejected: readonly RejectedLine[]) {
  // The field is `line` if a line cannot be read.
  const reasons = new Map<string, { field: string; rule: string; count: number; lines: number[] }>();
  for (const { line, errors } of rejected) {
    for (const [field, rule] of Object.entries(errors)) {
      const key = `${field} ${rule}`;
      const reason = reasons.get(key) ?? { field, rule, count: 0, lines: [] };
      reasons.set(key, reason);
      reason.count += 1;
      if (reason.lines.length < linesShown) reason.lines.push(line);
    }
  }
  return [...reasons.values()];
}

/**
 * Returns the readable parts of rejected lines: as NDJSON, or for a sheet as CSV with the same
 * separator.
 */
function rejectedFile(sheet: Sheet | undefined, rejected: readonly RejectedLine[]): string {
  if (!sheet) return rejected.map((line) => `${jsonOf(line)}\n`).join('');
  const isUsed = (field: LineField) =>
    rejected.some(({ value = {} }) => cellsOf(value, [field]).join() !== '');
  const header = lineFields.filter((field) => required.includes(field) || isUsed(field));
  const rows = rejected.map(({ line, text, errors, value }) => {
    const why = Object.entries(errors).map((error) => error.join(' '));
    return [...cellsOf(value ?? {}, header), String(line), why.join('; '), value ? '' : text];
  });
  // The byte order mark tells spreadsheets that this is UTF-8.
  return `\uFEFF${csvText([[...header, ...reasonColumns], ...rows], sheet.separator)}`;
}

function jsonOf({ value, ...rejected }: RejectedLine): string {
  try {
    return JSON.stringify({ ...value, rejected });
  } catch {
    // The value is nested too deeply for JSON. Its text is still written.
    return JSON.stringify({ rejected });
  }
}
