/** Reading a whole file before anything of it is stored: which lines are good, and why the others are not. */
import { createHash } from 'node:crypto';
import type { ErrorDetails } from '../../../functions/http/api-error.ts';
import type { FileFormat } from '../files/file-format.ts';
import type { OwnCopy } from '../files/own-copy.ts';
import type { ColumnOptions, Columns } from './columns.ts';
import type { LineRules } from './import-job.ts';
import { type ImportedLine, lineChecker, ordinalOfLine } from './imported-line.ts';
import type { LineTimes } from './places.ts';
import { type Line, readLines, type Told } from './read-lines.ts';
import type { RejectedLine, RejectedLines } from './rejected-lines.ts';
import { SpreadSample } from './spread-sample.ts';

export interface FileOptions extends ColumnOptions {
  file: string;
  format: FileFormat;
  /** How times are written; ISO 8601 where it is absent. */
  dateFormat?: string;
  /** Ratings as 4.5 are rounded. */
  roundRatings: boolean;
}

/** A file, as it is read: from a copy. */
export interface Source extends FileOptions {
  copy: OwnCopy;
}

/** Lines that are not imported, and why, by field; `line` where they cannot be read. */
export interface RefusedLine {
  line: number;
  /** The last of several that cannot be told apart; absent where it is one. */
  lastLine?: number;
  errors: ErrorDetails;
}

export interface CheckedFile {
  /** Of all good lines. */
  times: LineTimes;
  /** Some of them, from all over the file. */
  sample: ImportedLine[];
  refused: number;
  /** The first of them. */
  firstRefused: RefusedLine[];
  /** Lines that say when they were created. */
  dated: number;
  /** True when a line has an id of this service. */
  hasIds: boolean;
  columns?: Columns;
}

/** What tells a file, as it is read, from every other; its name does not matter. */
export function fingerprintOf(
  { copy, format, map, defaults, dateFormat, roundRatings }: Source,
  mode: string,
): string {
  const sorted = (record: object) => Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const how = {
    format,
    map: sorted(map),
    defaults: sorted(defaults),
    dateFormat,
    mode,
    ...(roundRatings && { roundRatings }),
  };
  return createHash('sha256').update(JSON.stringify(how)).update(copy.hash).digest('hex');
}

const refusedShown = 10;
const sampleSize = 20;

/**
 * Checks all lines.
 * @param rejected given those that are refused
 * @param onBytes told how much of the file was read
 */
export async function checkFile(
  source: Source,
  rules: LineRules,
  { now, rejected, onBytes }: { now: Date; rejected?: RejectedLines; onBytes: (bytes: number) => void },
): Promise<CheckedFile> {
  const checked: Omit<CheckedFile, 'sample'> = {
    times: { createdAt: [], updatedAt: [], updateOrdinal: [], idOrdinal: [] },
    refused: 0,
    firstRefused: [],
    dated: 0,
    hasIds: false,
  };
  const sample = new SpreadSample<ImportedLine>(sampleSize);
  const lines = linesOf(source, rules, now, {
    onBytes,
    onColumns: (columns) => {
      checked.columns = columns;
    },
  });
  for await (const each of lines) {
    if ('imported' in each) {
      addTimes(checked.times, each.imported);
      sample.add(each.imported);
      if (each.imported.createdAt !== undefined) checked.dated += 1;
      checked.hasIds ||= ordinalOfLine(each.imported) > 0;
      continue;
    }
    const { line, lastLine = line, errors } = each.refused;
    checked.refused += 1 + lastLine - line;
    if (checked.firstRefused.length < refusedShown) checked.firstRefused.push(each.refused);
    for (const [i, { text, value = {} }] of each.there.entries()) {
      rejected?.write({ line: line + i, errors, text, fields: value });
    }
  }
  return { ...checked, sample: sample.found };
}

type CheckedLine =
  | { imported: ImportedLine }
  | { refused: RefusedLine; there: { text: string; value?: RejectedLine['fields'] }[] };

/** The lines of a file, each checked. */
async function* linesOf(
  source: Source,
  rules: LineRules,
  now: Date,
  told: Told = {},
): AsyncGenerator<CheckedLine, void, undefined> {
  const { copy, dateFormat, roundRatings } = source;
  const check = lineChecker({ dateFormat, roundRatings, now, rules });
  for await (const each of readLines(copy.read(), source, source, told)) {
    yield checkedLine(each, check);
  }
}

function checkedLine(each: Line, check: ReturnType<typeof lineChecker>): CheckedLine {
  const { line } = each;
  if ('value' in each) {
    const { text, value } = each;
    const result = check(value);
    return 'imported' in result
      ? result
      : { refused: { line, errors: result.errors }, there: [{ text, value: result.members }] };
  }
  const { lastLine, unreadable, lines } = each;
  return {
    refused: { line, ...(lastLine > line && { lastLine }), errors: { line: unreadable } },
    there: lines,
  };
}

/** A good line, by its number among these, from 0. */
export interface NumberedLine {
  number: number;
  imported: ImportedLine;
}

/** The good lines of a file. */
export async function* goodLines(
  source: Source,
  rules: LineRules,
  now: Date,
): AsyncGenerator<NumberedLine, void, undefined> {
  let number = 0;
  for await (const each of linesOf(source, rules, now)) {
    if (!('imported' in each)) continue;
    yield { number, imported: each.imported };
    number += 1;
  }
}

function addTimes(times: LineTimes, line: ImportedLine): void {
  const createdAt = line.createdAt ?? Number.POSITIVE_INFINITY;
  times.createdAt.push(createdAt);
  times.updatedAt.push(line.updatedAt ?? createdAt);
  times.updateOrdinal.push(line.updateOrdinal ?? 0);
  times.idOrdinal.push(ordinalOfLine(line));
}
