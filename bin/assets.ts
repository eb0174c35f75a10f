/** Writes the files of the desk or of forms and walls into a folder: a step of bundling their functions. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deskAssets } from '../functions/serve-desk/on-this-machine/local-desk.ts';
import { pageFiles } from '../functions/serve-pages/bundle.ts';

const [pages, folder = '.'] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const files = await (pages === 'desk' ? deskAssets() : pageFiles());
for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
