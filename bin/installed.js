/** Says what to do where the packages are not installed. It runs with any Node.js, before what needs them. */
import { existsSync } from 'node:fs';

if (!existsSync(new URL('../node_modules/node/package.json', import.meta.url))) {
  console.error('The packages are not installed: run npm ci first.');
  process.exit(1);
}
