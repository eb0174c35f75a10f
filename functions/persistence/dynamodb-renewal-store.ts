/** The request to make all list indexes anew, in DynamoDB. */
import { randomUUID } from 'node:crypto';
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { RenewalRequest, RenewalStore } from '../list-index/index-store.ts';
import { succeeds } from './conditional-write.ts';
import { afterPrefix, organizationKey, renewalRequestKey } from './keys.ts';
import { inPartition, queryPages, type Table } from './table.ts';

/** Returns the store of a table. */
export function renewalStore(table: Table): RenewalStore {
  const { client, name: TableName, options } = table;
  const isThis = ({ id }: RenewalRequest) => ({
    ConditionExpression: 'id = :id',
    ExpressionAttributeValues: { ':id': id },
  });
  return {
    async *organizations(from) {
      // A sort key is not empty, and no name begins with a blank.
      const { PK, SK } = organizationKey(from === '' ? ' ' : from);
      for await (const { items } of queryPages(table, inPartition(PK, [SK, afterPrefix]))) {
        for (const item of items) yield item.SK;
      }
    },

    async read() {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: renewalRequestKey, ConsistentRead: true }),
        options,
      );
      return Item && { id: Item.id, from: Item.from };
    },

    async begin(now) {
      const Item = { ...renewalRequestKey, id: randomUUID(), from: '', at: now.toISOString() };
      await client.send(new PutCommand({ TableName, Item }), options);
    },

    async goOn(request, from, now) {
      const update = new UpdateCommand({
        ...{ TableName, Key: renewalRequestKey },
        ...isThis(request),
        UpdateExpression: 'SET #from = :from, #at = :at',
        ExpressionAttributeNames: { '#from': 'from', '#at': 'at' },
        ExpressionAttributeValues: { ':id': request.id, ':from': from, ':at': now.toISOString() },
      });
      await succeeds(client.send(update, options));
    },

    async end(request) {
      const deletion = new DeleteCommand({ TableName, Key: renewalRequestKey, ...isThis(request) });
      await succeeds(client.send(deletion, options));
    },
  };
}
