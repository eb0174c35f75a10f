/** The request to renew all list indexes, in DynamoDB. */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { deleteItem, inPartition, meetsCondition, queryPages, setAttributes } from '../../dynamodb/items.ts';
import { afterPrefix, organizationKey, renewalRequestKey } from '../../dynamodb/keys.ts';
import { itemKind } from '../../dynamodb/stored-items.ts';
import type { Table } from '../../dynamodb/table.ts';
import type { RenewalRequest, RenewalStore } from '../list-index/index-store.ts';

const renewals = itemKind(
  'a renewal request',
  v.object({ id: v.string(), from: v.string(), at: v.string() }),
);

export function renewalStore(table: Table): RenewalStore {
  const ifSameRequest = ({ id }: RenewalRequest) => ({
    ConditionExpression: 'id = :id',
    ExpressionAttributeValues: { ':id': id },
  });
  return {
    async *organizations(from) {
      // A blank sorts before all names, and a sort key must not be empty.
      const { PK, SK } = organizationKey(from === '' ? ' ' : from);
      for await (const { items } of queryPages(table, inPartition(PK, [SK, afterPrefix]))) {
        for (const item of items) yield item.SK;
      }
    },

    async read() {
      const request = await renewals.find(table, renewalRequestKey);
      return request && { id: request.id, from: request.from };
    },

    begin: (now) =>
      renewals.put(table, renewalRequestKey, { id: randomUUID(), from: '', at: now.toISOString() }),

    async continueFrom(request, from, now) {
      const progress = { from, at: now.toISOString() };
      await meetsCondition(setAttributes(table, renewalRequestKey, progress, ifSameRequest(request)));
    },

    async end(request) {
      await meetsCondition(deleteItem(table, renewalRequestKey, ifSameRequest(request)));
    },
  };
}
