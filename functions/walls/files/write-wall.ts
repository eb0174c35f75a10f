import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuiltWall, generator } from './build-wall.ts';
import { wallFile, wallFiles } from './wall-files.ts';

const page = 'index.html';

// Files are written under this name first, so that a host never serves half a file.
const partial = (name: string) => `${name}.partial`;

// Files that Windows and macOS add to folders, besides hidden ones.
const desktopFiles = new Set(['thumbs.db', 'desktop.ini', 'icon\r']);

/**
 * Writes a wall to a new or empty folder, or replaces an older wall. If it is interrupted, the folder contains the old page or none,
 * and the next run finishes the work. Hidden files and `theme.css` are kept.
 * @param explain turns an error of the file system into one for the operator
 * @throws if the folder contains other files or cannot be written
 */
export async function writeWall(
  folder: string,
  built: BuiltWall,
  explain: (error: unknown) => unknown,
): Promise<void> {
  const builtFiles: Partial<Record<string, string>> = built;
  const write = (name: string, content: string | Uint8Array) =>
    writeFile(join(folder, partial(name)), content);
  try {
    await makeFolder(folder);
    const before = (await readdir(folder)).filter((name) => !isIgnored(name));
    await assertWallFolder(folder, before);
    const names = Object.keys(wallFiles).filter((name) => name !== 'theme.css' || !before.includes(name));
    // The page's partial file comes first, to mark the folder as a wall's; the page itself appears last.
    for (const name of names) await write(name, builtFiles[name] ?? (await wallFile(name)));
    for (const name of names.toReversed()) await rename(join(folder, partial(name)), join(folder, name));
  } catch (error) {
    throw explain(error);
  }
}

/** Creates a folder and its parents, one by one: `mkdir` with `recursive` never returns if it cannot create one, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

function isIgnored(name: string): boolean {
  return name.startsWith('.') || desktopFiles.has(name.toLowerCase());
}

/** @throws if a folder contains files other than a wall's */
async function assertWallFolder(folder: string, names: readonly string[]): Promise<void> {
  const wallNames = new Set(Object.keys(wallFiles).flatMap((name) => [name, partial(name)]));
  const others = names.filter((name) => !wallNames.has(name)).toSorted();
  const isWall = names.includes(page)
    ? (await readFile(join(folder, page), 'utf8')).includes(`content="${generator}"`)
    : names.includes(partial(page)) || names.length === 0;
  if (others.length === 0 && isWall) return;
  const examples = (others.length > 0 ? others : names).slice(0, 3).join(', ');
  throw new Error(
    `${folder} contains files that do not belong to a wall (${examples}). Choose a new or empty folder.`,
  );
}
