/**
 * The documents: each link between them leads somewhere, and the log of decisions agrees with the decisions.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from '@jest/globals';

const root = new URL('../../', import.meta.url).pathname;
const pages = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root });
const read = (page: string) => readFileSync(join(root, page), 'utf8');
/** Returns a page without its blocks and spans of code. */
const proseOf = (page: string) =>
  read(page)
    .replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));

/** Returns the anchors of a page's headings, as GitHub makes them. */
function anchorsIn(page: string): Set<string> {
  const headings = Array.from(proseOf(page).matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Returns the links of a page to other files of the repository, and to its own headings. */
function linksIn(page: string) {
  return Array.from(proseOf(page).matchAll(/\]\(([^()\s]+)\)/g), ([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#');
      return { page, target, file: path === '' ? page : normalize(join(dirname(page), path)), anchor };
    });
}

test('each link leads to a file of the repository, and to a heading of it', () => {
  const links = pages.flatMap(linksIn);
  expect(links.length).toBeGreaterThan(200);
  const isBroken = ({ file, anchor }: (typeof links)[number]) =>
    !existsSync(join(root, file)) || (anchor !== undefined && !anchorsIn(file).has(anchor));
  expect(links.filter(isBroken).map(({ page, target }) => `${page}: ${target}`)).toEqual([]);
});

test('the files of the code that documents name exist', () => {
  const files = globSync('{bin,examples,functions,lib,test,stages}/**/*.*', { cwd: root });
  const named = pages.flatMap((page) =>
    Array.from(
      read(page).matchAll(
        /`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|js|css|svg|sh)|(?:functions|lib|test|bin)\/[\w./-]+)`/g,
      ),
      ([, path = '']) => ({ page, path }),
    ),
  );
  expect(named.length).toBeGreaterThan(100);
  // `embed.js` is bundled.
  const exists = (path: string) =>
    path === 'embed.js' || existsSync(join(root, path)) || files.some((file) => file.endsWith(`/${path}`));
  expect(named.filter(({ path }) => !exists(path))).toEqual([]);
});

test('the documents that comments in the code name exist', () => {
  const files = globSync('{bin,functions,lib,test,.ci,.github}/**/*.{ts,tsx,js,json,yml}', { cwd: root });
  const named = files.flatMap((file) =>
    Array.from(read(file).matchAll(/\bdocs\/[a-z0-9/-]+\.(?:md|json|svg)\b/g), ([path]) => ({ file, path })),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(
    named.filter(({ file, path }) => !/local-runner|test\//.test(file) && !existsSync(join(root, path))),
  ).toEqual([]);
});

test('the log of decisions has the status of each decision, and the number that it was refined by or became part of', () => {
  const numbersIn = (text: string) => (text.match(/\d+/g) ?? []).map(Number);
  const log = new Map(
    Array.from(
      read('docs/adr/README.md').matchAll(/^\| \[\d+\]\(([^)]+)\) \|.*\| ([^|]+) \| [^|]+ \|$/gm),
      ([, file = '', status = '']) => [file, status],
    ),
  );
  const decisions = globSync('docs/adr/[0-9]*.md', { cwd: root });
  expect([...log.keys()].toSorted()).toEqual(decisions.map((file) => file.split('/').at(-1)).toSorted());
  for (const file of decisions) {
    const name = file.split('/').at(-1) ?? '';
    const [, status = ''] = /^Status: ([\s\S]*?) · \d{4}-\d\d-\d\d/m.exec(read(file)) ?? [];
    const text = status.replaceAll(/\]\([^)]*\)/g, '').replace(/, with ADRs? .*/s, '');
    const [word = ''] = text.match(/^(?:accepted|part of)/) ?? [];
    expect({ name, word, numbers: numbersIn(text) }).toEqual({
      name,
      word: (log.get(name) ?? '').match(/^(?:accepted|part of)/)?.[0],
      numbers: numbersIn(log.get(name) ?? ''),
    });
  }
});
