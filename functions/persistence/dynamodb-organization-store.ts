/** The names of all organizations in DynamoDB, for the operator. */
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { OrganizationStore } from '../domain/stores.ts';
import { organizationKey } from './keys.ts';
import { inPartition, queryPages, type Table } from './table.ts';

/** Returns the store of a table. */
export function organizationStore(table: Table): OrganizationStore {
  return {
    async add(organization) {
      await table.client.send(
        new PutCommand({ TableName: table.name, Item: organizationKey(organization) }),
        table.options,
      );
    },

    async remove(organization) {
      await table.client.send(
        new DeleteCommand({ TableName: table.name, Key: organizationKey(organization) }),
        table.options,
      );
    },

    async list() {
      const names: string[] = [];
      const query = inPartition(organizationKey('').PK);
      for await (const { items } of queryPages(table, query)) names.push(...items.map(({ SK }) => SK));
      return names;
    },
  };
}
