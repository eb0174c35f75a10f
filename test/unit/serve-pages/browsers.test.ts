/** Scripts and styles work in the browsers that docs/pages.md names, and scripts beside those of any page. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import type { CompatData, CompatStatement, Identifier } from '@mdn/browser-compat-data';
import { transform } from 'esbuild';
import { capital } from '../../../functions/domain/wording.ts';
import { deskAssets } from '../../../functions/serve-desk/bundle.ts';
import { baselineYear, oldestBrowsers, scriptTarget } from '../../../functions/serve-pages/browsers.ts';
import {
  embedScript,
  formCode,
  mediaFormCode,
  styleSheet,
  wallCode,
} from '../../../functions/serve-pages/bundle.ts';
import { type MemberUse, usesOf } from './script-uses.ts';

const deskFiles = await deskAssets();
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const [form, mediaForm, wall] = [await formCode(), await mediaFormCode(), await wallCode()];
const sourceOf = (name: string) => readFileSync(`functions/serve-pages/browser/${name}.css`, 'utf8');
const embedStyle = await styleSheet(sourceOf('cards') + sourceOf('embed'));
const scripts = await Promise.all(
  Object.entries({
    'embed.js': text(await embedScript()),
    'form.js': form.script,
    'wall.js': wall.script,
    'desk.js': text(deskFiles['desk.js']),
    'players.js': text(deskFiles['players.js']),
  }).map(async ([script, code]) => ({ script, code, ...(await usesOf(code)) })),
);

// It is alone in its page.
const ownScripts = [
  ...scripts,
  { script: 'mediaForm.js', code: mediaForm.script, ...(await usesOf(mediaForm.script)) },
];

describe('beside the scripts of a page', () => {
  // Libraries such as Prototype.js and MooTools replace methods of these, and are older than all others.
  const [globals, methods]: [string[], string[]] = runInNewContext(`
    const globals = ['Array', 'Boolean', 'Date', 'Function', 'JSON', 'Number', 'Object', 'Promise', 'RegExp', 'String'];
    const owners = globals.flatMap((name) => [globalThis[name], globalThis[name].prototype ?? {}]);
    [globals, owners.flatMap((owner) => Object.getOwnPropertyNames(owner))]`);
  // Syntax has no stand-in for these, and libraries leave them as they are.
  const allowed = ['Date', 'Promise', 'exec', 'normalize'];
  // The service reads settings with it. Browsers pass the object.
  const ofService = ['JSON', 'parse'];
  const namespaces = ['CSS', 'Intl', 'Math', 'Reflect'];

  test.each(scripts)('$script uses syntax and the DOM where a page can replace a built-in', (each) => {
    const replaced = (all: string[], name: string) =>
      all.includes(name) && ![...allowed, ...(each.script === 'embed.js' ? ofService : [])].includes(name);
    const members = each.members.filter(
      ({ of = '', name, isCalled }) => isCalled && replaced(methods, name) && !namespaces.includes(of),
    );
    expect({ globals: [...each.names].filter((name) => replaced(globals, name)), members }).toEqual({
      globals: [],
      members: [],
    });
  });

  test('the live elements read no property of the document, which an element of the page can hide', () => {
    const [embed] = scripts;
    expect(embed?.members.filter(({ of }) => of === 'document')).toEqual([]);
  });
});

describe(`in browsers of Baseline ${baselineYear}`, () => {
  const file = createRequire(import.meta.url).resolve('@mdn/browser-compat-data');
  const { api, javascript }: CompatData = JSON.parse(readFileSync(file, 'utf8'));
  const interfaces: Record<string, Identifier> = {
    ...api,
    ...javascript.builtins,
    ...javascript.builtins?.Intl,
  };

  /** True if all browsers have it, without a prefix or a flag. */
  function isEverywhere({ support }: CompatStatement): boolean {
    return Object.entries(oldestBrowsers).every(([browser, oldest]) =>
      [support[browser as keyof typeof support] ?? []]
        .flat()
        .some(
          ({ version_added: since, version_removed: until, prefix, flags, partial_implementation: isPart }) =>
            typeof since === 'string' &&
            !(until || prefix || flags || isPart) &&
            Number.parseFloat(since.replace('≤', '')) <= Number.parseFloat(oldest),
        ),
    );
  }

  /**
   * Returns what MDN knows of a member: of its interface if the script names it, as in `navigator.clipboard`,
   * and else of every interface with such a method. Other properties may be the script's own.
   */
  function candidatesFor({ of = '', name, isCalled }: MemberUse): CompatStatement[] {
    const owner = interfaces[of] ?? interfaces[capital(of)];
    const known = owner?.[`${name}_static`] ?? owner?.[name];
    const all = known
      ? [known]
      : Object.values(interfaces).map((each) => (isCalled ? each[name] : undefined));
    return all.flatMap((each) => each?.__compat ?? []);
  }

  const oldOrOwn = (statements: CompatStatement[]) =>
    statements.length === 0 || statements.some(isEverywhere);

  test.each(ownScripts)('$script works', ({ names, members }) => {
    const young = members.filter((use) => !oldOrOwn(candidatesFor(use)));
    const globals = [...names].filter((name) => !oldOrOwn([interfaces[name]?.__compat ?? []].flat()));
    expect({ young, globals }).toEqual({ young: [], globals: [] });
  });

  test.each(ownScripts)('$script has no syntax that esbuild would replace for them', async ({ code }) => {
    const supported = { 'regexp-unicode-property-escapes': true };
    const written = (target: string | string[]) => transform(code, { target, supported });
    expect((await written(scriptTarget)).code).toBe((await written('esnext')).code);
  });

  test('the styles work, as they are built', () => {
    const folder = mkdtempSync(join(tmpdir(), 'styles-'));
    const browser = join(folder, 'functions/serve-pages/browser');
    mkdirSync(browser, { recursive: true });
    const styles = {
      embed: embedStyle,
      form: form.style,
      mediaForm: mediaForm.style,
      wall: wall.style,
      desk: text(deskFiles['desk.css']),
    };
    for (const [name, style] of Object.entries(styles)) {
      // The configuration allows it in the sources, because the build replaces it.
      expect(style).not.toContain('light-dark(');
      writeFileSync(join(browser, `${name}.css`), style);
    }
    const { vcs: _, ...configuration } = JSON.parse(readFileSync('biome.json', 'utf8'));
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(configuration));
    const biome = resolve('node_modules/.bin/biome');
    const run = spawnSync(biome, ['lint', '--only=nursery/useBaseline'], { cwd: folder, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect({ status: run.status, said: run.stderr }).toEqual({ status: 0, said: '' });
    expect(run.stdout).toContain('Checked 6 files');
  });

  test('docs/pages.md names them', () => {
    const { chrome, edge, firefox, safari } = oldestBrowsers;
    expect({ chrome }).toEqual({ chrome: edge });
    const named = `Chrome and Edge ${chrome}, Firefox ${firefox} and Safari ${safari}`;
    expect(readFileSync('docs/pages.md', 'utf8')).toContain(named);
  });
});
