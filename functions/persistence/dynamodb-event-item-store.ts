/** The items that events tell of, in DynamoDB. */
import type { EventItemStore } from '../domain/stores.ts';
import { importJobKey, testimonialKey } from './keys.ts';
import { toEndedImport, toErasedTestimonial, toStoredTestimonial } from './stored-items.ts';
import { batchGet, type Table } from './table.ts';

/** Returns the store of a table. */
export function eventItemStore(table: Table): EventItemStore {
  return {
    async atPlaces(organization, ordinals) {
      const keys = [...new Set(ordinals)].map((ordinal) => testimonialKey(organization, ordinal));
      const items = await batchGet(table, keys, { consistent: true });
      return items.flatMap((item) => [...toStoredTestimonial(item), ...toErasedTestimonial(item)]);
    },

    async endedImports(organization, fingerprints) {
      const keys = [...new Set(fingerprints)].map((each) => importJobKey(organization, each));
      return (await batchGet(table, keys, { consistent: true })).flatMap(toEndedImport);
    },
  };
}
