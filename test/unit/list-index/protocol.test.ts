/**
 * The tests that docs/protocol.md names for its rules exist, and so do the rules that code and decisions
 * cite.
 */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const documents = new URL('../../../docs/', import.meta.url);
const page = readFileSync(new URL('protocol.md', documents), 'utf8');

const rules = page
  .split(/^### Rule /m)
  .slice(1)
  .map((text) => ({
    number: Number.parseInt(text, 10),
    tests: text.split('\nTests: ')[1]?.split('\n\n')[0] ?? '',
  }));

/** The files that the labels in the rules stand for. */
const files = new Map(
  [...page.matchAll(/^\[(.+)\]: (.+)$/gm)].map(([, label = '', file = '']) => [label, file]),
);

/** Returns the names of a file's tests as patterns: `test.each` may fill in anything. */
function patternsIn(file: string): RegExp[] {
  const source = readFileSync(new URL(file, documents), 'utf8');
  return [...source.matchAll(/(?:'((?:[^'\\\n]|\\.)+)'),?\s*(?:async|\(|$)/gm)].map(([, name = '']) => {
    const literal = name.replace(/\\u2019/g, "'").replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`^${literal.replace(/%[sdi]/g, '.+')}$`);
  });
}

test('no two rules have the same number', () => {
  const numbers = rules.map(({ number }) => number);
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
  const exist = new Set(rules.map(({ number }) => String(number)));
  expect(cited.filter(({ number }) => !exist.has(number))).toEqual([]);
});

test.each(rules)('the tests of rule $number exist', ({ tests }) => {
  const names = [...tests.matchAll(/(?:^|;\n)\[([^\]]+)\]|“([^”]+)”/g)];
  let patterns: RegExp[] = [];
  let found = 0;
  for (const [, label, quoted = ''] of names) {
    if (label) {
      patterns = patternsIn(files.get(label) ?? `no file for ${label}`);
      continue;
    }
    const name = quoted.split(' › ').at(-1)?.replace(/^… /, '') ?? '';
    expect({ name, exists: patterns.some((pattern) => pattern.test(name)) }).toEqual({
      name,
      exists: true,
    });
    found += 1;
  }
  expect(found).toBeGreaterThan(0);
});
