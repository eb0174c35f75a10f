import { readFileSync } from 'node:fs';

/** Returns the version of the service, as in package.json. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
