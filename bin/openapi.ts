/** `npm run openapi`: writes docs/openapi.json. */
import { readFile, writeFile } from 'node:fs/promises';
import { openApiDocument } from '../lib/openapi/document.ts';

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const file = new URL('../docs/openapi.json', import.meta.url);
await writeFile(file, `${JSON.stringify(openApiDocument(version), null, 2)}\n`);
console.log('docs/openapi.json is written');
