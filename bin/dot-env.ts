/** Settings from a file `.env`, as the variables of the environment that are not set. */
import { existsSync } from 'node:fs';

export function loadDotEnv(file = '.env'): void {
  if (existsSync(file)) process.loadEnvFile(file);
}
