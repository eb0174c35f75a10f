/** A copy of a file that is read several times: the file itself may change, move or vanish meanwhile. */
import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { readError } from './file-errors.ts';
import { appendTo, piecesOf, unnamedFile } from './unnamed-file.ts';

export interface OwnCopy {
  /** Reads it from its beginning, piece by piece. */
  read: () => Iterable<Buffer>;
  /** Bytes. */
  size: number;
  /** SHA-256, hexadecimal. */
  hash: string;
  /** Ends it. */
  discard: () => void;
}

/**
 * Copies a file into one that nobody else reads.
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
    const size = Number(before.size);
    const target = unnamedFile();
    const discard = () => closeSync(target);
    try {
      const hash = await copy(source, target, (bytes) => onBytes(bytes, size));
      const after = await source.stat({ bigint: true });
      if (after.size !== before.size || after.ctimeNs !== before.ctimeNs) {
        throw new Error(`${file} was changed while it was read: run this again.`);
      }
      return { read: () => piecesOf(target), size, hash, discard };
    } catch (error) {
      discard();
      throw error;
    }
  } finally {
    await source.close();
  }
}

async function openToRead(file: string): Promise<FileHandle> {
  const found = await stat(file).catch((error: unknown) => {
    throw readError(file, error);
  });
  // To open a pipe would wait for whoever writes to it.
  if (!found.isFile()) throw new Error(`${file} is not a regular file.`);
  return open(file, 'r');
}

async function copy(source: FileHandle, target: number, onBytes: (bytes: number) => void): Promise<string> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of source.createReadStream({ autoClose: false, start: 0 })) {
    hash.update(chunk);
    appendTo(target, chunk);
    bytes += chunk.length;
    onBytes(bytes);
  }
  return hash.digest('hex');
}
