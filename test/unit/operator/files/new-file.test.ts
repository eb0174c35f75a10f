/** Files of the operator: a new one gets its name only once it is complete. */
import { readdir, readFile, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readWhole, writeNewFile } from '../../../../lib/operator/files/whole-file.ts';
import { directory, fileOf } from '../../../file-of.ts';

const path = async () => join(await directory(), 'a.csv');
const beside = (file: string) => readdir(dirname(file));
const noLinks = () => {
  throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' });
};
const taken = (name: string) => `${name} exists: choose another name, or move it away.`;

test('a file gets its name once it is complete, and a failed write leaves no file', async () => {
  const file = await path();
  const listeners = process.listenerCount('exit');
  async function* pieces(isWhole: boolean) {
    yield 'one\n';
    expect(await beside(file)).toEqual([expect.stringMatching(/^a\.csv\.\w+\.part$/)]);
    if (!isWhole) throw new Error('gone');
    yield 'two\n';
  }
  await expect(writeNewFile(file, pieces(false))).rejects.toThrow('gone');
  expect(await beside(file)).toEqual([]);
  await writeNewFile(file, pieces(true));
  expect(await readFile(file, 'utf8')).toBe('one\ntwo\n');
  expect(await beside(file)).toEqual(['a.csv']);
  expect(process.listenerCount('exit')).toBe(listeners);
});

test('a taken name is an error before anything is read, even a dangling link', async () => {
  const file = await fileOf('mine', 'a.csv');
  const link = join(dirname(file), 'link');
  await symlink('nowhere', link);
  // biome-ignore lint/correctness/useYield: nothing reads it
  const pieces = function* (): Generator<string> {
    throw new Error('It was asked for a piece');
  };
  for (const name of [file, link]) await expect(writeNewFile(name, pieces())).rejects.toThrow(taken(name));
  expect(await beside(file)).toEqual(['a.csv', 'link']);
});

test.each([
  ['with links', undefined],
  ['without links', noLinks],
])('%s, a file that appeared meanwhile is not overwritten', async (_, link) => {
  const file = await path();
  async function* pieces() {
    yield 'ours';
    await writeFile(file, 'theirs');
  }
  await expect(writeNewFile(file, pieces(), link)).rejects.toThrow(taken(file));
  expect(await readFile(file, 'utf8')).toBe('theirs');
  expect(await beside(file)).toEqual(['a.csv']);
});

test('a file system without links works too', async () => {
  const file = await path();
  await writeNewFile(file, ['ours'], noLinks);
  expect(await readFile(file, 'utf8')).toBe('ours');
  expect(await beside(file)).toEqual(['a.csv']);
});

test('a path that cannot be written is an error', async () => {
  const file = join(await directory(), 'no', 'a.csv');
  const written = (name: string) => expect(writeNewFile(name, [])).rejects;
  await written(file).toThrow(`There is no directory for ${file}: choose another name.`);
  const inFile = join(await fileOf('mine'), 'a.csv');
  await written(inFile).toThrow(`There is no directory for ${inFile}: choose another name.`);
  const long = join(dirname(inFile), '..', 'a'.repeat(250));
  await written(long).toThrow(/^\S+ cannot be written \(ENAMETOOLONG.*\): choose another name\.$/);
  await written('').toThrow('The file has no name.');
});

test('a file that is too large is an error before it is read', async () => {
  const file = await fileOf('', 'huge.ndjson');
  await truncate(file, 300 * 1024 * 1024);
  await expect(readWhole(file)).rejects.toThrow(`${file} is 300 MB. The limit is 256 MB: split the file.`);
});

// The day from which `3 days ago` counts.
test('a file that is read has the time at which it was written', async () => {
  const file = await fileOf('mine', 'a.csv');
  const modifiedAt = new Date('2024-03-04T10:15:00Z');
  await utimes(file, new Date(), modifiedAt);
  expect(await readWhole(file)).toMatchObject({ bytes: Buffer.from('mine'), modifiedAt });
});
