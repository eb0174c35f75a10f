/** The names of all organizations in DynamoDB. */
import type { OrganizationStore } from '../domain/stores.ts';
import { deleteItem, inPartition, putItem, queryAll } from './items.ts';
import { organizationKey } from './keys.ts';
import type { Table } from './table.ts';

export function organizationStore(table: Table): OrganizationStore {
  return {
    add: (organization) => putItem(table, organizationKey(organization)),

    remove: (organization) => deleteItem(table, organizationKey(organization)),

    list: async () => (await queryAll(table, inPartition(organizationKey('').PK))).map(({ SK }) => SK),
  };
}
