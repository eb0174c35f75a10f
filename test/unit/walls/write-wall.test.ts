import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildWall } from '../../../functions/walls/files/build-wall.ts';
import { wallFile, wallFiles } from '../../../functions/walls/files/wall-files.ts';
import { writeWall } from '../../../functions/walls/files/write-wall.ts';
import { readSettings, settingNames, wallParameters } from '../../../functions/walls/settings.ts';
import { englishTexts } from '../../../functions/walls/texts.ts';
import { frameSnippet } from '../../../lib/operator/commands/wall.ts';
import { notWritten } from '../../../lib/operator/files/whole-file.ts';

const built = buildWall([], {
  settings: readSettings({}),
  about: { type: 'Organization', name: 'Acme' },
  isChosenByRating: false,
});
const write = (folder: string, wall = built) =>
  writeWall(folder, wall, (error) => notWritten(folder, 'name another folder', error));
let folders: string;

beforeAll(async () => {
  folders = await mkdtemp(join(tmpdir(), 'testimonials-wall-'));
});
afterAll(() => rm(folders, { recursive: true, force: true }));

test('missing folders are created', async () => {
  const folder = join(folders, 'one', 'in', 'another');
  await write(folder, built);
  expect((await readdir(folder)).toSorted()).toEqual(Object.keys(wallFiles).toSorted());
});

test.each(['.DS_Store', '.git', '.nojekyll', 'Thumbs.db', 'desktop.ini', 'Icon\r'])(
  '%j is kept in an empty folder and in a wall',
  async (name) => {
    const folder = await mkdtemp(join(folders, 'desktop-'));
    await writeFile(join(folder, name), 'kept');
    await write(folder, built);
    await write(folder, built);
    expect((await readdir(folder)).toSorted()).toEqual([...Object.keys(wallFiles), name].toSorted());
    expect(await readFile(join(folder, name), 'utf8')).toBe('kept');
  },
);

test.each([
  ['wall.js', 8500],
  ['columns.js', 2000],
])('%s is one small file without imports', async (name, length) => {
  const folder = join(folders, 'script');
  await write(folder, built);
  const script = await readFile(join(folder, name), 'utf8');
  expect(script.length).toBeLessThan(length);
  expect(script).not.toMatch(/\bimport\b/);
});

test('the live wall is one file that includes its styles, at most 9 KB compressed', async () => {
  const script = await wallFile('embed.js');
  expect(gzipSync(script).length).toBeLessThanOrEqual(9 * 1024);
  expect(String(script)).toMatch(/:host/);
  expect(String(script)).not.toMatch(/\bimport\b|styleText/);
});

describe('a one-line error gives the remedy for', () => {
  const onLinux = existsSync('/proc') && existsSync('/dev/full');
  test.each([
    ['a file in place of it', 'file'],
    ['a file in place of a folder above', 'file/one/in/another'],
    ['a link that leads nowhere', 'link'],
    ...(onLinux ? [['a parent that allows no folders', '/proc/one/in/another']] : []),
  ])('%s', async (_, path = '') => {
    await writeFile(join(folders, 'file'), '');
    await symlink(join(folders, 'nowhere'), join(folders, 'link')).catch(() => {});
    const folder = resolve(folders, path);
    await expect(write(folder, built)).rejects.toThrow(
      `There is no directory for ${folder}: name another folder.`,
    );
  });

  test('a folder in place of a file', async () => {
    const folder = await mkdtemp(join(folders, 'wall-'));
    await mkdir(join(folder, 'index.html'));
    await expect(write(folder, built)).rejects.toThrow(
      /^\S+ cannot be written \(EISDIR: .*\): name another folder\.$/,
    );
  });

  (onLinux ? test : test.skip)('a full disk', async () => {
    const folder = await mkdtemp(join(folders, 'full-'));
    await symlink('/dev/full', join(folder, 'index.html.partial'));
    await expect(write(folder, built)).rejects.toThrow(/\(ENOSPC: .*\): name another folder\.$/);
  });
});

test('an error from outside the file system is not changed', () => {
  const error = new TypeError('a mistake');
  expect(notWritten('/wall', 'name another folder', error)).toBe(error);
});

describe('the documentation of walls', () => {
  test('contains the snippet for an iframe', async () => {
    expect(await readFile('docs/walls.md', 'utf8')).toContain(frameSnippet);
  });

  test('names every list parameter, every setting and every text', async () => {
    const page = await readFile('docs/walls.md', 'utf8');
    const rows = Array.from(page.matchAll(/^\| `([\w-]+)` \| /gm), ([, name]) => name);
    expect(rows.toSorted()).toEqual([...wallParameters, ...settingNames].toSorted());
    const [, texts = ''] = /placeholders:\n(.*?)\n\n/s.exec(page) ?? [];
    const placeholders = (text: string) => Array.from(text.matchAll(/\{\w+\}/g), ([name]) => name).join(', ');
    const expected = Object.entries(englishTexts).map(([name, text]) =>
      placeholders(text) === '' ? `\`${name}\`` : `\`${name}\` (${placeholders(text)})`,
    );
    expect(texts.replace(/\s+/g, ' ').trim()).toBe(`${expected.join(', ')}.`);
  });
});
