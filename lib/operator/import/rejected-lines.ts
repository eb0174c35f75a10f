/** The file of the lines that an import refuses, with what stood there and what is wrong with it. */
import { lstatSync, readFileSync } from 'node:fs';
import { notWritten, writeNewFile } from '../files/whole-file.ts';

/**
 * Writes refused lines into a file beside the imported one, of a name that nothing else has; where they stand in such a file
 * already, it is that.
 * @param lines begins them anew
 * @returns its name
 */
export function writeRejected(file: string, lines: () => Iterable<string>): string {
  // Whatever stands under an earlier name may be mended by now.
  for (let number = 1; ; number += 1) {
    const name = `${file}.rejected${number === 1 ? '' : `-${number}`}.ndjson`;
    const there = statusOf(name);
    if (!there) writeNewFile(name, lines());
    if (!there || (there.isFile() && hasOnly(readFileSync(name), lines()))) return name;
  }
}

function statusOf(name: string) {
  try {
    return lstatSync(name, { throwIfNoEntry: false });
  } catch (error) {
    throw notWritten(name, 'rename or move the imported file', error);
  }
}

/** Whether some bytes are these lines, and nothing else. */
function hasOnly(bytes: Buffer, lines: Iterable<string>): boolean {
  let at = 0;
  for (const line of lines) {
    const its = Buffer.from(line);
    if (!its.equals(bytes.subarray(at, at + its.length))) return false;
    at += its.length;
  }
  return at === bytes.length;
}
