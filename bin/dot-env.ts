/** Loads environment variables from a file `.env`, if it exists. Variables that are set stay as they are. */
import { existsSync } from 'node:fs';

export function loadDotEnv(file = '.env'): void {
  if (existsSync(file)) process.loadEnvFile(file);
}
