/** Writes the files that a function's bundle contains besides code: a step of bundling it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deskAssets } from '../functions/serve-desk/on-this-machine/local-desk.ts';
import { drawingFiles, pageFiles } from '../functions/serve-pages/bundle.ts';
import { openApiDocument } from '../lib/openapi/document.ts';
import packageJson from '../package.json' with { type: 'json' };

const [folder = '.', kind, ...options] = process.argv.slice(2);

async function files(): Promise<Record<string, Uint8Array | string>> {
  if (kind === 'desk') return { ...(await deskAssets()), ...(await drawingFiles()) };
  if (kind === 'pages') return pageFiles();
  const document = openApiDocument(packageJson.version, { moderation: options.includes('moderation') });
  return { 'openapi.json': JSON.stringify(document) };
}

for (const [name, content] of Object.entries(await files())) {
  const file = join(folder, 'assets', name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}
