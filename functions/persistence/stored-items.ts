/** The shapes of items in the table, checked where they are read: another version of the service may have written them. */
import * as v from 'valibot';
import { isLong, type StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { ChangeMarker, WalkedRow } from '../domain/stores.ts';
import { statuses, type Testimonial, testimonialTypes } from '../domain/testimonial.ts';
import type { IndexHead } from '../list-index/index-store.ts';
import {
  contentAttributes,
  ordinalOfTestimonialKey,
  secondaryIndexAttributes,
  testimonialKey,
  updateOrdinalOfChangeMarkerKey,
} from './keys.ts';
import type { StoredItem } from './table.ts';

/** The layout of all items and their keys; to be raised when one changes. Each item says which it has. */
export const layout = 5;

/** An item was written by a version of this service that has another layout. */
export class OtherLayout extends Error {
  override name = 'OtherLayout';

  constructor(what: string, theirs: unknown) {
    super(
      `The table has ${what} of ${typeof theirs === 'number' ? `layout ${theirs}` : 'an older layout'}, and this version reads layout ${layout}. ` +
        'Export each organization with the version that wrote it, and import the files into an empty table ' +
        '(docs/operations.md, “Move to another layout”). ' +
        'The local service keeps its table in the folder .local: move it away to begin anew.',
    );
  }
}

/**
 * @param what names the item in an error, with its article
 * @throws {OtherLayout}
 */
export function parseItem<Schema extends v.GenericSchema>(
  what: string,
  schema: Schema,
  item: StoredItem,
): v.InferOutput<Schema> {
  if (item.layout !== layout) throw new OtherLayout(what, item.layout);
  return v.parse(schema, item);
}

// Its rules were checked when it was created; the compiler asks for each field of it.
const testimonialSchema = v.object({
  id: v.string(),
  content: v.string(),
  author: v.object({ name: v.string(), email: v.string(), company: v.exactOptional(v.string()) }),
  rating: v.exactOptional(v.number()),
  type: v.picklist(testimonialTypes),
  status: v.picklist(statuses),
  tags: v.exactOptional(v.array(v.string())),
  createdAt: v.string(),
  updatedAt: v.string(),
} satisfies { [Field in keyof Required<Testimonial>]: v.GenericSchema<unknown, Testimonial[Field]> });

const placesSchema = v.object({
  SK: v.string(),
  updateOrdinal: v.number(),
  previousUpdateOrdinal: v.exactOptional(v.number()),
  version: v.number(),
  writtenAt: v.exactOptional(v.string()),
  decision: v.exactOptional(v.object({ by: v.string(), id: v.exactOptional(v.string()), at: v.string() })),
});

const walkedItemSchema = v.object({ SK: v.string(), updateOrdinal: v.number() });

/** The item of a testimonial, with the keys of the table and of its secondary indexes. */
export function testimonialItem(organization: string, stored: StoredTestimonial) {
  const { testimonial, ordinal, writtenAt, ...places } = stored;
  const { content, ...others } = testimonial;
  return {
    ...testimonialKey(organization, ordinal),
    ...secondaryIndexAttributes(organization, stored),
    [isLong(content) ? contentAttributes.long : contentAttributes.short]: content,
    ...others,
    ...places,
    layout,
    ...(writtenAt !== testimonial.createdAt && { writtenAt }),
  };
}

/** The testimonial in such an item; none in the item of a sealed place or of an erased testimonial. */
export function toStoredTestimonial(item: StoredItem): StoredTestimonial[] {
  if (item.id === undefined) return [];
  const { SK, ...places } = parseItem('a testimonial', placesSchema, item);
  const content = item[contentAttributes.short] ?? item[contentAttributes.long];
  const testimonial = v.parse(testimonialSchema, { ...item, content });
  const { writtenAt = testimonial.createdAt } = places;
  return [{ ...places, testimonial, ordinal: ordinalOfTestimonialKey(SK), writtenAt }];
}

/** The row of a secondary index in such an item. */
export function toWalkedRow(item: StoredItem): WalkedRow {
  const isWhole = item[contentAttributes.short] !== undefined;
  const { SK, updateOrdinal } = parseItem('a testimonial', walkedItemSchema, item);
  const [stored] = isWhole ? toStoredTestimonial(item) : [];
  return { ordinal: ordinalOfTestimonialKey(SK), updateOrdinal, ...(stored && { stored }) };
}

/** The change marker in an item. Whoever wrote the index head wrote it: its shape is not checked. */
export function toChangeMarker({ PK: _, SK, ...marker }: StoredItem): ChangeMarker {
  return {
    ...(marker as Omit<ChangeMarker, 'updateOrdinal'>),
    updateOrdinal: updateOrdinalOfChangeMarkerKey(SK),
  };
}

const rows = v.looseObject({ count: v.number(), long: v.number(), bytes: v.number() });

// A newer version may have put more into each of its objects, which stays there: whoever replaces the head writes all of it.
const headSchema = v.looseObject({
  revision: v.number(),
  identity: v.exactOptional(v.string()),
  generation: v.number(),
  indexed: v.number(),
  updated: v.number(),
  past: v.exactOptional(v.looseObject({ createdAt: v.number(), updatedAt: v.number() })),
  reach: v.exactOptional(v.number()),
  epoch: v.number(),
  terms: v.string(),
  covered: v.array(
    v.looseObject({ updateOrdinals: v.array(v.number()), seenAt: v.exactOptional(v.number()) }),
  ),
  hasErased: v.exactOptional(v.boolean()),
  hasHidden: v.exactOptional(v.boolean()),
  rows: v.exactOptional(rows),
  load: v.exactOptional(v.string()),
  imports: v.exactOptional(v.number()),
  building: v.exactOptional(
    v.looseObject({
      generation: v.number(),
      terms: v.string(),
      indexed: v.number(),
      updated: v.number(),
      epoch: v.number(),
      until: v.number(),
      hasHidden: v.exactOptional(v.boolean()),
      rows: v.exactOptional(rows),
    }),
  ),
  replaced: v.exactOptional(v.looseObject({ seenAt: v.exactOptional(v.number()) })),
} satisfies { [Member in keyof Required<IndexHead>]: v.GenericSchema<unknown, IndexHead[Member]> });

/** The index head in an item. */
export function toHead(item: StoredItem): IndexHead {
  const { PK: _, SK: __, writeId: ___, layout: ____, ...head } = parseItem('an index head', headSchema, item);
  return head;
}
