/** The request to make all list indexes anew, in DynamoDB. */
import { randomUUID } from 'node:crypto';
import type { RenewalRequest, RenewalStore } from '../list-index/index-store.ts';
import { succeeds } from './conditional-write.ts';
import { afterPrefix, organizationKey, renewalRequestKey } from './keys.ts';
import { deleteItem, getItem, inPartition, putItem, queryPages, setAttributes, type Table } from './table.ts';

/** Returns the store of a table. */
export function renewalStore(table: Table): RenewalStore {
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
      const gone = { from, at: now.toISOString() };
      await succeeds(setAttributes(table, renewalRequestKey, gone, isThis(request)));
    },

    async end(request) {
      await succeeds(deleteItem(table, renewalRequestKey, isThis(request)));
    },
  };
}
