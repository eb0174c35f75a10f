/** Writes the files that the desk's pages load into a folder: a step of bundling its function. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deskAssets } from '../functions/serve-desk/on-this-machine/local-desk.ts';

const [folder = '.'] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
for (const [name, content] of Object.entries(await deskAssets()))
  await writeFile(join(folder, name), content);
