/** The files that the desk's pages load, from where they are written. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { embedScript, icon } from '../walls/bundle.ts';
import { type AssetContents, type AssetName, assetNames } from './parts/assets.ts';

const require = createRequire(import.meta.url);
const ours = (name: string) => new URL(`./browser/${name}`, import.meta.url);

const sources: Record<AssetName, () => Promise<Uint8Array>> = {
  'desk.css': () => readFile(ours('desk.css')),
  'desk.js': () => readFile(ours('desk.js')),
  'htmx.js': () => readFile(require.resolve('htmx.org/dist/htmx.min.js')),
  'embed.js': embedScript,
  'icon.svg': icon,
};

/** Their contents. */
export async function deskAssets(): Promise<AssetContents> {
  const read = assetNames.map(async (name) => [name, new Uint8Array(await sources[name]())]);
  // One for each name.
  return Object.fromEntries(await Promise.all(read)) as AssetContents;
}
