/** Reading a whole file before anything of it is stored: which lines are good, and why the others are not. */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { ErrorDetails } from '../../../functions/http/api-error.ts';
import type { FileFormat } from '../files/whole-file.ts';
import { notWritten, readWhole, writeNewFile } from '../files/whole-file.ts';
import type { ColumnOptions, Columns } from './columns.ts';
import type { LineRules } from './imported-line.ts';
import { type ImportedLine, lineChecker } from './imported-line.ts';
import { readLines, textOf } from './read-lines.ts';

export interface FileOptions extends ColumnOptions {
  file: string;
  format: FileFormat;
  /** How times are written; ISO 8601 where it is absent. */
  dateFormat?: string;
  /** Ratings as 4.5 are rounded. */
  roundRatings: boolean;
}

/** A file in memory, and how it is read. */
export interface Source extends FileOptions {
  text: string;
  /** SHA-256 of its bytes, hexadecimal. */
  hash: string;
}

/** Lines that are not imported, and why, by field; `line` where they cannot be read. */
export interface RefusedLine {
  line: number;
  /** The last of several that cannot be told apart; absent where it is one. */
  lastLine?: number;
  errors: ErrorDetails;
}

export interface CheckedFile {
  /** The good ones, in the order of the file. */
  lines: ImportedLine[];
  refused: number;
  /** The first of them. */
  firstRefused: RefusedLine[];
  columns?: Columns;
}

/** Reads a file into memory. */
export async function openSource<Options extends FileOptions>(options: Options): Promise<Options & Source> {
  const { bytes, hash } = await readWhole(options.file);
  return { ...options, hash, text: textOf(bytes, options.file) };
}

/** What tells a file, as it is read, from every other; its name does not matter. */
export function fingerprintOf(
  { hash, format, map, defaults, dateFormat, roundRatings }: Source,
  mode: string,
): string {
  const sorted = (record: object) => Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const how = [format, sorted(map), sorted(defaults), dateFormat, roundRatings, mode];
  return createHash('sha256').update(JSON.stringify(how)).update(hash).digest('hex');
}

const refusedShown = 10;

// Signals and other requests of the program wait for so many at most.
const linesATurn = 1000;

/**
 * Checks all lines.
 * @param progress told how many lines of the file were checked
 */
export async function checkFile(
  source: Source,
  rules: LineRules,
  { now, progress }: { now: Date; progress: (lines: number) => void },
): Promise<CheckedFile> {
  const checked: CheckedFile = { lines: [], refused: 0, firstRefused: [] };
  const onColumns = (columns: Columns) => {
    checked.columns = columns;
  };
  let read = 0;
  for (const each of checkedLines(source, rules, now, onColumns)) {
    read += 1;
    if (read % linesATurn === 0) {
      progress(read);
      await turn();
    }
    if ('imported' in each) {
      checked.lines.push(each.imported);
      continue;
    }
    const { line, lastLine = line } = each.refused;
    checked.refused += 1 + lastLine - line;
    if (checked.firstRefused.length < refusedShown) checked.firstRefused.push(each.refused);
  }
  progress(read);
  return checked;
}

/** The refused lines as NDJSON: each with what was understood of it, so that it can be imported once it is mended. */
export function refusedLines(source: Source, rules: LineRules, now: Date): string {
  const written: string[] = [];
  for (const each of checkedLines(source, rules, now)) {
    if (!('refused' in each)) continue;
    const { line, errors } = each.refused;
    for (const [i, { text, value = {} }] of each.there.entries()) {
      written.push(`${jsonOf(value, { line: line + i, errors, text })}\n`);
    }
  }
  return written.join('');
}

function jsonOf(fields: Record<string, unknown>, rejected: object): string {
  try {
    return JSON.stringify({ ...fields, rejected });
  } catch {
    // Nested too deep to be written, which the text is not.
    return JSON.stringify({ rejected });
  }
}

type CheckedLine =
  | { imported: ImportedLine }
  | { refused: RefusedLine; there: { text: string; value?: Record<string, unknown> }[] };

/** The lines of a file, each checked. */
function* checkedLines(
  { text, format, dateFormat, roundRatings, ...columns }: Source,
  rules: LineRules,
  now: Date,
  onColumns?: (columns: Columns) => void,
): Generator<CheckedLine, void, undefined> {
  const check = lineChecker({ dateFormat, roundRatings, now, rules });
  for (const each of readLines(text, format, columns, onColumns)) {
    const { line } = each;
    if ('value' in each) {
      const result = check(each.value);
      if ('imported' in result) yield result;
      else {
        const there = [{ text: each.text, value: result.members }];
        yield { refused: { line, errors: result.errors }, there };
      }
    } else {
      const { lastLine, unreadable, lines } = each;
      const errors = { line: unreadable };
      yield { refused: { line, ...(lastLine > line && { lastLine }), errors }, there: lines };
    }
  }
}

/**
 * Writes refused lines into a file beside the imported one, of a name that nothing else has; where they stand in such a file
 * already, it is that.
 * @returns its name
 */
export function writeRejected(file: string, text: string): string {
  // Whatever stands under an earlier name may be mended by now.
  for (let number = 1; ; number += 1) {
    const name = `${file}.rejected${number === 1 ? '' : `-${number}`}.ndjson`;
    try {
      const there = lstatSync(name, { throwIfNoEntry: false });
      if (!there) writeNewFile(name, text);
      if (!there || (there.isFile() && readFileSync(name, 'utf8') === text)) return name;
    } catch (error) {
      throw notWritten(name, 'rename or move the imported file', error);
    }
  }
}
