/** Once after all suites. */
import { shared } from './shared-setup.ts';

export default async function tearDown(): Promise<void> {
  await shared.dynamoDb?.stop();
}
