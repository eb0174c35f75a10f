/**
 * The items that events are about, in DynamoDB. In a separate module, so that the bundles of other functions
 * do not contain it.
 */
import * as v from 'valibot';
import {
  changeKinds,
  type ErasedTestimonial,
  type StoredTestimonial,
} from '../../domain/stored-testimonial.ts';
import { batchGet, type StoredItem } from '../../dynamodb/items.ts';
import {
  erasedAttribute,
  importKey,
  nameOfImportKey,
  ordinalOfTestimonialKey,
  testimonialKey,
} from '../../dynamodb/keys.ts';
import { parseAttributes, parseItem, readEach } from '../../dynamodb/stored-items.ts';
import type { Table } from '../../dynamodb/table.ts';
import type { EndedImport, EventItemStore } from '../model/event-item-store.ts';
import { hasTestimonial, toStoredTestimonial } from './stored-testimonials.ts';

export function eventItemStore(table: Table): EventItemStore {
  return {
    async atPositions(organization, ordinals) {
      const keys = [...new Set(ordinals)].map((ordinal) => testimonialKey(organization, ordinal));
      return readEach(
        await batchGet(table, keys, { consistent: true }),
        toItemAtPosition,
        table.onUnreadable,
      );
    },

    async endedImports(organization, fingerprints) {
      const keys = [...new Set(fingerprints)].map((fingerprint) => importKey(organization, fingerprint));
      return (await batchGet(table, keys, { consistent: true })).flatMap(toEndedImport);
    },
  };
}

const origin = v.object({
  change: v.exactOptional(v.picklist(changeKinds)),
  isLoaded: v.exactOptional(v.literal(true)),
});

function toItemAtPosition(item: StoredItem): (StoredTestimonial | ErasedTestimonial)[] {
  if (!hasTestimonial(item)) return toErased(item);
  return toStoredTestimonial(item).map((stored) => ({
    ...stored,
    ...parseItem('a testimonial', origin, item),
  }));
}

const erasedItem = v.object({
  SK: v.string(),
  [erasedAttribute]: v.string(),
  updateOrdinal: v.number(),
  time: v.string(),
});

function toErased(item: StoredItem): ErasedTestimonial[] {
  if (item[erasedAttribute] === undefined) return [];
  const { SK, ...erasure } = parseAttributes('an erased testimonial', erasedItem, item);
  return [{ ...erasure, ordinal: ordinalOfTestimonialKey(SK) }];
}

// These two attributes have the same meaning in every layout of imports.
const endedImportItem = v.object({ SK: v.string(), state: v.literal('ended'), count: v.number() });

function toEndedImport(item: StoredItem): EndedImport[] {
  const { success, output } = v.safeParse(endedImportItem, item);
  return success ? [{ fingerprint: nameOfImportKey(output.SK), count: output.count }] : [];
}
