/** Jobs of imports in DynamoDB, beside the testimonials that they store. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { importJobKey, tableKey } from '../../functions/persistence/keys.ts';
import { replaceByRevision, withoutKey } from '../../functions/persistence/replace-by-revision.ts';
import { queryPages, type Table } from '../../functions/persistence/table.ts';
import type { ImportJob, ImportJobStore } from './import-job.ts';

/** Returns the store of a table. */
export function importJobStore(table: Table): ImportJobStore {
  return {
    async hasUnended(organization) {
      const { PK, SK } = importJobKey(organization, '');
      const query = {
        KeyConditionExpression: `${tableKey.partition} = :partition AND begins_with(${tableKey.sort}, :prefix)`,
        ExpressionAttributeValues: { ':partition': PK, ':prefix': SK },
        ConsistentRead: true,
      };
      for await (const { items } of queryPages(table, query)) {
        // Of one into an empty organization the head tells.
        if (items.some(({ step, isFirst }) => !isFirst && (step === 'storing' || step === 'stored')))
          return true;
      }
      return false;
    },

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
