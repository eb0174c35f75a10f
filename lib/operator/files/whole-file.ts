/**
 * Reads whole files into memory, and writes files that appear under their names only once they are complete.
 */
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

const megabyte = 1024 * 1024;
const maxMegabytes = 256;

const otherName = 'choose another name';

export interface WholeFile {
  bytes: Buffer<ArrayBuffer>;
  /** SHA-256 of the bytes, hexadecimal. */
  hash: string;
  /** The time at which the file was written. */
  modifiedAt: Date;
}

/** @throws if the file does not exist, is not a regular file, or is larger than 256 MB */
export async function readWhole(file: string): Promise<WholeFile> {
  const stats = await stat(file).catch((error: unknown) => {
    throw systemError(error)?.code === 'ENOENT' ? new Error(`There is no file ${file}.`) : error;
  });
  // Opening a pipe would wait for a writer.
  if (!stats.isFile()) throw new Error(`${file} is not a regular file.`);
  if (stats.size > maxMegabytes * megabyte)
    throw new Error(
      `${file} is ${Math.ceil(stats.size / megabyte).toLocaleString('en')} MB. The limit is ${maxMegabytes} MB: split the file.`,
    );
  return wholeFile(await readFile(file), stats.mtime);
}

export function wholeFile(bytes: Buffer<ArrayBuffer>, modifiedAt: Date): WholeFile {
  return { bytes, hash: createHash('sha256').update(bytes).digest('hex'), modifiedAt };
}

/**
 * Writes a new file. Its pieces go to a part file next to it, which is removed unless the process is killed.
 * Calls of the file system are synchronous, so that no signal comes in between.
 * @param link makes a second name of a file; tests replace it
 * @throws if the name is taken at the beginning or the end, or the file cannot be written
 */
export async function writeNewFile(
  file: string,
  pieces: Iterable<string> | AsyncIterable<string>,
  link: typeof fs.linkSync = fs.linkSync,
): Promise<void> {
  if (file === '') throw new Error('The file has no name.');
  // A run that was killed may have left its own part file.
  const part = `${file}.${randomBytes(4).toString('hex')}.part`;
  const open = explaining(file, () => {
    if (fs.lstatSync(file, { throwIfNoEntry: false })) throw exists(file, otherName);
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

/** Gives the part file its final name, unless the name is taken. */
function nameOnce(part: string, file: string, link: typeof fs.linkSync): void {
  try {
    link(part, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // the call throws nothing else
    if (code === 'EEXIST') throw error;
    // Some file systems do not support links. On those, an empty file reserves the name.
    fs.closeSync(fs.openSync(file, 'wx'));
    fs.renameSync(part, file);
  }
}

/** Calls the file system. Errors name the file, not its part file. */
function explaining<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw notWritten(file, otherName, error);
  }
}

/** Adds advice to an error of the file system. Returns other errors unchanged. */
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
  const isSystemError = typeof error === 'object' && error !== null && 'code' in error && 'syscall' in error;
  return isSystemError ? (error as NodeJS.ErrnoException) : undefined; // such a call throws nothing else
}
