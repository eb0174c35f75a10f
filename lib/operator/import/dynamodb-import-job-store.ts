/** Jobs of imports in DynamoDB, beside the testimonials that they store. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { fingerprintOfImportKey, importJobKey } from '../../../functions/persistence/keys.ts';
import { replaceByRevision } from '../../../functions/persistence/replace-by-revision.ts';
import {
  beginningWith,
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
  isBeingUndone,
  isUnended,
  type NamedImport,
} from './import-job.ts';

/** Of the items: another number where their attributes mean something else. The first had none. */
const layout = 3;

/** Returns the store of a table. */
export function importJobStore(table: Table): ImportJobStore {
  /** Those of which the item is such a one. */
  const those = async (
    organization: string,
    isWanted: (item: StoredItem) => boolean,
  ): Promise<NamedImport[]> => {
    const { PK, SK: prefix } = importJobKey(organization, '');
    const found = [];
    for await (const { items } of queryPages(table, beginningWith(PK, prefix))) {
      for (const item of items.filter(isWanted)) {
        found.push({ name: fingerprintOfImportKey(item.SK), job: toJob(item) });
      }
    }
    return found;
  };

  const store: ImportJobStore = {
    ...placementStore(table),

    // Of one that stores what is placed the head tells.
    async unended(organization) {
      // Whatever its layout, one that has ended is in nobody's way.
      const all = await those(organization, ({ step }) => step !== 'ended' && step !== 'undone');
      return all.flatMap(({ name, job }) => (isUnended(job) || isBeingUndone(job) ? { name, job } : []));
    },

    async giveUpOthers(organization, own) {
      for (const { name, job } of await store.unended(organization)) {
        // Refused where it goes on just now.
        if (name !== own && isUnended(job)) await store.replace(organization, name, givenUp(job));
      }
    },

    ofFile: (organization, hash) => those(organization, (item) => item.hash === hash),

    async find(organization, name) {
      const { client, name: TableName, options } = table;
      const Key = importJobKey(organization, name);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }), options);
      return Item && toJob(Item);
    },

    async replace(organization, name, next) {
      const key = importJobKey(organization, name);
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
