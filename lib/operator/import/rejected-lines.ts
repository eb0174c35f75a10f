/** The lines of a file that are not imported, beside it: with the text that stood there and what is wrong with it. */
import { closeSync, fstatSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import type { ErrorDetails } from '../../../functions/http/api-error.ts';
import { newFile } from '../files/new-file.ts';
import { noPlace, piecesOf, unnamedFile } from './unnamed-file.ts';

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
      try {
        writeFileSync(collected, `${jsonOf(fields, rejected)}\n`);
      } catch (error) {
        throw noPlace(error);
      }
    },
    keep() {
      if (collected === undefined) return undefined;
      // Whatever stands under an earlier name may be mended by now.
      for (let number = 1; ; number += 1) {
        const name = `${file}.rejected${number === 1 ? '' : `-${number}`}.ndjson`;
        if (!isThere(name)) {
          keepAs(name, collected);
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
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The refused lines cannot be written to ${name} (${reason}): rename or move the file.`);
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

function keepAs(name: string, collected: number): void {
  const kept = newFile(name);
  try {
    for (const piece of piecesOf(collected)) kept.write(piece);
    kept.keep();
  } finally {
    kept.discard();
  }
}
