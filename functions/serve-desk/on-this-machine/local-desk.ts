/** The desk that an operator serves on this machine: the deployment's pages, and pages that need files. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono/tiny';
import { ListTookTooLong } from '../../domain/outcomes.ts';
import { bundle, formCode, icon, mediaFormCode, styleSheet, wallCode } from '../../serve-pages/bundle.ts';
import { commonPages, formsUpTo, handleProblems, problemPage, safeHeaders } from '../desk-app.ts';
import { type AssetContents, type AssetName, type Assets, assetNames, deskPath } from '../parts/assets.ts';
import { atDesk, type Desk, type DeskEnv, type DeskPages } from '../parts/desk.ts';
import { iconNames } from '../parts/icon.ts';
import { onlyOwnForms } from '../parts/own-origin.ts';
import { type Access, guard } from './access.ts';

export interface LocalDesk extends Omit<Desk, 'asset' | 'pageCode' | 'noteKey'> {
  /** Returns one line that explains an error and its remedy. */
  explain: (error: unknown) => string;
  /** Further pages, by their path in the desk. */
  added: readonly { path: string; pages: DeskPages }[];
}

// Fits a file of 100,000 long testimonials, which is held in memory.
const largestUpload = 256 * 1024 * 1024;

export function deskApp({ added, explain, ...local }: LocalDesk, access: Access, assets: Assets): DeskPages {
  const desk = { ...local, asset: assets.pathOf, pageCode: pageCodeOf, noteKey: access.cookieSecret };
  const app = new Hono<DeskEnv>();
  app.use(atDesk(() => desk));
  app.use(safeHeaders, guard(access), onlyOwnForms, formsUpTo(largestUpload));
  app.get('/', (c) => c.redirect(deskPath, 303));
  app.route('/', assets.routes);
  app.route('/', commonPages);
  for (const { path, pages } of added) app.route(`${deskPath}${path}`, pages);
  handleProblems(app, (error, c) =>
    c.html(problemPage(desk, explain(error)), error instanceof ListTookTooLong ? 503 : 500),
  );
  return app;
}

const require = createRequire(import.meta.url);
const browserFile = (name: string) => new URL(`../browser/${name}`, import.meta.url);

/** Returns the style sheet and the script of a kind of page. */
const codes = { form: formCode, mediaForm: mediaFormCode, wall: wallCode };
export const pageCodeOf: Desk['pageCode'] = (name) => codes[name]();

/** Returns the icons, one below the other. */
async function iconSprite(): Promise<Uint8Array> {
  const files = iconNames.map((name) =>
    readFile(require.resolve(`bootstrap-icons/icons/${name}.svg`), 'utf8'),
  );
  const icons = (await Promise.all(files)).map((file, i) => file.replace('<svg ', `<svg y="${i * 16}" `));
  const size = `width="16" height="${icons.length * 16}"`;
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>${icons.join('')}</svg>`);
}

async function deskStyles(): Promise<Uint8Array> {
  const rules = iconNames.map((name, i) => `.icon-${name} { --icon: ${i}; }`);
  const styles = [await readFile(browserFile('desk.css'), 'utf8'), ...rules].join('\n');
  return Buffer.from(await styleSheet(styles));
}

async function passkeyScript(): Promise<Uint8Array> {
  return Buffer.from(await bundle(fileURLToPath(browserFile('passkeys.js'))));
}

const sources: Record<AssetName, () => Promise<Uint8Array>> = {
  'desk.css': deskStyles,
  'desk.js': () => readFile(browserFile('desk.js')),
  'passkeys.js': passkeyScript,
  'htmx.js': () => readFile(require.resolve('htmx.org/dist/htmx.min.js')),
  'icon.svg': icon,
  'icons.svg': iconSprite,
};

/** Reads and bundles the files that the pages load, for this machine and for the deployment's bundle. */
export async function deskAssets(): Promise<AssetContents> {
  const files = assetNames.map(async (name) => [name, new Uint8Array(await sources[name]())]);
  // `assetNames` lists every name.
  return Object.fromEntries(await Promise.all(files)) as AssetContents;
}
