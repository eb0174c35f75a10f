/** Writes the files of the desk, or of forms and walls, into the folder of a function's bundle: a step of bundling it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deskAssets } from '../functions/serve-desk/on-this-machine/local-desk.ts';
import { drawingFiles, pageFiles } from '../functions/serve-pages/bundle.ts';

const [pages, folder = '.'] = process.argv.slice(2);
const assets = pages === 'desk' ? { ...(await deskAssets()), ...(await drawingFiles()) } : await pageFiles();
for (const [name, content] of Object.entries(assets)) {
  const file = join(folder, 'assets', name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}
