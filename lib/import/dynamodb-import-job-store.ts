/** Jobs of imports in DynamoDB, beside the testimonials that they store. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { importJobKey } from '../../functions/persistence/keys.ts';
import { replaceByRevision, withoutKey } from '../../functions/persistence/replace-by-revision.ts';
import type { Table } from '../../functions/persistence/table.ts';
import type { ImportJob, ImportJobStore } from './import-job.ts';

/** Returns the store of a table. */
export function importJobStore(table: Table): ImportJobStore {
  return {
    async find(organization, fingerprint) {
      const { client, name: TableName, options } = table;
      const Key = importJobKey(organization, fingerprint);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }), options);
      // Only `replace` writes these items, from an ImportJob.
      return Item && (withoutKey(Item) as ImportJob);
    },

    replace: (organization, fingerprint, next) =>
      replaceByRevision(table, importJobKey(organization, fingerprint), next),
  };
}
