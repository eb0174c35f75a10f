/** Says in one line what is in the way of a wall's folder, and what to do. */
import { dirname } from 'node:path';

const readablePath = 80;

const lines: Record<string, (path: string, folder: string) => string> = {
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

/**
 * The error to show in the place of one of the file system.
 * @param folder where the wall is written
 * @returns any other error as it is
 */
export function explainFolderError(folder: string, error: unknown): unknown {
  if (!(typeof error === 'object' && error !== null && 'syscall' in error)) return error;
  const { code = '', path = folder, syscall } = error as NodeJS.ErrnoException; // what has a system call is one
  // What cannot be made in a file: the file is in the way.
  const inTheWay = code === 'ENOTDIR' && syscall === 'mkdir' ? dirname(path) : path;
  const line = lines[code]?.(inTheWay, folder) ?? `${path} cannot be written (${code}): name another folder.`;
  return new Error(line, { cause: error });
}

function notPermitted(path: string): string {
  return `You may not write ${path}: change its permissions, or name another folder.`;
}

function full(_: string, folder: string): string {
  return `There is no space left for ${folder}: free some and run it again, or name another folder.`;
}
