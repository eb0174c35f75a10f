/** Writes the files of a wall into a folder of its own. */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generator } from './page.ts';
import { type WallFile, wallFiles } from './wall-files.ts';

const page: WallFile = 'index.html';

// What is being written: a host does not send it as the file itself.
const partial = (name: string) => `${name}.partial`;

/**
 * Writes a wall into a folder: a new one, an empty one, or one with an older wall. Whenever it stops, the folder has
 * no page or a whole one, and what was begun is taken up by the next time.
 * @throws when the folder has anything else
 */
export async function writeWall(
  folder: string,
  built: { 'index.html': string; 'testimonials.json': string },
): Promise<void> {
  const before = await makeFolder(folder);
  await refuseOthers(folder, before);
  const ours = Object.keys(wallFiles)
    .filter((name) => !(name === 'theme.css' && before.includes(name)))
    .map((name) => ({ name, path: join(folder, name) }));
  // The page is begun first, which makes the folder a wall's, and put in its place last.
  for (const { name, path } of ours) {
    await writeFile(partial(path), name in built ? built[name as keyof typeof built] : await siteFile(name));
  }
  for (const { path } of ours.toReversed()) await rename(partial(path), path);
}

/** The content of a file that every wall has the same. */
function siteFile(name: string): Promise<Buffer> {
  return readFile(new URL(`./site/${name}`, import.meta.url));
}

async function makeFolder(folder: string): Promise<string[]> {
  try {
    await mkdir(folder, { recursive: true });
    return await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // all that these calls throw
    if (code === 'EEXIST' || code === 'ENOTDIR') throw new Error(`${folder} is not a folder.`);
    throw error;
  }
}

/** A wall overwrites a wall, and nothing else. */
async function refuseOthers(folder: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const known = new Set<string>(Object.keys(wallFiles).flatMap((name) => [name, partial(name)]));
  const others = names.filter((name) => !known.has(name)).toSorted();
  const isOurs = names.includes(page)
    ? (await readFile(join(folder, page), 'utf8')).includes(`content="${generator}"`)
    : names.includes(partial(page));
  if (others.length === 0 && isOurs) return;
  const what = others.length > 0 ? others : names.includes(page) ? [page] : names;
  throw new Error(
    `${folder} has files that are not a wall's (${what.slice(0, 3).join(', ')}): name a new or an empty folder.`,
  );
}
