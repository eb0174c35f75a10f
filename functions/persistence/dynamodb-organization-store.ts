/** The names of all organizations in DynamoDB, for the operator. */
import type { OrganizationStore } from '../domain/stores.ts';
import { organizationKey } from './keys.ts';
import { deleteItem, inPartition, putItem, queryPages, type Table } from './table.ts';

/** Returns the store of a table. */
export function organizationStore(table: Table): OrganizationStore {
  return {
    add: (organization) => putItem(table, organizationKey(organization)),

    remove: (organization) => deleteItem(table, organizationKey(organization)),

    async list() {
      const names: string[] = [];
      const query = inPartition(organizationKey('').PK);
      for await (const { items } of queryPages(table, query)) names.push(...items.map(({ SK }) => SK));
      return names;
    },
  };
}
