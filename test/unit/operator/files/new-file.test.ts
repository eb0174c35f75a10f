/** Files that are whole wherever their name is seen. */
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { newFile } from '../../../../lib/operator/files/whole-file.ts';
import { directory, fileOf, removeFiles } from '../../../file-of.ts';

afterAll(removeFiles);

const path = async () => join(await directory(), 'a.csv');
const beside = (file: string) => readdir(dirname(file));
const noLinks = () => {
  throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
};
const listeners = () => process.listenerCount('exit');

test('its name is not seen before it is kept, and then it is whole and alone', async () => {
  const file = await path();
  const before = listeners();
  const written = newFile(file);
  written.write('one\n');
  written.write('two\n');
  expect(await beside(file)).toEqual([expect.stringMatching(/^a\.csv\.\w+\.part$/)]);
  written.keep();
  written.discard();
  expect(await readFile(file, 'utf8')).toBe('one\ntwo\n');
  expect(await beside(file)).toEqual(['a.csv']);
  expect(listeners()).toBe(before);
});

test('nothing is left of one that is discarded', async () => {
  const file = await path();
  const before = listeners();
  const written = newFile(file);
  written.write('one\n');
  written.discard();
  written.discard();
  expect(await beside(file)).toEqual([]);
  expect(listeners()).toBe(before);
});

test('a name that is taken is refused at once, also by a link to nowhere', async () => {
  const file = await fileOf('mine', 'a.csv');
  const refused = (name: string) => `${name} exists: name another file, or move it away.`;
  expect(() => newFile(file)).toThrow(refused(file));
  const link = join(dirname(file), 'link');
  await symlink('nowhere', link);
  expect(() => newFile(link)).toThrow(refused(link));
  expect(await beside(file)).toEqual(['a.csv', 'link']);
});

test.each([
  ['with links', undefined],
  ['without links', noLinks],
])('%s, what somebody else put under its name meanwhile is not overwritten', async (_, link) => {
  const file = await path();
  const written = newFile(file, link);
  written.write('ours');
  await writeFile(file, 'theirs');
  expect(() => written.keep()).toThrow(`${file} exists: name another file, or move it away.`);
  written.discard();
  expect(await readFile(file, 'utf8')).toBe('theirs');
  expect(await beside(file)).toEqual(['a.csv']);
});

test('a file system without links has it under its name all the same', async () => {
  const file = await path();
  const written = newFile(file, noLinks);
  written.write('ours');
  written.keep();
  expect(await readFile(file, 'utf8')).toBe('ours');
  expect(await beside(file)).toEqual(['a.csv']);
});

test('a place where nothing can be written is named at once', async () => {
  const file = join(await directory(), 'no', 'a.csv');
  expect(() => newFile(file)).toThrow(`There is no directory for ${file}: name another file.`);
  const inFile = join(await fileOf('mine'), 'a.csv');
  expect(() => newFile(inFile)).toThrow(`There is no directory for ${inFile}: name another file.`);
  const long = join(dirname(inFile), '..', 'a'.repeat(250));
  expect(() => newFile(long)).toThrow(/^\S+ cannot be written \(ENAMETOOLONG.*\): name another file\.$/);
  expect(() => newFile('')).toThrow('The file has no name.');
});
