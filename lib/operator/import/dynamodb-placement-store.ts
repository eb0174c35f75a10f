/** Placements of imports in DynamoDB. */
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { succeeds } from '../../../functions/persistence/conditional-write.ts';
import { afterPrefix, importPlacesKey, tableKey } from '../../../functions/persistence/keys.ts';
import {
  inPartition,
  queryPages,
  type StoredItem,
  type Table,
} from '../../../functions/persistence/table.ts';
import type { ImportJobStore } from './import-job.ts';
import {
  decodeAscending,
  decodePlacement,
  encodeAscending,
  encodePlacement,
  type Placement,
} from './placement.ts';

/** The layout of the items: another number where their attributes mean something else. */
const layout = 2;

// A placement has as many parts as it needs: an item has room for 400 KB.
const partSize = 300_000;

/** Returns the store of a table. */
export function placementStore(
  table: Table,
): Pick<ImportJobStore, 'placements' | 'addPlacement' | 'freePlacement'> {
  return {
    async placements(organization) {
      const { PK, SK: prefix } = importPlacesKey(organization);
      const headers: StoredItem[] = [];
      const parts = new Map<string, Uint8Array>();
      for await (const { items } of queryPages(table, inPartition(PK, [prefix, `${prefix}${afterPrefix}`]))) {
        for (const item of items) {
          if (item.parts === undefined) parts.set(item.SK, item.b);
          else headers.push(item);
        }
      }
      return headers.map((header) => toPlacement(organization, header, parts));
    },

    async addPlacement(organization, placement) {
      const { client, name: TableName, options } = table;
      const { number, name } = placement;
      const bytes = encodePlacement(placement);
      const count = Math.ceil(bytes.length / partSize);
      // Nobody reads them before the item that names them.
      for (let part = 0; part < count; part += 1) {
        const key = importPlacesKey(organization, number, { fingerprint: name, part });
        const b = bytes.subarray(part * partSize, (part + 1) * partSize);
        await client.send(new PutCommand({ TableName, Item: { ...key, b } }), options);
      }
      const Key = importPlacesKey(organization, number);
      const put = new PutCommand({
        TableName,
        Item: { ...Key, name, parts: count, layout },
        ConditionExpression: `attribute_not_exists(${tableKey.partition})`,
      });
      if (await succeeds(client.send(put, options))) return true;
      const there = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }), options);
      return there.Item?.name === name;
    },

    async freePlacement(organization, number, staying) {
      const { client, name: TableName, options } = table;
      const update = new UpdateCommand({
        TableName,
        Key: importPlacesKey(organization, number),
        UpdateExpression: 'SET staying = :staying',
        ConditionExpression: `attribute_exists(${tableKey.partition})`,
        ExpressionAttributeValues: { ':staying': encodeAscending([staying]) },
      });
      await client.send(update, options);
    },
  };
}

function toPlacement(
  organization: string,
  { SK, name, parts: count, layout: theirs, staying }: StoredItem,
  parts: ReadonlyMap<string, Uint8Array>,
): Placement {
  if (theirs !== layout)
    throw new Error(`Another version of this program imported into ${organization}: import with that.`);
  const number = Number(SK.slice(importPlacesKey(organization).SK.length));
  const its = Array.from({ length: count }, (_, part) => {
    const key = importPlacesKey(organization, number, { fingerprint: name, part });
    return parts.get(key.SK) ?? new Uint8Array();
  });
  return {
    number,
    name,
    ...decodePlacement(Buffer.concat(its)),
    ...(staying && { staying: decodeAscending(staying)[0] ?? [] }),
  };
}
