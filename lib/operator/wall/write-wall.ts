/** Writes the files of a wall into a folder of its own. */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { folderError } from '../files/file-errors.ts';
import { generator } from './page.ts';
import { type WallFile, wallFiles } from './wall-files.ts';

const page: WallFile = 'index.html';

// What is being written: a host does not send it as the file itself.
const partial = (name: string) => `${name}.partial`;

// Parts of older walls' scripts.
const formerFiles = ['view.js', 'search.js'];

// What desktops put into folders, beside hidden files: Windows' previews and settings, the icon of macOS.
const desktopFiles = new Set(['thumbs.db', 'desktop.ini', 'icon\r']);

/**
 * Writes a wall into a folder: a new one, an empty one, or one with an older wall. Whenever it stops, the folder has
 * no page or a whole one, and what was begun is taken up by the next time. Hidden files and those of desktops are left
 * alone.
 * @throws when the folder has anything else, or cannot be written
 */
export async function writeWall(
  folder: string,
  built: { 'index.html': string; 'testimonials.json': string },
): Promise<void> {
  const files: WrittenFile[] = [];
  for (const name of Object.keys(wallFiles)) {
    const content = name in built ? built[name as keyof typeof built] : await siteFile(name);
    files.push({ name, path: join(folder, name), content });
  }
  try {
    await writeFiles(folder, files);
  } catch (error) {
    throw folderError(folder, error);
  }
}

interface WrittenFile {
  name: string;
  path: string;
  content: string | Uint8Array;
}

async function writeFiles(folder: string, files: readonly WrittenFile[]): Promise<void> {
  await makeFolder(folder);
  const before = (await readdir(folder)).filter((name) => !isLeftAlone(name));
  await refuseOthers(folder, before);
  const ours = files.filter(({ name }) => !(name === 'theme.css' && before.includes(name)));
  // The page is begun first, which makes the folder a wall's, and put in its place last.
  for (const { path, content } of ours) await writeFile(partial(path), content);
  for (const { path } of ours.toReversed()) await rename(partial(path), path);
  for (const name of formerFiles) await rm(join(folder, name), { force: true });
}

/** The content of a file that every wall has the same. */
async function siteFile(name: string): Promise<Uint8Array> {
  const path = join(import.meta.dirname, 'site', name);
  return name === 'wall.js' ? bundled(path.replace(/\.js$/, '.ts')) : readFile(path);
}

/** The script with what it has from the service's own sources. */
async function bundled(entry: string): Promise<Uint8Array> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    ...{ entryPoints: [entry], bundle: true, minify: true, format: 'esm', target: 'es2024' },
    ...{ write: false, logLevel: 'silent' },
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

/**
 * Makes a folder and those that it is in. One by one: `mkdir` with `recursive` tries for ever where none can be made,
 * as in /proc.
 */
async function makeFolder(folder: string): Promise<void> {
  if (await isThere(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder).catch(unless('EEXIST'));
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(() => true, unless('ENOENT', 'ENOTDIR'));
}

/** False for an error of these codes; throws any other. */
function unless(...codes: string[]): (error: NodeJS.ErrnoException) => false {
  return (error) => {
    if (codes.includes(error.code ?? '')) return false;
    throw error;
  };
}

function isLeftAlone(name: string): boolean {
  return name.startsWith('.') || desktopFiles.has(name.toLowerCase());
}

/** A wall overwrites a wall, and nothing else. */
async function refuseOthers(folder: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const known = new Set([...Object.keys(wallFiles), ...formerFiles].flatMap((name) => [name, partial(name)]));
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
