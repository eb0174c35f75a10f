/** The scripts that browsers run: they work beside the scripts of any page, and in the browsers that docs/pages.md names. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import type { CompatData, CompatStatement, Identifier } from '@mdn/browser-compat-data';
import { capital } from '../../../functions/domain/wording.ts';
import { deskAssets } from '../../../functions/serve-desk/on-this-machine/local-desk.ts';
import { baselineYear, oldestBrowsers } from '../../../functions/serve-pages/browsers.ts';
import { embedScript, formCode, wallCode } from '../../../functions/serve-pages/bundle.ts';
import { type MemberUse, usesOf } from './script-uses.ts';

const deskFiles = await deskAssets();
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const scripts = await Promise.all(
  Object.entries({
    'embed.js': text(await embedScript()),
    'form.js': (await formCode()).script,
    'wall.js': (await wallCode()).script,
    'desk.js': text(deskFiles['desk.js']),
  }).map(async ([script, code]) => ({ script, code, ...(await usesOf(code)) })),
);

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
      ...{ globals: [], members: [] },
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
   * Returns what MDN knows of a member: of its interface if the script names it, as in `navigator.clipboard`, and else of every interface
   * with such a method. Other properties may be the script's own.
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

  test.each(scripts)('$script works', ({ names, members }) => {
    const young = members.filter((use) => !oldOrOwn(candidatesFor(use)));
    const globals = [...names].filter((name) => !oldOrOwn([interfaces[name]?.__compat ?? []].flat()));
    expect({ young, globals }).toEqual({ young: [], globals: [] });
  });
});
