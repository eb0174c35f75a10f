/**
 * Bundles the files that the pages of the desk load. Builds and servers on a developer's machine call it; no
 * Lambda function does.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import {
  bundle,
  deskPlayersScript,
  formCode,
  iconFile,
  mediaFormCode,
  styleSheet,
  wallCode,
} from '../serve-pages/bundle.ts';
import { type AssetContents, type AssetName, assetNames } from './parts/assets.ts';
import type { Desk } from './parts/desk.ts';
import { iconNames } from './parts/icon.ts';

const require = createRequire(import.meta.url);
const browserFile = (name: string) => new URL(`./browser/${name}`, import.meta.url);

const codes = { form: formCode, mediaForm: mediaFormCode, wall: wallCode };
/** Returns the style sheet and the script of a kind of page. */
export const pageCodeOf: Desk['pageCode'] = (name) => codes[name]();

/**
 * Returns the icons, one below the other. Empty rows around each icon keep its neighbors out of boxes that
 * begin between two pixels.
 */
async function iconSprite(): Promise<Uint8Array> {
  const files = iconNames.map((name) =>
    readFile(require.resolve(`bootstrap-icons/icons/${name}.svg`), 'utf8'),
  );
  const icons = (await Promise.all(files)).map((file, i) => file.replace('<svg ', `<svg y="${i * 18 + 1}" `));
  const size = `width="16" height="${icons.length * 18}"`;
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>${icons.join('')}</svg>`);
}

async function deskStyles(): Promise<Uint8Array> {
  const rules = iconNames.map((name, i) => `.icon-${name} { --icon: ${i}; }`);
  const styles = [await readFile(browserFile('desk.css'), 'utf8'), ...rules].join('\n');
  return Buffer.from(await styleSheet(styles));
}

/** Returns the worker that reads files. Its code needs current browsers. */
async function importWorker(): Promise<Uint8Array> {
  const entry = fileURLToPath(new URL('./import-worker/worker.ts', import.meta.url));
  return Buffer.from(await bundle(entry, { target: 'es2024' }));
}

async function passkeyScript(): Promise<Uint8Array> {
  return Buffer.from(await bundle(fileURLToPath(browserFile('passkeys.js'))));
}

const sources: Record<AssetName, () => Promise<Uint8Array>> = {
  'desk.css': deskStyles,
  'desk.js': () => readFile(browserFile('desk.js')),
  'passkeys.js': passkeyScript,
  'import.js': () => readFile(browserFile('import.js')),
  'players.js': deskPlayersScript,
  'import-worker.js': importWorker,
  'htmx.js': () => readFile(require.resolve('htmx.org/dist/htmx.min.js')),
  'icon.svg': iconFile,
  'icons.svg': iconSprite,
};

/** Reads and bundles the files that the pages load. */
export async function deskAssets(): Promise<AssetContents> {
  const files = assetNames.map(async (name) => [name, new Uint8Array(await sources[name]())]);
  // `assetNames` lists every name.
  return Object.fromEntries(await Promise.all(files)) as AssetContents;
}
