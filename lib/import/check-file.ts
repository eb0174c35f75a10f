/** Reading a whole file before anything of it is stored: which lines are good, and why the others are not. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { ErrorDetails } from '../../functions/http/api-error.ts';
import type { ColumnOptions, Columns } from './columns.ts';
import { type ImportedLine, lineChecker, ordinalOfLine } from './imported-line.ts';
import type { LineTimes } from './places.ts';
import { type Format, type Line, readLines, type Told } from './read-lines.ts';

export interface FileOptions extends ColumnOptions {
  file: string;
  format: Format;
  /** How times are written; ISO 8601 where it is absent. */
  dateFormat?: string;
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
  refused: number;
  /** The first of them. */
  firstRefused: RefusedLine[];
  /** True when a line says when it was created or what became of it. */
  hasHistory: boolean;
  /** True when a line has an id of this service. */
  hasIds: boolean;
  columns?: Columns;
}

/** What tells a file, as it is read, from every other; its name does not matter. */
export async function fingerprintOf(
  { file, format, map, defaults, dateFormat }: FileOptions,
  mode: string,
): Promise<string> {
  const sorted = (record: object) => Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const how = { format, map: sorted(map), defaults: sorted(defaults), dateFormat, mode };
  const hash = createHash('sha256').update(JSON.stringify(how));
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

const refusedShown = 10;

/** Where the refused lines of a file are written. */
export function rejectedFileOf(file: string): string {
  return `${file}.rejected.ndjson`;
}

/**
 * Checks all lines. Those that are refused are written to a file beside, with their reasons, if `writesRejected`: mended
 * there, they can be imported from it.
 * @param onBytes told how much of the file was read
 */
export async function checkFile(
  options: FileOptions,
  { now, writesRejected, onBytes }: { now: Date; writesRejected: boolean; onBytes: (bytes: number) => void },
): Promise<CheckedFile> {
  const checked: CheckedFile = {
    times: { createdAt: [], updatedAt: [], updateOrdinal: [], idOrdinal: [] },
    refused: 0,
    firstRefused: [],
    hasHistory: false,
    hasIds: false,
  };
  const rejectedFile = rejectedFileOf(options.file);
  let rejected: FileHandle | undefined;
  // An earlier run's: the file may have no such lines any more.
  if (writesRejected) await rm(rejectedFile, { force: true });
  const lines = linesOf(options, now, {
    onBytes,
    onColumns: (columns) => {
      checked.columns = columns;
    },
  });
  try {
    for await (const each of lines) {
      if ('imported' in each) {
        addTimes(checked.times, each.imported);
        const { status, createdAt, updatedAt } = each.imported;
        checked.hasHistory ||= status !== undefined || createdAt !== undefined || updatedAt !== undefined;
        checked.hasIds ||= ordinalOfLine(each.imported) > 0;
        continue;
      }
      const { there, ...refused } = each;
      checked.refused += 1 + (refused.lastLine ?? refused.line) - refused.line;
      if (checked.firstRefused.length < refusedShown) checked.firstRefused.push(refused);
      if (!writesRejected) continue;
      rejected ??= await open(rejectedFile, 'w');
      await rejected.write(`${JSON.stringify({ ...there, rejected: refused })}\n`);
    }
  } finally {
    await rejected?.close();
  }
  return checked;
}

type CheckedLine =
  | { imported: ImportedLine }
  // `there` is what the line has, as an object.
  | (RefusedLine & { there: Record<string, unknown> });

/** The lines of a file, each checked. */
async function* linesOf(
  options: FileOptions,
  now: Date,
  told: Told = {},
): AsyncGenerator<CheckedLine, void, undefined> {
  const check = lineChecker({ dateFormat: options.dateFormat, now });
  for await (const each of readLines(options.file, options.format, options, told)) {
    yield checkedLine(each, check);
  }
}

function checkedLine(each: Line, check: ReturnType<typeof lineChecker>): CheckedLine {
  const { line } = each;
  if ('value' in each) {
    const result = check(each.value);
    return 'imported' in result ? result : { line, errors: result.errors, there: each.value };
  }
  const { lastLine, unreadable, there } = each;
  return {
    line,
    ...(lastLine > line && { lastLine }),
    errors: { line: unreadable },
    there: there === undefined ? {} : { line: there },
  };
}

/** The good lines of a file, numbered from 0. */
export async function* goodLines(
  options: FileOptions,
  now: Date,
): AsyncGenerator<{ number: number; imported: ImportedLine }, void, undefined> {
  let number = 0;
  for await (const each of linesOf(options, now)) {
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
