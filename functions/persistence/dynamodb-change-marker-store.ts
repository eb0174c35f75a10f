/** Change markers in DynamoDB. */
import type { TestimonialStore } from '../domain/stores.ts';
import { changeMarkerKey, organizationPartition, prefixes } from './keys.ts';
import { toChangeMarker } from './stored-items.ts';
import { batchDelete, beginningWith, putItem, queryPages, type Table } from './table.ts';

type ChangeMarkerStore = Pick<TestimonialStore, 'putChangeMarker' | 'changeMarkers' | 'deleteChangeMarkers'>;

/** Returns the store of a table. */
export function changeMarkerStore(table: Table): ChangeMarkerStore {
  return {
    async putChangeMarker(organization, { updateOrdinal, ...marker }) {
      await putItem(table, { ...changeMarkerKey(organization, updateOrdinal), ...marker });
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
