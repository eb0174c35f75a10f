/** Whether a table that was found can be read: a folder `.local` may be older than the code. */
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { organizationStore } from '../../functions/persistence/dynamodb-organization-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import type { Table } from '../../functions/persistence/table.ts';

/**
 * Reads something of each organization.
 * @throws {OtherLayout} when another version of this service wrote it
 */
export async function assertReadable(table: Table): Promise<void> {
  for (const organization of await organizationStore(table).list()) {
    await indexStore(table).readHead(organization);
    await testimonialStore(table).from(organization, 0, { limit: 1 }).next();
  }
}
