/** A copy of a file that is read several times: the file itself may change, move or vanish meanwhile. */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, mkdtemp, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface OwnCopy {
  /** Where the copy is; what an import writes for itself stands beside it. */
  directory: string;
  path: string;
  /** Bytes. */
  size: number;
  /** SHA-256, hexadecimal. */
  hash: string;
  /** Removes the copy; the end of the program does so, too. */
  discard: () => void;
}

/**
 * Copies a file into a directory of its own, which nobody else reads.
 * @param onBytes told how much was copied, and of how much
 * @throws when there is no such file, or it changes meanwhile
 */
export async function ownCopyOf(
  file: string,
  onBytes: (bytes: number, size: number) => void = () => {},
): Promise<OwnCopy> {
  const source = await openToRead(file);
  try {
    const before = await source.stat({ bigint: true });
    if (!before.isFile()) throw new Error(`${file} is not a regular file.`);
    const directory = await mkdtemp(join(tmpdir(), 'testimonials-import-'));
    const discard = () => {
      process.off('exit', discard);
      rmSync(directory, { recursive: true, force: true });
    };
    process.once('exit', discard);
    try {
      const path = join(directory, 'copy');
      const size = Number(before.size);
      const hash = await copy(source, path, (bytes) => onBytes(bytes, size));
      const after = await source.stat({ bigint: true });
      if (after.size !== before.size || after.ctimeNs !== before.ctimeNs) {
        throw new Error(`${file} was changed while it was read: run this again.`);
      }
      return { directory, path, size, hash, discard };
    } catch (error) {
      discard();
      throw error;
    }
  } finally {
    await source.close();
  }
}

async function openToRead(file: string): Promise<FileHandle> {
  return open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`There is no file ${file}.`) : error;
  });
}

async function copy(source: FileHandle, path: string, onBytes: (bytes: number) => void): Promise<string> {
  const hash = createHash('sha256');
  const target = await open(path, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of source.createReadStream({ autoClose: false, start: 0 })) {
      hash.update(chunk);
      await target.writeFile(chunk).catch((error: NodeJS.ErrnoException) => {
        throw new Error(`The file cannot be copied to ${tmpdir()}, to be read there: ${error.message}`);
      });
      bytes += chunk.length;
      onBytes(bytes);
    }
  } finally {
    await target.close();
  }
  return hash.digest('hex');
}
