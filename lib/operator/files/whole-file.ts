/** Files as a whole: read once into memory, or written so that nothing is seen under a name until it is whole. */

import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

const megabyte = 1024 * 1024;
const mostMegabytes = 256;

const otherFile = 'name another file';

/** A file in memory. */
export interface WholeFile {
  bytes: Buffer;
  /** SHA-256 of its bytes, hexadecimal. */
  hash: string;
  /** When it was written. */
  written: Date;
}

/**
 * Reads a file; whatever becomes of it afterwards does not matter.
 * @throws when there is no such file, or it has more than 256 MB
 */
export async function readWhole(file: string): Promise<WholeFile> {
  const found = await stat(file).catch((error: unknown) => {
    throw systemError(error)?.code === 'ENOENT' ? new Error(`There is no file ${file}.`) : error;
  });
  // To open a pipe would wait for whoever writes to it.
  if (!found.isFile()) throw new Error(`${file} is not a regular file.`);
  const why = tooLargeText(file, found.size);
  if (why !== undefined) throw new Error(why);
  return wholeFile(await readFile(file), found.mtime);
}

export function wholeFile(bytes: Buffer, written: Date): WholeFile {
  return { bytes, hash: createHash('sha256').update(bytes).digest('hex'), written };
}

/** Said of a file that has more bytes than are read into memory; undefined of any other. */
function tooLargeText(file: string, bytes: number): string | undefined {
  if (bytes <= mostMegabytes * megabyte) return undefined;
  const size = Math.ceil(bytes / megabyte).toLocaleString('en');
  return `${file} has ${size} MB, and ${mostMegabytes} MB are the most, as it is read into memory: split it.`;
}

/**
 * Writes a new file. Its pieces stand in a part file beside it until it is whole; that is removed when the program ends before, in any
 * way that can be caught. Each call of the file system has ended when it returns, so that no signal comes in between.
 * @param link makes a second name of a file; tests have file systems that cannot
 * @throws when the name is taken, at first or in the end, or nothing can be written there
 */
export async function writeNewFile(
  file: string,
  pieces: Iterable<string> | AsyncIterable<string>,
  link: typeof fs.linkSync = fs.linkSync,
): Promise<void> {
  if (file === '') throw new Error('The file has no name.');
  // A run that was killed may have left a part of its own.
  const part = `${file}.${randomBytes(4).toString('hex')}.part`;
  const open = explaining(file, () => {
    if (fs.lstatSync(file, { throwIfNoEntry: false })) throw exists(file, otherFile);
    return fs.openSync(part, 'wx');
  });
  const discard = () => fs.rmSync(part, { force: true });
  process.once('exit', discard);
  try {
    for await (const piece of pieces) explaining(file, () => fs.writeFileSync(open, piece));
    explaining(file, () => {
      fs.fsyncSync(open);
      nameOnce(part, file, link);
    });
  } finally {
    fs.closeSync(open);
    discard();
    process.off('exit', discard);
  }
}

/** Gives the part its name, which nothing may have. */
function nameOnce(part: string, file: string, link: typeof fs.linkSync): void {
  try {
    link(part, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // all that the call throws
    if (code === 'EEXIST') throw error;
    // Not every file system has links. A name that is claimed first is nobody else's.
    fs.closeSync(fs.openSync(file, 'wx'));
    fs.renameSync(part, file);
  }
}

/** Does something with the file system; what goes wrong is told of the file, and not of its part. */
function explaining<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw notWritten(file, otherFile, error);
  }
}

/** The error of a file or folder that cannot be written, with what to do about it; what is not of the file system stays as it is. */
export function notWritten(path: string, advice: string, error: unknown): unknown {
  const { code, message } = systemError(error) ?? {};
  if (code === undefined) return error;
  if (code === 'EEXIST') return exists(path, advice);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new Error(`There is no directory for ${path}: ${advice}.`);
  return new Error(`${path} cannot be written (${message}): ${advice}.`, { cause: error });
}

function exists(path: string, advice: string): Error {
  return new Error(`${path} exists: ${advice}, or move it away.`);
}

function systemError(error: unknown): NodeJS.ErrnoException | undefined {
  const isOne = typeof error === 'object' && error !== null && 'code' in error && 'syscall' in error;
  return isOne ? (error as NodeJS.ErrnoException) : undefined; // all that a call of it throws
}

/** The formats that an export writes. */
export const exportFormats = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The formats that an import reads. */
export const fileFormats = [...exportFormats, 'xlsx', 'json'] as const;
export type FileFormat = (typeof fileFormats)[number];

const endings: Record<FileFormat, RegExp> = {
  csv: /\.(csv|tsv|txt)$/i,
  ndjson: /\.(ndjson|jsonl)$/i,
  xlsx: /\.xlsx$/i,
  json: /\.json$/i,
};

/** The format among some that a file's name tells. */
export function formatOf<Format extends FileFormat>(
  file: string,
  formats: readonly Format[],
): Format | undefined {
  return formats.find((format) => endings[format].test(file));
}

/** Said of a file of none of the formats that an import reads. */
export function noFormatText(file: string): string {
  const advice = /\.(xls|ods|numbers)$/i.test(file) ? ': save it as .xlsx or .csv' : '';
  return `${file} is none of .csv, .xlsx, .json and .ndjson${advice}.`;
}
