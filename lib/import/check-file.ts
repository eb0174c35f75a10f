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

/** A line that is not imported, and why, by field; `line` where it cannot be read. */
export interface RefusedLine {
  line: number;
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
  columns?: Columns;
}

/** What tells a file, as it is read, from every other. */
export async function fingerprintOf(options: FileOptions, mode: string): Promise<string> {
  const { file, ...how } = options;
  const hash = createHash('sha256').update(JSON.stringify([how, mode]));
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

const refusedShown = 10;

/** Where the refused lines of a file are written. */
export function rejectedFileOf(file: string): string {
  return `${file}.rejected.ndjson`;
}

/**
 * Checks all lines. Those that are refused are written to a file beside, with their reasons, unless `dryRun`: mended
 * there, they can be imported from it.
 * @param onBytes told how much of the file was read
 */
export async function checkFile(
  options: FileOptions,
  { now, dryRun, onBytes }: { now: Date; dryRun: boolean; onBytes: (bytes: number) => void },
): Promise<CheckedFile> {
  const checked: CheckedFile = {
    times: { createdAt: [], updatedAt: [], updateOrdinal: [], idOrdinal: [] },
    refused: 0,
    firstRefused: [],
    hasHistory: false,
  };
  const rejectedFile = rejectedFileOf(options.file);
  let rejected: FileHandle | undefined;
  // An earlier run's: what it says may be mended.
  if (!dryRun) await rm(rejectedFile, { force: true });
  const lines = linesOf(options, now, {
    onBytes,
    onColumns: (columns) => {
      checked.columns = columns;
    },
  });
  try {
    for await (const { line, value, imported, errors } of lines) {
      if (imported) {
        addTimes(checked.times, imported);
        const { status, createdAt, updatedAt } = imported;
        checked.hasHistory ||= status !== undefined || createdAt !== undefined || updatedAt !== undefined;
        continue;
      }
      checked.refused += 1;
      if (checked.refused <= refusedShown) checked.firstRefused.push({ line, errors });
      if (dryRun) continue;
      rejected ??= await open(rejectedFile, 'w');
      const members = typeof value === 'object' && value !== null ? value : { value };
      await rejected.write(`${JSON.stringify({ ...members, rejected: { line, errors } })}\n`);
    }
  } finally {
    await rejected?.close();
  }
  return checked;
}

type CheckedLine = { line: number; value: unknown } & (
  | { imported: ImportedLine; errors?: undefined }
  | { errors: ErrorDetails; imported?: undefined }
);

/** The lines of a file, each checked. */
async function* linesOf(
  options: FileOptions,
  now: Date,
  told: Told = {},
): AsyncGenerator<CheckedLine, void, undefined> {
  const check = lineChecker({ dateFormat: options.dateFormat, now });
  for await (const each of readLines(options.file, options.format, options, told)) {
    const value = 'value' in each ? each.value : undefined;
    yield { line: each.line, value, ...checkedLine(each, check) };
  }
}

function checkedLine(line: Line, check: ReturnType<typeof lineChecker>) {
  return 'unreadable' in line ? { errors: { line: line.unreadable } } : check(line.value);
}

/** The good lines of a file, numbered from 0. */
export async function* goodLines(
  options: FileOptions,
  now: Date,
): AsyncGenerator<{ number: number; imported: ImportedLine }, void, undefined> {
  let number = 0;
  for await (const { imported } of linesOf(options, now)) {
    if (!imported) continue;
    yield { number, imported };
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
