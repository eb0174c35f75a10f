/** Once after all suites. */
import { rm } from 'node:fs/promises';
import { shared } from './shared-setup.ts';

export default async function tearDown(): Promise<void> {
  await shared.dynamoDb?.stop();
  if (shared.outdir) await rm(shared.outdir, { recursive: true, force: true });
}
