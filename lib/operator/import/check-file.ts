/** Checking a whole file before anything of it is stored: which lines are good, and why the others are not. */
import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { ErrorDetails } from '../../../functions/http/api-error.ts';
import type { FileFormat } from '../files/whole-file.ts';
import { type ColumnOptions, type Columns, columnsOf, required } from './columns.ts';
import { cellsOf, csvText, toldColumns } from './field-cells.ts';
import {
  type ImportedLine,
  type LineField,
  type LineRules,
  lineChecker,
  lineFields,
} from './imported-line.ts';
import { type Line, readLines } from './read-lines.ts';
import type { FileContent, Spreadsheet } from './spreadsheet.ts';

/** How the lines of a file are read. */
export interface Interpretation extends ColumnOptions {
  /** How times are written, as `timeReader` takes it; ISO 8601 where it is absent. */
  dateFormat?: string;
  /** Ratings as 4.5 are rounded. */
  roundRatings?: boolean;
  /** All lines are created now, whatever their times; in the order of these. */
  asNew?: boolean;
}

export interface ImportOptions extends Interpretation {
  /** What people call it. */
  file: string;
  format: FileFormat;
  /** Lines that are there already are left out. */
  onlyNew?: boolean;
}

/** A file in memory, and how it is read. */
export interface FileSource extends ImportOptions, FileContent {
  /** SHA-256 of its bytes, hexadecimal. */
  hash: string;
  /** When it was written, an ISO 8601 date. */
  day: string;
}

/** Why lines are not imported: what is wrong with a field, or with `line` where they cannot be read. */
interface Reason {
  field: string;
  rule: string;
  /** How many lines. */
  count: number;
  /** The first of them. */
  lines: number[];
}

/** What is told of a file that was checked. */
export interface ToldFile {
  refused: number;
  /** In the order of the file. */
  reasons: Reason[];
  /** The refused lines as a file, which can be imported once they are mended. */
  rejected: string;
  /** The first good lines, as they would stand. */
  examples: readonly ImportedLine[];
  /** Some good line has a status. */
  hasStatus: boolean;
  columns?: Columns;
}

interface RefusedLine extends Omit<Line, 'unreadable'> {
  errors: ErrorDetails;
}

export interface CheckedFile extends ToldFile {
  /** The good ones, in the order of the file. */
  lines: ImportedLine[];
}

/** What tells a file, as it is read, from every other; its name does not matter. */
export function fingerprintOf(source: FileSource): string {
  const { hash, format, map, defaults, dateFormat } = source;
  const sorted = (record: object) => Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const flags = [source.roundRatings, source.keepHtml, source.asNew].map(Boolean);
  const how = [format, sorted(map), sorted(defaults), dateFormat, ...flags];
  return createHash('sha256').update(JSON.stringify(how)).update(hash).digest('hex');
}

// Signals and other requests of the program wait for so many at most.
const linesATurn = 1000;
const examplesTold = 5;

/**
 * Checks all lines.
 * @param progress told how many lines of the file were checked
 */
export async function checkFile(
  source: FileSource,
  rules: LineRules,
  { now, progress }: { now: Date; progress: (lines: number) => void },
): Promise<CheckedFile> {
  const { table } = source;
  const columns = table && columnsOf(table.header, source, table.rows);
  const check = lineChecker(source, now, rules);
  const lines: ImportedLine[] = [];
  const refused: RefusedLine[] = [];
  let read = 0;
  for (const { unreadable, ...each } of readLines(source, columns)) {
    read += 1;
    if (read % linesATurn === 0) {
      progress(read);
      await turn();
    }
    if (unreadable !== undefined) {
      refused.push({ ...each, errors: { line: unreadable } });
      continue;
    }
    const result = check(each.value ?? {});
    if ('imported' in result) lines.push(result.imported);
    else refused.push({ ...each, errors: result.errors, value: result.members });
  }
  progress(read);
  return {
    lines,
    refused: refused.length,
    reasons: reasonsOf(refused),
    rejected: refusedFile(table, refused),
    examples: lines.slice(0, examplesTold),
    hasStatus: lines.some(({ status }) => status !== undefined),
    ...(columns && { columns }),
  };
}

const linesTold = 5;

function reasonsOf(refused: readonly RefusedLine[]): Reason[] {
  const reasons = new Map<string, Reason>();
  for (const { line, errors } of refused) {
    for (const [field, rule] of Object.entries(errors)) {
      const key = `${field} ${rule}`;
      const reason = reasons.get(key) ?? { field, rule, count: 0, lines: [] };
      reasons.set(key, reason);
      reason.count += 1;
      if (reason.lines.length < linesTold) reason.lines.push(line);
    }
  }
  return [...reasons.values()];
}

/** Each refused line with what was understood of it: NDJSON, or for a table CSV that is separated as that is. */
function refusedFile(table: Spreadsheet | undefined, refused: readonly RefusedLine[]): string {
  if (!table) return refused.map((each) => `${jsonOf(each)}\n`).join('');
  const has = (field: LineField) => refused.some(({ value = {} }) => cellsOf(value, [field]).join() !== '');
  const header = lineFields.filter((field) => required.includes(field) || has(field));
  const cells = refused.map(({ line, text, errors, value }) => {
    const why = Object.entries(errors).map((each) => each.join(' '));
    return [...cellsOf(value ?? {}, header), String(line), why.join('; '), value ? '' : text];
  });
  // A spreadsheet takes it for UTF-8 by its mark.
  return `\uFEFF${csvText([[...header, ...toldColumns], ...cells], table.separator)}`;
}

function jsonOf({ value, ...rejected }: RefusedLine): string {
  try {
    return JSON.stringify({ ...value, rejected });
  } catch {
    // Nested too deep to be written, which the text is not.
    return JSON.stringify({ rejected });
  }
}
