/** Jobs of imports in DynamoDB, beside the testimonials that they store. */
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { succeeds } from '../../functions/persistence/conditional-write.ts';
import { importJobKey, tableKey } from '../../functions/persistence/keys.ts';
import type { Table } from '../../functions/persistence/table.ts';
import type { ImportJob, ImportJobStore } from './import-job.ts';

/** Returns the store of a table. */
export function importJobStore({ client, name: TableName, options }: Table): ImportJobStore {
  return {
    async find(organization, fingerprint) {
      const Key = importJobKey(organization, fingerprint);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }), options);
      if (!Item) return undefined;
      const { PK: _, SK: __, ...job } = Item;
      // Only `replace` writes these items, from an ImportJob.
      return job as ImportJob;
    },

    async replace(organization, fingerprint, next) {
      const job = { ...next, revision: next.revision + 1 };
      const put = new PutCommand({
        TableName,
        Item: { ...importJobKey(organization, fingerprint), ...job },
        ...(next.revision === 0
          ? { ConditionExpression: `attribute_not_exists(${tableKey.partition})` }
          : {
              ConditionExpression: 'revision = :revision',
              ExpressionAttributeValues: { ':revision': next.revision },
            }),
      });
      return (await succeeds(client.send(put, options))) ? job : undefined;
    },
  };
}
