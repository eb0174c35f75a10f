/** Writes the files of a wall into a folder of its own. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuiltWall, generator } from './build-wall.ts';
import { wallFile, wallFiles } from './wall-files.ts';

const page = 'index.html';

// What is being written: a host does not send it as the file itself.
const partial = (name: string) => `${name}.partial`;

// What desktops put into folders, beside hidden files: Windows' previews and settings, the icon of macOS.
const desktopFiles = new Set(['thumbs.db', 'desktop.ini', 'icon\r']);

/**
 * Writes a wall into a folder: a new one, an empty one, or one with an older wall. Whenever it stops, the folder has
 * no page or a whole one, and what was begun is taken up by the next time. Hidden files and those of desktops are left
 * alone.
 * @param explain makes the error of a folder that cannot be written
 * @throws when the folder has anything else, or cannot be written
 */
export async function writeWall(
  folder: string,
  built: BuiltWall,
  explain: (error: unknown) => unknown,
): Promise<void> {
  const made: Partial<Record<string, string>> = built;
  const write = (name: string, content: string | Uint8Array) =>
    writeFile(join(folder, partial(name)), content);
  try {
    await makeFolder(folder);
    const before = (await readdir(folder)).filter((name) => !isLeftAlone(name));
    await refuseOthers(folder, before);
    const names = Object.keys(wallFiles).filter((name) => name !== 'theme.css' || !before.includes(name));
    // The page is begun first, which makes the folder a wall's, and put in its place last.
    for (const name of names) await write(name, made[name] ?? (await wallFile(name)));
    for (const name of names.toReversed()) await rename(join(folder, partial(name)), join(folder, name));
  } catch (error) {
    throw explain(error);
  }
}

/**
 * Makes a folder and those that it is in. One by one: `mkdir` with `recursive` tries for ever where none can be made,
 * as in /proc.
 */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

function isLeftAlone(name: string): boolean {
  return name.startsWith('.') || desktopFiles.has(name.toLowerCase());
}

/**
 * A wall overwrites a wall, and nothing else.
 * @param names of the files in the folder, beside those that are left alone
 * @throws naming some that are no wall's
 */
async function refuseOthers(folder: string, names: readonly string[]): Promise<void> {
  const known = new Set(Object.keys(wallFiles).flatMap((name) => [name, partial(name)]));
  const strangers = names.filter((name) => !known.has(name)).toSorted();
  const isWall = names.includes(page)
    ? (await readFile(join(folder, page), 'utf8')).includes(`content="${generator}"`)
    : names.includes(partial(page)) || names.length === 0;
  if (strangers.length === 0 && isWall) return;
  const some = (strangers.length > 0 ? strangers : names).slice(0, 3).join(', ');
  throw new Error(`${folder} has files that are not a wall's (${some}): name a new or an empty folder.`);
}
