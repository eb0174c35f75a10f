/** Imports in DynamoDB, beside the testimonials that they store: their jobs, and their placements. */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import {
  beginningWith,
  getItem,
  ifAbsent,
  putItem,
  queryPages,
  replaceByRevision,
  type StoredItem,
  succeeds,
} from '../../../functions/persistence/items.ts';
import {
  fingerprintOfImportKey,
  importJobKey,
  importPositionsKey,
  tableKey,
} from '../../../functions/persistence/keys.ts';
import type { Table } from '../../../functions/persistence/table.ts';
import { type ImportJob, type ImportJobStore, importJob, type NamedImport, usedBy } from './import-job.ts';
import {
  decodeAscending,
  decodePlacement,
  encodeAscending,
  encodePlacement,
  type Placement,
} from './placement.ts';

/** The layouts of the items: another number where their attributes mean something else. */
const jobLayout = 5;
const placementLayout = 3;

// A placement has as many parts as it needs: an item has room for 400 KB.
const partSize = 300_000;

/** Returns the store of a table. */
export function importJobStore(table: Table): ImportJobStore {
  const { client, name: TableName, options } = table;
  const all = async (organization: string) => {
    const { PK, SK: prefix } = importJobKey(organization, '');
    const found: NamedImport[] = [];
    for await (const { items } of queryPages(table, beginningWith(PK, prefix))) {
      for (const item of items) {
        // Whatever its layout, one that has ended is in nobody's way.
        if (item.layout !== jobLayout && ['ended', 'undone'].includes(item.state)) continue;
        found.push({ name: fingerprintOfImportKey(item.SK), job: jobIn(item) });
      }
    }
    return found;
  };
  return {
    all,

    async find(organization, name) {
      const item = await getItem(table, importJobKey(organization, name));
      return item && jobIn(item);
    },

    async replace(organization, name, next) {
      const key = importJobKey(organization, name);
      const replaced = await replaceByRevision(table, key, { ...next, layout: jobLayout });
      return replaced && { ...next, revision: replaced.revision };
    },

    async placements(organization) {
      const { PK, SK: prefix } = importPositionsKey(organization);
      const found: { header: StoredItem; parts: Uint8Array[] }[] = [];
      for await (const { items } of queryPages(table, beginningWith(PK, prefix))) {
        for (const item of items) {
          const { header, parts } = found.at(-1) ?? {};
          if (item.parts !== undefined) found.push({ header: item, parts: [] });
          // Another import may have written parts under its number, which it did not get.
          else if (header && item.SK.startsWith(`${header.SK}#${header.name}#`)) parts?.push(item.b);
        }
      }
      const jobs = new Map((await all(organization)).map(({ name, job }) => [name, job]));
      return found.map(({ header, parts }) => ({
        // A run that was stopped before the header may have written more parts than the next.
        ...toPlacement(organization, header, Buffer.concat(parts.slice(0, header.parts))),
        ...usedBy(jobs.get(header.name)),
      }));
    },

    async addPlacement(organization, placement) {
      const { number, name } = placement;
      const bytes = encodePlacement(placement);
      const count = Math.ceil(bytes.length / partSize);
      // Nobody reads them before the item that names them.
      for (let part = 0; part < count; part += 1) {
        const key = importPositionsKey(organization, number, { fingerprint: name, part });
        await putItem(table, { ...key, b: bytes.subarray(part * partSize, (part + 1) * partSize) });
      }
      const key = importPositionsKey(organization, number);
      const item = { ...key, name, parts: count, layout: placementLayout };
      return (await succeeds(putItem(table, item, ifAbsent))) || (await getItem(table, key))?.name === name;
    },

    async freePlacement(organization, number, staying) {
      const update = new UpdateCommand({
        TableName,
        Key: importPositionsKey(organization, number),
        UpdateExpression: 'SET keptLines = :keptLines',
        ConditionExpression: `attribute_exists(${tableKey.partition})`,
        ExpressionAttributeValues: { ':keptLines': encodeAscending([staying]) },
      });
      await client.send(update, options);
    },
  };
}

/** @throws where another version of this program wrote the item */
function jobIn(item: StoredItem): ImportJob {
  const read = v.safeParse(importJob, item);
  if (item.layout === jobLayout && read.success) return read.output;
  throw new Error(
    `Another version of this program began an import, and only that can go on with it: run the import with that version, or delete the item ${item.PK}, ${item.SK} from the table and run the import again, which asks about lines that are there already.`,
  );
}

function toPlacement(
  organization: string,
  { SK, name, layout: theirs, keptLines }: StoredItem,
  bytes: Uint8Array,
): Placement {
  if (theirs !== placementLayout)
    throw new Error(`Another version of this program imported into ${organization}: import with that.`);
  return {
    number: Number(SK.slice(importPositionsKey(organization).SK.length)),
    name,
    ...decodePlacement(bytes),
    ...(keptLines && { staying: decodeAscending(keptLines)[0] ?? [] }),
  };
}
