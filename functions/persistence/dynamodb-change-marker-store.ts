/** Change markers in DynamoDB. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { TestimonialStore } from '../domain/stores.ts';
import { changeMarkerKey, organizationPartition, prefixes } from './keys.ts';
import { toChangeMarker } from './stored-items.ts';
import { batchDelete, beginningWith, queryPages, type Table } from './table.ts';

type ChangeMarkerStore = Pick<TestimonialStore, 'putChangeMarker' | 'changeMarkers' | 'deleteChangeMarkers'>;

/** Returns the store of a table. */
export function changeMarkerStore(table: Table): ChangeMarkerStore {
  return {
    async putChangeMarker(organization, { updateOrdinal, ...marker }) {
      const Item = { ...changeMarkerKey(organization, updateOrdinal), ...marker };
      await table.client.send(new PutCommand({ TableName: table.name, Item }), table.options);
    },

    async *changeMarkers(organization) {
      const query = beginningWith(organizationPartition(organization), prefixes.changeMarker);
      for await (const { items } of queryPages(table, query)) yield items.map(toChangeMarker);
    },

    async deleteChangeMarkers(organization, updateOrdinals) {
      const keys = updateOrdinals.map((updateOrdinal) => changeMarkerKey(organization, updateOrdinal));
      await batchDelete(table, keys);
    },
  };
}
