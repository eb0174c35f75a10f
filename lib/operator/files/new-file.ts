/**
 * A new file of which nothing is seen under its name until it is whole. What is written stands in a part file beside it,
 * which is removed when the program ends before, in any way that can be caught.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { fileIsThere, newFileError } from './file-errors.ts';

/** Each call has ended when it returns, so that no signal comes in between. */
export interface NewFile {
  write(content: string | Uint8Array): void;
  /**
   * Gives it its name.
   * @throws when something has that name by now
   */
  keep(): void;
  /** Removes what was written, unless it was kept. */
  discard(): void;
}

/**
 * Begins a file.
 * @param link makes a second name of a file; tests have file systems that cannot
 * @throws when the name is taken, or nothing can be written there
 */
export function newFile(file: string, link: typeof fs.linkSync = fs.linkSync): NewFile {
  if (file === '') throw new Error('The file has no name.');
  // A run that was killed may have left a part of its own.
  const part = `${file}.${randomBytes(4).toString('hex')}.part`;
  const open = explaining(file, () => {
    if (fs.lstatSync(file, { throwIfNoEntry: false })) throw fileIsThere(file);
    return fs.openSync(part, 'wx');
  });
  let isOpen = true;
  const close = () => {
    if (isOpen) fs.closeSync(open);
    isOpen = false;
  };
  const discard = () => {
    process.off('exit', discard);
    close();
    fs.rmSync(part, { force: true });
  };
  process.once('exit', discard);
  return {
    write: (content) => explaining(file, () => fs.writeFileSync(open, content)),
    keep: () =>
      explaining(file, () => {
        fs.fsyncSync(open);
        close();
        nameOnce(part, file, link);
        discard();
      }),
    discard,
  };
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
    throw newFileError(file, error);
  }
}

/** Writes a new file as a whole. */
export function writeNewFile(name: string, pieces: Iterable<string | Uint8Array>): void {
  const file = newFile(name);
  try {
    for (const piece of pieces) file.write(piece);
    file.keep();
  } finally {
    file.discard();
  }
}
