/**
 * Loads environment variables from a file `.env`, if it exists. Does not override variables that are already
 * set.
 */
import { existsSync } from 'node:fs';

export function loadDotEnv(file = '.env'): void {
  if (existsSync(file)) process.loadEnvFile(file);
}
