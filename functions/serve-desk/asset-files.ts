/** Reads and bundles the files that the desk's pages load, for the deployment and for this machine. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { embedScript, icon } from '../walls/bundle.ts';
import { type AssetContents, type AssetName, assetNames } from './parts/assets.ts';

const require = createRequire(import.meta.url);
const browserFile = (name: string) => new URL(`./browser/${name}`, import.meta.url);

const sources: Record<AssetName, () => Promise<Uint8Array>> = {
  'desk.css': () => readFile(browserFile('desk.css')),
  'desk.js': () => readFile(browserFile('desk.js')),
  'htmx.js': () => readFile(require.resolve('htmx.org/dist/htmx.min.js')),
  'embed.js': embedScript,
  'icon.svg': icon,
};

export async function deskAssets(): Promise<AssetContents> {
  const files = assetNames.map(async (name) => [name, new Uint8Array(await sources[name]())]);
  // It has every name.
  return Object.fromEntries(await Promise.all(files)) as AssetContents;
}
