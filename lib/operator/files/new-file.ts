/**
 * A new file of which nothing is seen under its name until it is whole. What is written stands in a part file beside it,
 * which is removed when the program ends before, in any way that can be caught.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';

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
export function newFile(file: string, link: typeof linkSync = linkSync): NewFile {
  if (file === '') throw new Error('The file has no name.');
  // A run that was killed may have left a part of its own.
  const part = `${file}.${randomBytes(4).toString('hex')}.part`;
  const open = explaining(file, () => {
    if (lstatSync(file, { throwIfNoEntry: false })) throw taken(file);
    return openSync(part, 'wx');
  });
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(open);
    isOpen = false;
  };
  const discard = () => {
    process.off('exit', discard);
    close();
    rmSync(part, { force: true });
  };
  process.once('exit', discard);
  return {
    write: (content) => explaining(file, () => writeFileSync(open, content)),
    keep: () =>
      explaining(file, () => {
        fsyncSync(open);
        close();
        nameOnce(part, file, link);
        discard();
      }),
    discard,
  };
}

/** Gives the part its name, which nothing may have. */
function nameOnce(part: string, file: string, link: typeof linkSync): void {
  try {
    link(part, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // all that the call throws
    if (code === 'EEXIST') throw error;
    // Not every file system has links. A name that is claimed first is nobody else's.
    closeSync(openSync(file, 'wx'));
    renameSync(part, file);
  }
}

/** Does something with the file system; what goes wrong is told of the file, and not of its part. */
function explaining<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // or one of ours, without a code
    if (code === undefined) throw error;
    if (code === 'EEXIST') throw taken(file);
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new Error(`There is no directory for ${file}.`);
    throw new Error(`${file} cannot be written: ${message}`);
  }
}

function taken(file: string): Error {
  return new Error(`${file} exists: name another file, or move it away.`);
}
