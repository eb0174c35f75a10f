/** A file that is read once, into memory: whatever becomes of it afterwards does not matter. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { readError } from './file-errors.ts';

const megabyte = 1024 * 1024;
const mostMegabytes = 256;

export interface WholeFile {
  bytes: Buffer;
  /** SHA-256, hexadecimal. */
  hash: string;
}

/** @throws when there is no such file, or it has more than 256 MB */
export async function readWhole(file: string): Promise<WholeFile> {
  const found = await stat(file).catch((error: unknown) => {
    throw readError(file, error);
  });
  // To open a pipe would wait for whoever writes to it.
  if (!found.isFile()) throw new Error(`${file} is not a regular file.`);
  if (found.size > mostMegabytes * megabyte) {
    const size = Math.ceil(found.size / megabyte).toLocaleString('en');
    throw new Error(
      `${file} has ${size} MB, and ${mostMegabytes} MB are the most, as it is read into memory: split it.`,
    );
  }
  const bytes = await readFile(file);
  return { bytes, hash: createHash('sha256').update(bytes).digest('hex') };
}
