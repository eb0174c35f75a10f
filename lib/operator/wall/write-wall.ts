/** Writes the files of a wall into a folder of its own. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { notWritten } from '../files/whole-file.ts';
import { type BuiltWall, generator } from './build-wall.ts';
import { siteFile, type WallFile, wallFiles } from './site-file.ts';

const page: WallFile = 'index.html';

// What is being written: a host does not send it as the file itself.
const partial = (name: string) => `${name}.partial`;

// What desktops put into folders, beside hidden files: Windows' previews and settings, the icon of macOS.
const desktopFiles = new Set(['thumbs.db', 'desktop.ini', 'icon\r']);

/**
 * Writes a wall into a folder: a new one, an empty one, or one with an older wall. Whenever it stops, the folder has
 * no page or a whole one, and what was begun is taken up by the next time. Hidden files and those of desktops are left
 * alone.
 * @throws when the folder has anything else, or cannot be written
 */
export async function writeWall(folder: string, built: BuiltWall): Promise<void> {
  const files: WrittenFile[] = [];
  for (const name of Object.keys(wallFiles)) {
    const content = name in built ? built[name as keyof typeof built] : await siteFile(name);
    files.push({ name, path: join(folder, name), content });
  }
  try {
    await writeFiles(folder, files);
  } catch (error) {
    throw notWritten(folder, 'name another folder', error);
  }
}

type WrittenFile = { name: string; path: string; content: string | Uint8Array };

async function writeFiles(folder: string, files: readonly WrittenFile[]): Promise<void> {
  await makeFolder(folder);
  const before = (await readdir(folder)).filter((name) => !isLeftAlone(name));
  const pageText = before.includes(page) ? await readFile(join(folder, page), 'utf8') : undefined;
  const [first, ...more] = inTheWay(before, pageText);
  if (first !== undefined) {
    const some = [first, ...more].slice(0, 3).join(', ');
    throw new Error(`${folder} has files that are not a wall's (${some}): name a new or an empty folder.`);
  }
  const ours = files.filter(({ name }) => !(name === 'theme.css' && before.includes(name)));
  // The page is begun first, which makes the folder a wall's, and put in its place last.
  for (const { path, content } of ours) await writeFile(partial(path), content);
  for (const { path } of ours.toReversed()) await rename(partial(path), path);
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
 * The files in a folder, beside those that are left alone, for which no wall is written there: a wall overwrites a
 * wall, and nothing else.
 * @param pageText of the page that is there
 */
function inTheWay(names: readonly string[], pageText: string | undefined): readonly string[] {
  const known = new Set(Object.keys(wallFiles).flatMap((name) => [name, partial(name)]));
  const others = names.filter((name) => !known.has(name)).toSorted();
  if (others.length > 0) return others;
  if (pageText !== undefined) return pageText.includes(`content="${generator}"`) ? [] : [page];
  return names.includes(partial(page)) ? [] : names;
}
