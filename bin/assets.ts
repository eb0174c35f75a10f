/** A step of bundling a function: writes the files other than code into the bundle's folder. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deskAssets } from '../functions/serve-desk/bundle.ts';
import { pageFiles, renderingFiles } from '../functions/serve-pages/bundle.ts';
import { openApiDocument } from '../lib/openapi/document.ts';
import packageJson from '../package.json' with { type: 'json' };

const [kind = '', folder = '.', ...options] = process.argv.slice(2);

type Files = Record<string, Uint8Array | string>;

function documentFiles(): Files {
  const document = openApiDocument(packageJson.version, {
    moderation: options.includes('moderation'),
    media: options.includes('media'),
  });
  return { 'openapi.json': JSON.stringify(document) };
}

const kinds: Record<string, () => Files | Promise<Files>> = {
  desk: async () => ({ ...(await deskAssets()), ...(await renderingFiles()) }),
  pages: pageFiles,
  document: documentFiles,
};

const files = kinds[kind];
if (!files) throw new Error(`There are no files of ${kind}`);
for (const [name, content] of Object.entries(await files())) {
  const file = join(folder, 'assets', name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}
