/** Reading a whole file before anything of it is stored: which lines are good, and why the others are not. */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { ErrorDetails } from '../../../functions/http/api-error.ts';
import type { FileFormat } from '../files/whole-file.ts';
import { notWritten, readWhole, writeNewFile } from '../files/whole-file.ts';
import { type ColumnOptions, type Columns, columnsOf, required } from './columns.ts';
import { cellsOf, csvText, toldColumns } from './field-cells.ts';
import {
  type ImportedLine,
  type LineField,
  type LineRules,
  lineChecker,
  lineFields,
} from './imported-line.ts';
import { readLines } from './read-lines.ts';
import { contentOf, type FileContent, type Table } from './table.ts';

export interface FileOptions extends ColumnOptions {
  file: string;
  /** What people call it; its path where it is absent. */
  name?: string;
  format: FileFormat;
  /** How times are written, as `timeReader` takes it; ISO 8601 where it is absent. */
  dateFormat?: string;
  /** Ratings as 4.5 are rounded. */
  roundRatings: boolean;
}

/** A file in memory, and how it is read. */
export interface Source extends FileOptions, FileContent {
  /** SHA-256 of its bytes, hexadecimal. */
  hash: string;
  /** When it was written, an ISO 8601 date. */
  day: string;
}

/** Why lines are not imported: what is wrong with a field, or with `line` where they cannot be read. */
export interface Reason {
  field: string;
  rule: string;
  /** How many lines. */
  count: number;
  /** The first of them; where several cannot be told apart, the first of these. */
  lines: number[];
}

/** What is told of a file that was checked. */
export interface ToldFile {
  refused: number;
  /** In the order of the file. */
  reasons: Reason[];
  /** Good lines as they would stand, a few that differ. */
  examples: ImportedLine[];
  /** Some good line has a status. */
  hasStatus: boolean;
  columns?: Columns;
}

/** Lines that are not imported: one, or several that cannot be told apart. */
export interface RefusedLine {
  /** The first of them. */
  line: number;
  errors: ErrorDetails;
  /** The text of each, and what was understood of it. */
  there: readonly { text: string; value?: Record<string, unknown> }[];
}

export interface CheckedFile extends ToldFile {
  /** The good ones, in the order of the file. */
  lines: ImportedLine[];
  refusedLines: RefusedLine[];
}

/** Reads a file into memory. */
export async function openSource<Options extends FileOptions>(options: Options): Promise<Options & Source> {
  const { file, name = file, format } = options;
  const { bytes, hash, written } = await readWhole(file, name);
  const content = await contentOf(bytes, format, name);
  return { ...options, hash, day: written.toISOString().slice(0, 10), ...content };
}

/** What tells a file, as it is read, from every other; its name does not matter. */
export function fingerprintOf(
  { hash, format, map, defaults, dateFormat, roundRatings, keepHtml }: Source,
  mode: string,
): string {
  const sorted = (record: object) => Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const how = [
    format,
    sorted(map),
    sorted(defaults),
    dateFormat,
    roundRatings,
    mode,
    ...(keepHtml ? ['HTML'] : []),
  ];
  return createHash('sha256').update(JSON.stringify(how)).update(hash).digest('hex');
}

const linesTold = 5;

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
  const { table, dateFormat, roundRatings } = source;
  const columns = table && table.header.length > 0 ? columnsOf(table.header, source, table.rows) : undefined;
  const check = lineChecker({ dateFormat, roundRatings, now, rules });
  const lines: ImportedLine[] = [];
  const refusedLines: RefusedLine[] = [];
  let read = 0;
  for (const each of readLines(source, columns)) {
    read += 1;
    if (read % linesATurn === 0) {
      progress(read);
      await turn();
    }
    const { line } = each;
    if ('unreadable' in each) {
      refusedLines.push({ line, errors: { line: each.unreadable }, there: each.lines });
      continue;
    }
    const result = check(each.value);
    if ('imported' in result) lines.push(result.imported);
    else {
      const there = [{ text: each.text, value: result.members }];
      refusedLines.push({ line, errors: result.errors, there });
    }
  }
  progress(read);
  return {
    lines,
    refusedLines,
    refused: refusedLines.reduce((sum, { there }) => sum + there.length, 0),
    reasons: reasonsOf(refusedLines),
    examples: examplesOf(lines),
    hasStatus: lines.some(({ status }) => status !== undefined),
    ...(columns && { columns }),
  };
}

function reasonsOf(refused: readonly RefusedLine[]): Reason[] {
  const reasons = new Map<string, Reason>();
  for (const { line, errors, there } of refused) {
    for (const [field, rule] of Object.entries(errors)) {
      const key = `${field} ${rule}`;
      const reason = reasons.get(key) ?? { field, rule, count: 0, lines: [] };
      reasons.set(key, reason);
      reason.count += there.length;
      if (reason.lines.length < linesTold) reason.lines.push(line);
    }
  }
  return [...reasons.values()];
}

/**
 * The refused lines, each with what was understood of it, so that it can be imported once it is mended: as NDJSON, or for a table as
 * CSV that is separated as that is.
 */
export function refusedFile(table: Table | undefined, lines: readonly RefusedLine[]): string {
  const refused = lines.flatMap(({ line, errors, there }) =>
    there.map(({ text, value }, i) => ({ value, told: { line: line + i, errors, text } })),
  );
  if (!table) return refused.map(({ value = {}, told }) => `${jsonOf(value, told)}\n`).join('');
  const has = (field: LineField) => refused.some(({ value = {} }) => cellsOf(value, [field]).join() !== '');
  const header = lineFields.filter((field) => required.includes(field) || has(field));
  const cells = refused.map(({ value, told: { line, errors, text } }) => {
    const why = Object.entries(errors).map((each) => each.join(' '));
    return [...cellsOf(value ?? {}, header), String(line), why.join('; '), value ? '' : text];
  });
  // A spreadsheet takes it for UTF-8 by its mark.
  return `\uFEFF${csvText([[...header, ...toldColumns], ...cells], table.separator)}`;
}

function jsonOf(fields: Record<string, unknown>, rejected: object): string {
  try {
    return JSON.stringify({ ...fields, rejected });
  } catch {
    // Nested too deep to be written, which the text is not.
    return JSON.stringify({ rejected });
  }
}

/**
 * Writes refused lines into a file beside the imported one, of a name that nothing else has; where they stand in such a file
 * already, it is that.
 * @returns its name
 */
export function writeRejected({ file, table }: Source, text: string): string {
  const ending = table ? 'csv' : 'ndjson';
  // Whatever stands under an earlier name may be mended by now.
  for (let number = 1; ; number += 1) {
    const name = `${file}.rejected${number === 1 ? '' : `-${number}`}.${ending}`;
    try {
      const there = lstatSync(name, { throwIfNoEntry: false });
      if (!there) writeNewFile(name, text);
      if (!there || (there.isFile() && readFileSync(name, 'utf8') === text)) return name;
    } catch (error) {
      throw notWritten(name, 'rename or move the imported file', error);
    }
  }
}

const examples = 5;

/** Some lines, those first that differ in what they have. */
function examplesOf(lines: readonly ImportedLine[]): ImportedLine[] {
  const kindOf = ({ author, rating, status, type, tags, createdAt }: ImportedLine) =>
    [rating, status, type, !author.company, !tags?.length, createdAt === undefined].join();
  const differing = Map.groupBy(lines, kindOf)
    .values()
    .map(([first]) => first);
  return [...new Set([...differing, ...lines.slice(0, examples)])]
    .filter((line) => line !== undefined)
    .slice(0, examples);
}
