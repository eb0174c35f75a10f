/** Files of a test, in a directory of its own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directories: string[] = [];

/** Writes a file with some text or bytes; returns its path. */
export async function fileOf(content: string | Uint8Array, name = 'reviews.csv'): Promise<string> {
  const file = join(await directory(), name);
  await writeFile(file, content);
  return file;
}

/** An empty directory. */
export async function directory(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'import-'));
  directories.push(made);
  return made;
}

/** Removes them all, once a suite is over. */
export async function removeFiles(): Promise<void> {
  for (const each of directories.splice(0)) await rm(each, { recursive: true });
}
