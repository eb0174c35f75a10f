/** `npm run openapi`: writes docs/openapi.json. */
import { writeFile } from 'node:fs/promises';
import { openApiDocument } from '../lib/openapi/document.ts';
import packageJson from '../package.json' with { type: 'json' };

const file = new URL('../docs/openapi.json', import.meta.url);
await writeFile(file, `${JSON.stringify(openApiDocument(packageJson.version), null, 2)}\n`);
console.log('Wrote docs/openapi.json');
