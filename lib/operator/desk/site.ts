/** The files that the desk's pages load, from where they are written. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AssetContents, type AssetName, assetNames } from '../../../functions/serve-desk/assets.ts';
import { siteFile } from '../wall/site-file.ts';

const require = createRequire(import.meta.url);
const ours = (name: string) => new URL(`../../../functions/serve-desk/site/${name}`, import.meta.url);

const sources: Record<AssetName, () => Promise<string | Uint8Array>> = {
  'desk.css': () => readFile(ours('desk.css')),
  'desk.js': () => readFile(ours('desk.js')),
  'htmx.js': () => readFile(require.resolve('htmx.org/dist/htmx.min.js')),
  'embed.js': () => siteFile('embed.js'),
  'icon.svg': () => siteFile('icon.svg'),
};

/** Their contents. */
export async function deskAssets(): Promise<AssetContents> {
  const read = assetNames.map(async (name) => [name, Buffer.from(await sources[name]())]);
  // One for each name.
  return Object.fromEntries(await Promise.all(read)) as AssetContents;
}
