/** Checks that the packages are installed. Works in any version of Node.js. */
import { existsSync } from 'node:fs';

if (!existsSync(new URL('../node_modules/node/package.json', import.meta.url))) {
  console.error('The packages are not installed. Run: npm ci');
  process.exit(1);
}
