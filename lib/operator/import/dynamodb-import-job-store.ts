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
import { type ImportJob, type ImportJobStore, importJob, type NamedImport } from './import-job.ts';

/** The layout of the items: another number where their attributes mean something else. The first had none. */
const layout = 4;

/** Returns the store of a table. */
export function importJobStore(table: Table): ImportJobStore {
  return {
    ...placementStore(table),

    async all(organization) {
      const { PK, SK: prefix } = importJobKey(organization, '');
      const found: NamedImport[] = [];
      for await (const { items } of queryPages(table, beginningWith(PK, prefix))) {
        for (const item of items) {
          const job = jobIn(item);
          // Whatever its layout, one that has ended is in nobody's way.
          const hasEnded = item.step === 'ended' || item.step === 'undone';
          if (job || !hasEnded)
            found.push({ name: fingerprintOfImportKey(item.SK), job: job ?? refuse(item) });
        }
      }
      return found;
    },

    async find(organization, name) {
      const { client, name: TableName, options } = table;
      const Key = importJobKey(organization, name);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }), options);
      return Item && (jobIn(Item) ?? refuse(Item));
    },

    async replace(organization, name, next) {
      const key = importJobKey(organization, name);
      const replaced = await replaceByRevision(table, key, { ...next, layout });
      return replaced && { ...next, revision: replaced.revision };
    },
  };
}

function jobIn(item: StoredItem): ImportJob | undefined {
  const read = v.safeParse(importJob, item);
  return item.layout === layout && read.success ? read.output : undefined;
}

/** @throws always: another version of this program wrote the item */
function refuse(item: StoredItem): never {
  throw new Error(
    `Another version of this program began an import, and only that can go on with it: run the import with that version, or delete the item ${item.PK}, ${item.SK} from the table and run the import again, which asks about lines that are there already.`,
  );
}
