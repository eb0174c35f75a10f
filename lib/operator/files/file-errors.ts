/**
 * What goes wrong with files, in one line that says what to do about it. Each function is given the error of a call and
 * returns the one to show; what is not of the file system stays as it is.
 */
import { dirname } from 'node:path';

const readablePath = 80;

/** The error of a file that is read. */
export function readError(file: string, error: unknown): unknown {
  return systemError(error)?.code === 'ENOENT' ? new Error(`There is no file ${file}.`) : error;
}

/** The error of a new file; `error` may speak of a part of it. */
export function newFileError(file: string, error: unknown): unknown {
  const { code, message } = systemError(error) ?? {};
  if (code === undefined) return error;
  if (code === 'EEXIST') return fileIsThere(file);
  if (code === 'ENOENT' || code === 'ENOTDIR') return new Error(`There is no directory for ${file}.`);
  return new Error(`${file} cannot be written: ${message}`);
}

/** What is said where a new file would overwrite another one. */
export function fileIsThere(file: string): Error {
  return new Error(`${file} exists: name another file, or move it away.`);
}

/** The error of the file that refused lines are written to. */
export function rejectedFileError(file: string, error: unknown): Error {
  return new Error(
    `The refused lines cannot be written to ${file} (${reasonOf(error)}): rename or move the file.`,
  );
}

/** The error of the folder where a wall is written. */
export function folderError(folder: string, error: unknown): unknown {
  const { code = '', path = folder, syscall } = systemError(error) ?? {};
  if (syscall === undefined) return error;
  // What cannot be made in a file: the file is in the way.
  const inTheWay = code === 'ENOTDIR' && syscall === 'mkdir' ? dirname(path) : path;
  const line =
    ofFolder[code]?.(inTheWay, folder) ?? `${path} cannot be written (${code}): name another folder.`;
  return new Error(line, { cause: error });
}

const ofFolder: Record<string, (path: string, folder: string) => string> = {
  EACCES: notPermitted,
  EPERM: notPermitted,
  EROFS: (path) => `${path} is on a file system that can only be read: name another folder.`,
  ENAMETOOLONG: (path) =>
    `${path.slice(0, readablePath)}… is longer than the file system takes: name a shorter folder.`,
  ENOSPC: full,
  EDQUOT: full,
  ENOENT: (path) => `${path} cannot be made there: name another folder.`,
  ENOTDIR: (path) => `${path} is not a folder: move it away, or name another folder.`,
  EISDIR: (_, folder) =>
    `${folder} has a folder where a wall has a file: move it away, or name another folder.`,
  ELOOP: (path) => `${path} is a link that leads to itself: name another folder.`,
};

function notPermitted(path: string): string {
  return `You may not write ${path}: change its permissions, or name another folder.`;
}

function full(_: string, folder: string): string {
  return `There is no space left for ${folder}: free some and run it again, or name another folder.`;
}

function systemError(error: unknown): NodeJS.ErrnoException | undefined {
  const isOne = typeof error === 'object' && error !== null && 'code' in error;
  return isOne ? (error as NodeJS.ErrnoException) : undefined; // all that a call of it throws
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
