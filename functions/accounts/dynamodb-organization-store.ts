/** The names of all organizations in DynamoDB. */

import { deleteItem, inPartition, putItem, queryAll } from '../dynamodb/items.ts';
import { organizationKey } from '../dynamodb/keys.ts';
import type { Table } from '../dynamodb/table.ts';
import type { OrganizationStore } from './organization-store.ts';

export function organizationStore(table: Table): OrganizationStore {
  return {
    add: (organization) => putItem(table, organizationKey(organization)),

    remove: (organization) => deleteItem(table, organizationKey(organization)),

    list: async () => (await queryAll(table, inPartition(organizationKey('').PK))).map(({ SK }) => SK),
  };
}
