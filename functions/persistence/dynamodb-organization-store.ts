/** The names of all organizations in DynamoDB, and the request to renew their list indexes. */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { OrganizationStore } from '../domain/stores.ts';
import type { RenewalRequest, RenewalStore } from '../testimonials/list-index/index-store.ts';
import { deleteItem, inPartition, putItem, queryAll, queryPages, setAttributes, succeeds } from './items.ts';
import { afterPrefix, organizationKey, renewalRequestKey } from './keys.ts';
import { itemKind } from './stored-items.ts';
import type { Table } from './table.ts';

export function organizationStore(table: Table): OrganizationStore {
  return {
    add: (organization) => putItem(table, organizationKey(organization)),

    remove: (organization) => deleteItem(table, organizationKey(organization)),

    list: async () => (await queryAll(table, inPartition(organizationKey('').PK))).map(({ SK }) => SK),
  };
}

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
      await succeeds(setAttributes(table, renewalRequestKey, progress, ifSameRequest(request)));
    },

    async end(request) {
      await succeeds(deleteItem(table, renewalRequestKey, ifSameRequest(request)));
    },
  };
}
