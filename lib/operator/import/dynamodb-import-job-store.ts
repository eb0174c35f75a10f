/** Jobs of imports in DynamoDB, beside the testimonials that they store. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { afterPrefix, importJobKey } from '../../../functions/persistence/keys.ts';
import { replaceByRevision } from '../../../functions/persistence/replace-by-revision.ts';
import {
  inPartition,
  queryPages,
  type StoredItem,
  type Table,
} from '../../../functions/persistence/table.ts';
import { placementStore } from './dynamodb-placement-store.ts';
import {
  givenUp,
  type ImportJob,
  type ImportJobStore,
  importJob,
  isUnended,
  type JobBeside,
} from './import-job.ts';

/** Of the items: another number where their attributes mean something else. The first had none. */
const layout = 3;

/** Returns the store of a table. */
export function importJobStore(table: Table): ImportJobStore {
  /** Those that store beside what is there; of one into an empty organization the head tells. */
  const unended = async (organization: string): Promise<{ fingerprint: string; job: JobBeside }[]> => {
    const { PK, SK: prefix } = importJobKey(organization, '');
    const query = inPartition(PK, [prefix, `${prefix}${afterPrefix}`]);
    const found = [];
    for await (const { items } of queryPages(table, query)) {
      // Whatever its layout, one that has ended is in nobody's way.
      for (const item of items.filter(({ step }) => step !== 'ended')) {
        const job = toJob(item);
        if (isUnended(job)) found.push({ fingerprint: String(item.SK).slice(prefix.length), job });
      }
    }
    return found;
  };

  const store: ImportJobStore = {
    ...placementStore(table),

    unended: async (organization) => (await unended(organization)).map(({ fingerprint }) => fingerprint),

    async giveUpOthers(organization, own) {
      for (const { fingerprint, job } of await unended(organization)) {
        // Refused where it goes on just now.
        if (fingerprint !== own) await store.replace(organization, fingerprint, givenUp(job));
      }
    },

    async find(organization, fingerprint) {
      const { client, name: TableName, options } = table;
      const Key = importJobKey(organization, fingerprint);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }), options);
      return Item && toJob(Item);
    },

    async replace(organization, fingerprint, next) {
      const key = importJobKey(organization, fingerprint);
      const replaced = await replaceByRevision(table, key, { ...next, layout });
      return replaced && { ...next, revision: replaced.revision };
    },
  };
  return store;
}

/** @throws when another version of this program wrote the item */
function toJob(item: StoredItem): ImportJob {
  const read = v.safeParse(importJob, item);
  if (item.layout === layout && read.success) return read.output;
  throw new Error(
    `Another version of this program began an import, and only that can go on with it: run the import with that version, or delete the item ${item.PK}, ${item.SK} from the table and run the import again, which asks about lines that are there already.`,
  );
}
