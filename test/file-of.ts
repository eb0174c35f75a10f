/** Temporary files of a suite, which are removed at its end. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

const directories: string[] = [];
afterAll(async () => {
  for (const each of directories.splice(0)) await rm(each, { recursive: true, force: true });
});

/** Writes a file and returns its path. */
export async function fileOf(content: string | Uint8Array, name = 'reviews.csv'): Promise<string> {
  const file = join(await directory(), name);
  await writeFile(file, content);
  return file;
}

/** Makes an empty directory. */
export async function directory(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'testimonials-test-'));
  directories.push(made);
  return made;
}
