/** The lines of a file that are not imported, beside it: with the text that stood there and what is wrong with it. */
import { closeSync, fstatSync, lstatSync, readFileSync } from 'node:fs';
import type { ErrorDetails } from '../../../functions/http/api-error.ts';
import { rejectedFileError } from '../files/file-errors.ts';
import { writeNewFile } from '../files/new-file.ts';
import { appendTo, piecesOf, unnamedFile } from '../files/unnamed-file.ts';

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
  /** Ends them. */
  discard(): void;
}

/**
 * Collects rejected lines.
 * @param file that is imported
 */
export function rejectedLines(file: string): RejectedLines {
  let collected: number | undefined;
  return {
    write({ fields, ...rejected }) {
      collected ??= unnamedFile();
      appendTo(collected, `${jsonOf(fields, rejected)}\n`);
    },
    keep() {
      if (collected === undefined) return undefined;
      // Whatever stands under an earlier name may be mended by now.
      for (let number = 1; ; number += 1) {
        const name = `${file}.rejected${number === 1 ? '' : `-${number}`}.ndjson`;
        if (!isThere(name)) {
          writeNewFile(name, piecesOf(collected));
          return name;
        }
        if (isSame(collected, name)) return name;
      }
    },
    discard() {
      if (collected !== undefined) closeSync(collected);
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

function isThere(name: string): boolean {
  try {
    return lstatSync(name, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw rejectedFileError(name, error);
  }
}

function isSame(collected: number, name: string): boolean {
  const { size } = fstatSync(collected);
  const there = lstatSync(name);
  if (!there.isFile() || there.size !== size) return false;
  const theirs = readFileSync(name);
  let at = 0;
  for (const piece of piecesOf(collected)) {
    if (!piece.equals(theirs.subarray(at, at + piece.length))) return false;
    at += piece.length;
  }
  return true;
}
