/** The request to make all list indexes anew, in DynamoDB. */
import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { RenewalRequest, RenewalStore } from '../list-index/index-store.ts';
import { succeeds } from './conditional-write.ts';
import { afterPrefix, organizationKey, renewalRequestKey } from './keys.ts';
import { deleteItem, getItem, inPartition, putItem, queryPages, type Table } from './table.ts';

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
      const item = await getItem(table, renewalRequestKey);
      return item && { id: item.id, from: item.from };
    },

    async begin(now) {
      await putItem(table, { ...renewalRequestKey, id: randomUUID(), from: '', at: now.toISOString() });
    },

    async goOn(request, from, now) {
      const update = new UpdateCommand({
        TableName,
        Key: renewalRequestKey,
        ...isThis(request),
        UpdateExpression: 'SET #from = :from, #at = :at',
        ExpressionAttributeNames: { '#from': 'from', '#at': 'at' },
        ExpressionAttributeValues: { ':id': request.id, ':from': from, ':at': now.toISOString() },
      });
      await succeeds(client.send(update, options));
    },

    async end(request) {
      await succeeds(deleteItem(table, renewalRequestKey, isThis(request)));
    },
  };
}
