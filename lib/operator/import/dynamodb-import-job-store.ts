/** Jobs of imports in DynamoDB, beside the testimonials that they store. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { importJobKey, tableKey } from '../../../functions/persistence/keys.ts';
import { replaceByRevision, withoutKey } from '../../../functions/persistence/replace-by-revision.ts';
import { queryPages, type StoredItem, type Table } from '../../../functions/persistence/table.ts';
import { type ImportJob, type ImportJobStore, isUnended } from './import-job.ts';

/** Returns the store of a table. */
export function importJobStore(table: Table): ImportJobStore {
  /** Those that store beside what is there; of one into an empty organization the head tells. */
  const unended = async (organization: string): Promise<{ fingerprint: string; job: ImportJob }[]> => {
    const { PK, SK: prefix } = importJobKey(organization, '');
    const query = {
      KeyConditionExpression: `${tableKey.partition} = :partition AND begins_with(${tableKey.sort}, :prefix)`,
      ExpressionAttributeValues: { ':partition': PK, ':prefix': prefix },
      ConsistentRead: true,
    };
    const found = [];
    for await (const { items } of queryPages(table, query)) {
      for (const item of items) {
        const job = toJob(item);
        if (isUnended(job)) found.push({ fingerprint: String(item.SK).slice(prefix.length), job });
      }
    }
    return found;
  };

  const store: ImportJobStore = {
    unended: async (organization) => (await unended(organization)).map(({ fingerprint }) => fingerprint),

    async giveUpOthers(organization, own) {
      for (const { fingerprint, job } of await unended(organization)) {
        if (fingerprint === own) continue;
        // Refused where it goes on just now.
        await store.replace(organization, fingerprint, { ...job, step: 'ended', isGivenUp: true });
      }
    },

    async find(organization, fingerprint) {
      const { client, name: TableName, options } = table;
      const Key = importJobKey(organization, fingerprint);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }), options);
      return Item && toJob(Item);
    },

    replace: (organization, fingerprint, next) =>
      replaceByRevision(table, importJobKey(organization, fingerprint), next),
  };
  return store;
}

function toJob(item: StoredItem): ImportJob {
  // Only `replace` writes these items, from an ImportJob.
  return withoutKey(item) as ImportJob;
}
