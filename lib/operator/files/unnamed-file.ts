/** Files that a program writes for itself: without a name, so that nothing of them is left however it ends. */
import { mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyError } from './file-errors.ts';

/**
 * Opens an empty file to write and to read, which is gone once it is closed.
 * @returns its descriptor
 * @throws when there is no place for it
 */
export function unnamedFile(): number {
  try {
    const directory = mkdtempSync(join(tmpdir(), 'testimonials-import-'));
    const remove = () => rmSync(directory, { recursive: true, force: true });
    const open = openSync(join(directory, 'file'), 'wx+', 0o600);
    try {
      remove();
    } catch {
      // Where what is open keeps its name, as on Windows.
      process.once('exit', remove);
    }
    return open;
  } catch (error) {
    throw copyError(error);
  }
}

// Read at once.
const pieceSize = 64 * 1024;

/** Reads such a file from its beginning. */
export function* piecesOf(open: number): Generator<Buffer, void, undefined> {
  for (let at = 0; ; ) {
    const piece = Buffer.alloc(pieceSize);
    const length = readSync(open, piece, 0, pieceSize, at);
    if (length === 0) return;
    yield piece.subarray(0, length);
    at += length;
  }
}

/** Writes at the end of such a file. */
export function appendTo(open: number, content: string | Uint8Array): void {
  try {
    writeFileSync(open, content);
  } catch (error) {
    throw copyError(error);
  }
}
