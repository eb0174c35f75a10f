import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { cachedFolder, inputsHash, writableFolder } from '../../../lib/local-runner/synthesized-app.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'testimonials-kept-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('the hash of the inputs of a synthesis', () => {
  const write = async (file: string, text: string) => {
    await mkdir(join(directory, file, '..'), { recursive: true });
    await writeFile(join(directory, file), text);
  };
  const hash = (context: Record<string, string> = {}) => inputsHash(directory, context);
  beforeEach(async () => {
    await write('lib/infrastructure/stack.ts', 'a');
    await write('functions/handler.ts', 'b');
  });

  test.each([
    'bin/app.ts',
    'lib/infrastructure/stack.ts',
    'functions/handler.ts',
    'functions/new/file.ts',
    'stages/dev.json',
    'cdk.json',
    'package-lock.json',
    'node_modules/.package-lock.json',
    'tsconfig.json',
  ])('changes when %s is written', async (file) => {
    const before = await hash();
    await write(file, 'changed');
    expect(await hash()).not.toBe(before);
  });

  test('changes with the context, the name of a file and the settings of the CDK', async () => {
    const before = await hash();
    const others = [await hash({ corsOrigins: 'a' }), await hash({ corsOrigins: 'b' })];
    process.env.CDK_TEST = '1';
    others.push(await hash());
    delete process.env.CDK_TEST;
    await rm(join(directory, 'functions/handler.ts'));
    others.push(await hash());
    await write('functions/other.ts', 'b');
    others.push(await hash());
    expect(new Set([before, ...others]).size).toBe(6);
  });

  test('stays the same without changes', async () => {
    const before = await hash({ a: '1', b: '2' });
    await write('docs/readme.md', 'changed');
    expect(await hash({ b: '2', a: '1' })).toBe(before);
  });
});

describe('a cached folder', () => {
  const made: string[] = [];
  beforeEach(() => {
    made.length = 0;
  });
  const make = (name: string, during = async () => {}) =>
    cachedFolder(
      directory,
      async () => name,
      async (folder) => {
        made.push(name);
        await writeFile(join(folder, 'file'), name);
        await during();
      },
    );
  const textIn = (folder: string) => readFile(join(folder, 'file'), 'utf8');

  test('is made once for each hash', async () => {
    const first = await make('a');
    expect(await make('a')).toBe(first);
    expect(await textIn(await make('b'))).toBe('b');
    expect(await textIn(first)).toBe('a');
    expect(made).toEqual(['a', 'b']);
  });

  test('is complete for every process, even if several make it at once', async () => {
    const all = Promise.withResolvers<void>();
    const meet = async () => {
      if (made.length === 3) all.resolve();
      await all.promise;
    };
    const folders = await Promise.all([1, 2, 3].map(() => make('a', meet)));
    expect(new Set(folders).size).toBe(1);
    expect(await textIn(folders[0] ?? '')).toBe('a');
    expect(await readdir(directory)).toEqual(['a']);
  });

  test('does not exist if it could not be made', async () => {
    await expect(make('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await readdir(directory)).toEqual([]);
  });

  test('is made again if its inputs change meanwhile', async () => {
    const hashes = ['old', 'new'];
    let text = '';
    const folder = await cachedFolder(
      directory,
      async () => hashes.shift() ?? 'new',
      async (each) => {
        text += '.';
        await writeFile(join(each, 'file'), text);
      },
    );
    expect(await textIn(folder)).toBe('..');
    expect(await readdir(directory)).toEqual(['new']);
  });

  test('is deleted after a day without use', async () => {
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * 60 * 1000);
    const [unused, used, reused] = [await make('unused'), await make('used'), await make('reused')];
    await utimes(unused, hoursAgo(25), hoursAgo(25));
    await utimes(used, hoursAgo(23), hoursAgo(23));
    await utimes(reused, hoursAgo(25), hoursAgo(25));
    await make('reused');
    expect((await stat(reused)).mtime.getTime()).toBeGreaterThan(hoursAgo(1).getTime());
    await make('new');
    expect((await readdir(directory)).sort()).toEqual(['new', 'reused', 'used']);
  });
});

test('a temporary folder is used if nothing can be written', async () => {
  const file = join(directory, 'file');
  await writeFile(file, '');
  const temporary = await writableFolder(join(file, 'below'));
  expect(temporary.startsWith(tmpdir())).toBe(true);
  expect(await readdir(temporary)).toEqual([]);
  await rm(temporary, { recursive: true });
  expect(await writableFolder(join(directory, 'new'))).toBe(join(directory, 'new'));
});
