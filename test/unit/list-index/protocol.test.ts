/** Each rule of docs/protocol.md has tests, and the rules that code and decisions cite exist. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const page = readFileSync(new URL('../../../docs/protocol.md', import.meta.url), 'utf8');

const numbers = Array.from(page.matchAll(/^\*\*Rule (\d+): /gm), ([, number = '']) => number);

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

test('every rule has tests, whose names end with its number', () => {
  const cwd = new URL('../../', import.meta.url);
  const sources = globSync('{unit,conformance,long}/**/*.ts', { cwd }).map((name) =>
    readFileSync(new URL(name, cwd), 'utf8'),
  );
  const found = sources.flatMap((source) =>
    Array.from(source.matchAll(/ \(rule (\d+)\)(?= \(rule|')/g), ([, number = '']) => number),
  );
  expect([...new Set(found)].toSorted()).toEqual(numbers.toSorted());
});
