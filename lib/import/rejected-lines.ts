/** The lines of a file that are not imported, beside it: with the text that stood there and what is wrong with it. */
import { closeSync, openSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorDetails } from '../../functions/http/api-error.ts';
import { newFile } from '../operator/new-file.ts';

export interface RejectedLine {
  line: number;
  errors: ErrorDetails;
  /** As it stood in the file. */
  text: string;
  /** What was understood of it: mended there, it can be imported. */
  fields: Record<string, unknown>;
}

export interface RejectedLines {
  write(line: RejectedLine): void;
  /**
   * Puts them into a file beside the imported one, of a name that nothing else has.
   * @returns its name; undefined when nothing was written
   */
  keep(): string | undefined;
}

// Read at once.
const pieceSize = 1024 * 1024;

/**
 * Collects rejected lines.
 * @param directory where they are until they are kept
 * @param file that is imported
 */
export function rejectedLines(directory: string, file: string): RejectedLines {
  const collected = join(directory, 'rejected');
  let open: number | undefined;
  return {
    write({ fields, ...rejected }) {
      open ??= openSync(collected, 'wx');
      writeSync(open, `${jsonOf(fields, rejected)}\n`);
    },
    keep() {
      if (open === undefined) return undefined;
      closeSync(open);
      open = undefined;
      // Whatever stands under an earlier name may be mended by now.
      for (let number = 1; ; number += 1) {
        const name = `${file}.rejected${number === 1 ? '' : `-${number}`}.ndjson`;
        if (isThere(name)) {
          if (isSame(collected, name)) return name;
          continue;
        }
        const kept = newFile(name);
        for (const piece of piecesOf(collected)) kept.write(piece);
        kept.keep();
        return name;
      }
    },
  };
}

function jsonOf(fields: Record<string, unknown>, rejected: object): string {
  try {
    return JSON.stringify({ ...fields, rejected });
  } catch {
    // Nested too deep to be written, which the text is not.
    return JSON.stringify({ rejected });
  }
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function isSame(a: string, b: string): boolean {
  return statSync(a).size === statSync(b).size && readFileSync(a).equals(readFileSync(b));
}

function* piecesOf(file: string): Generator<Buffer, void, undefined> {
  const open = openSync(file, 'r');
  try {
    for (;;) {
      const piece = Buffer.alloc(pieceSize);
      const length = readSync(open, piece);
      if (length === 0) return;
      yield piece.subarray(0, length);
    }
  } finally {
    closeSync(open);
  }
}
