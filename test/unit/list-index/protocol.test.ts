/**
 * Each rule of docs/protocol.md has tests, which exist: rule-tests.json names them. The rules that code and
 * decisions cite exist too.
 */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import testsOfRules from './rule-tests.json' with { type: 'json' };

const page = readFileSync(new URL('../../../docs/protocol.md', import.meta.url), 'utf8');

const numbers = Array.from(page.matchAll(/^\*\*Rule (\d+): /gm), ([, number = '']) => number);

/** Returns whether a file has a test of a name. The words that `test.each` fills in must be in the file. */
function testsIn(file: string): (name: string) => boolean {
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const patterns = [...source.matchAll(/(?:'((?:[^'\\\n]|\\.)+)'),?\s*(?:async|\(|$)/gm)].map(
    ([, name = '']) => {
      const literal = name.replace(/\\u2019/g, "'").replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      return new RegExp(`^${literal.replace(/%[sdi]/g, '(.+)')}$`);
    },
  );
  return (name) =>
    patterns.some((pattern) =>
      pattern
        .exec(name)
        ?.slice(1)
        .every((words) => source.includes(words)),
    );
}

test('no two rules have the same number', () => {
  expect(numbers.length).toBeGreaterThan(30);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('code and decisions cite rules that exist', () => {
  const root = new URL('../../../', import.meta.url);
  const names = globSync(['{functions,lib}/**/*.ts', 'docs/adr/*.md'], { cwd: root });
  // A list such as: rules 1, 26 and 31 to 43.
  const citation = /\b[Rr]ules? (?:[(]?\d+[)]?(?:,\s| and | to | or )?)+|of decisions \([\d, ]+\)/g;
  const cited = names.flatMap((name) => {
    const text = readFileSync(new URL(name, root), 'utf8').replaceAll(/\n[ /*]*/g, ' ');
    return (text.match(citation) ?? [])
      .flatMap((each) => each.match(/\d+/g) ?? [])
      .map((number) => ({ name, number }));
  });
  expect(cited.length).toBeGreaterThan(60);
  const exist = new Set(numbers);
  expect(cited.filter(({ number }) => !exist.has(number))).toEqual([]);
});

test('every rule has tests', () => {
  expect(Object.keys(testsOfRules).toSorted()).toEqual(numbers.toSorted());
});

test.each(Object.entries(testsOfRules))('the tests of rule %s exist', (_, files) => {
  const named = Object.entries(files).flatMap(([file, names]) => {
    const isTest = testsIn(file);
    return names.map((name) => ({ name, exists: isTest(name.split(' › ').at(-1) ?? '') }));
  });
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(({ exists }) => !exists)).toEqual([]);
});
