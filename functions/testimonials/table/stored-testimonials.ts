/** Testimonials, change markers, texts of erasures and index heads as items of the table. */

import * as v from 'valibot';
import { type FieldGroup, isFieldGroup, isPath, selected, type Texts, useOf } from '../../domain/fields.ts';
import { isLong, type StoredTestimonial } from '../../domain/stored-testimonial.ts';
import { type FieldPath, type Testimonial, testimonial } from '../../domain/testimonial.ts';
import { without } from '../../domain/without.ts';
import type { StoredItem } from '../../dynamodb/items.ts';
import {
  changeMarkerKey,
  changeMarkerAttributes as names,
  ordinalOfTestimonialKey,
  secondaryIndexAttributes,
  testimonialKey,
  updateOrdinalOfKey,
} from '../../dynamodb/keys.ts';
import { layout, OtherLayout, parseItem, readEach } from '../../dynamodb/stored-items.ts';
import type { Table } from '../../dynamodb/table.ts';
import { type IndexHead, indexHead } from '../list-index/index-store.ts';
import type { ChangeMarker, ErasureTexts, ReadableParts, WalkedRow } from '../model/testimonial-store.ts';
/**
 * Returns the testimonials in items. Reports unreadable ones to the table and skips them.
 * @throws {OtherLayout} because otherwise a whole table of another layout would look empty
 */
export function readTestimonials({ onUnreadable }: Table, items: readonly StoredItem[]): StoredTestimonial[] {
  return readEach(items, toStoredTestimonial, unlessOtherLayout(onUnreadable));
}

/** Returns the rows of a secondary index in items. Reports unreadable ones to the table and skips them. */
export function readWalkedRows({ onUnreadable }: Table, items: readonly StoredItem[]): WalkedRow[] {
  return readEach(items, (item) => [toWalkedRow(item)], unlessOtherLayout(onUnreadable));
}

function unlessOtherLayout(onUnreadable: Table['onUnreadable']): Table['onUnreadable'] {
  return (error) => {
    if (error instanceof OtherLayout) throw error;
    onUnreadable(error);
  };
}

// A position that bitmaps can store and that keys sort correctly.
const position = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/**
 * The members of a schema that describe its values: those of an object, of an optional value, or of the steps
 * of a pipe.
 */
interface SchemaParts {
  type: string;
  wrapped?: v.GenericSchema;
  entries?: Record<string, v.GenericSchema>;
  pipe?: readonly SchemaParts[];
}

const isMasked = (path: FieldPath) => useOf(path).published === 'masked';

/**
 * Returns the schema of stored fields. Texts and addresses keep only their type, so that a new rule makes no
 * stored testimonial unreadable.
 * @param isStored selects the fields
 */
function storedSchemaOf(
  schema: v.GenericSchema,
  isStored: (path: FieldPath) => boolean = () => true,
  path = '',
): v.GenericSchema {
  // Every schema has the type. Schemas of the kinds below also have the other members.
  const { type, wrapped, entries, pipe = [] } = schema as unknown as SchemaParts;
  if (type === 'exact_optional' && wrapped) return v.exactOptional(storedSchemaOf(wrapped, isStored, path));
  const object = entries ?? pipe.find((step) => step.entries)?.entries;
  if (object) {
    const stored = Object.entries(object).flatMap(([name, entry]) => {
      const inner = path === '' ? name : `${path}.${name}`;
      return isPath(inner) && !isStored(inner) ? [] : [[name, storedSchemaOf(entry, isStored, inner)]];
    });
    return v.object(Object.fromEntries(stored));
  }
  const isText = isPath(path) && (isMasked(path) || path === 'author.email');
  if (!isText) return schema;
  return pipe.some((step) => step.type === 'array') ? v.array(v.string()) : v.string();
}

const fieldsSchema = v.omit(testimonial, ['id']);

// The schemas read values of the schemas that they are made from.
const storedFields = storedSchemaOf(fieldsSchema) as v.GenericSchema<unknown, Omit<Testimonial, 'id'>>;
const textsSchema = storedSchemaOf(testimonial, isMasked) as v.GenericSchema<unknown, Texts>;

// Leaves out `change` and `isLoaded`, which only events read (event-item-store.ts). Seals keep both, and
// changes keep `isLoaded`. `fieldsOf` joins `longFields`.
const storedSchema = v.object({
  SK: v.string(),
  id: testimonial.entries.id,
  fields: storedFields,
  updateOrdinal: position,
  previousUpdateOrdinal: v.exactOptional(position),
  version: position,
  writtenAt: v.exactOptional(testimonial.entries.createdAt),
  decision: v.exactOptional(v.object({ by: v.string(), id: v.exactOptional(v.string()), at: v.string() })),
  consent: v.exactOptional(v.object({ page: v.string(), at: v.string() })),
  source: v.exactOptional(v.string()),
});

const walkedItemSchema = v.object({ SK: v.string(), updateOrdinal: position });

/** Returns the item of a testimonial, with the keys of the table and of its secondary indexes. */
export function testimonialItem(organization: string, stored: StoredTestimonial) {
  const { testimonial: whole, ordinal, writtenAt, ...rest } = stored;
  const { id, ...content } = whole;
  const long = selected(content, isLong);
  const isPartial = Object.keys(long).length > 0;
  return {
    ...testimonialKey(organization, ordinal),
    ...secondaryIndexAttributes(organization, stored),
    id,
    fields: isPartial ? selected(content, (path, value) => !isLong(path, value)) : content,
    ...(isPartial && { longFields: long, isPartial }),
    ...rest,
    layout,
    ...(writtenAt !== whole.createdAt && { writtenAt }),
  };
}

/**
 * True for a testimonial, even an unreadable one. Sealed positions and erased testimonials have neither an id
 * nor a layout.
 */
export function hasTestimonial(item: StoredItem): boolean {
  return item.id !== undefined || item.layout !== undefined;
}

/**
 * Returns the testimonial of an item, or an empty array for a sealed position or an erased testimonial.
 * @throws {Unreadable} if the testimonial cannot be read
 */
export function toStoredTestimonial(item: StoredItem): StoredTestimonial[] {
  if (!hasTestimonial(item)) return [];
  const whole = { ...item, fields: fieldsOf(item) };
  const { SK, id, fields, ...stored } = parseItem('a testimonial', storedSchema, whole);
  const { writtenAt = fields.createdAt } = stored;
  return [{ ...stored, testimonial: { id, ...fields }, ordinal: ordinalOfTestimonialKey(SK), writtenAt }];
}

/** Returns the fields of an item, including those that are too long for secondary indexes. */
function fieldsOf({ fields, longFields }: StoredItem): FieldGroup {
  return joined(fields, longFields);
}

function joined(one: unknown, other: unknown): FieldGroup {
  const members = isFieldGroup(one) ? one : {};
  if (!isFieldGroup(other)) return members;
  const inner = Object.entries(other).map(([name, member]) => {
    return [name, isFieldGroup(member) ? joined(members[name], member) : member];
  });
  return { ...members, ...Object.fromEntries(inner) };
}

// Cannot fail, because each attribute has a fallback.
const readablePartsSchema = v.object({
  SK: v.string(),
  updateOrdinal: v.fallback(v.optional(position), undefined),
  version: v.fallback(position, 0),
});

/** Returns the readable parts of an unreadable testimonial's item, for its erasure. */
export function toReadableParts(item: StoredItem): ReadableParts {
  const { SK, updateOrdinal, version } = v.parse(readablePartsSchema, item);
  const ordinal = ordinalOfTestimonialKey(SK);
  return {
    ordinal,
    version,
    texts: readableTexts(fieldsOf(item)),
    ...(typeof item.version === 'number' && { storedVersion: item.version }),
    ...(updateOrdinal !== undefined && { updateOrdinal }),
  };
}

/** Returns the readable texts. A text that every testimonial has is empty if it is unreadable. */
function readableTexts(all: FieldGroup): Texts {
  const isReadable = (path: FieldPath, value: unknown) =>
    path === 'tags' ? Array.isArray(value) : isMasked(path) && typeof value === 'string';
  const { author, tags, ...others } = selected(all, isReadable);
  return {
    content: '',
    ...others,
    author: { name: '', ...Object(author) },
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
  };
}

function toWalkedRow(item: StoredItem): WalkedRow {
  const { SK, updateOrdinal } = parseItem('a testimonial', walkedItemSchema, item);
  const [stored] = item.isPartial ? [] : toStoredTestimonial(item);
  return { ordinal: ordinalOfTestimonialKey(SK), updateOrdinal, ...(stored && { stored }) };
}

export function changeMarkerItem(organization: string, marker: ChangeMarker) {
  return {
    ...changeMarkerKey(organization, marker.updateOrdinal),
    [names.ordinal]: marker.ordinal,
    [names.previousUpdateOrdinal]: marker.previousUpdateOrdinal,
    [names.version]: marker.version,
    [names.time]: Date.parse(marker.time),
    ...(marker.formerFacets && { [names.formerFacets]: marker.formerFacets }),
  };
}

/** Returns the change marker in an item, unchecked. The index head that is read with it states the layout. */
export function toChangeMarker(item: StoredItem): ChangeMarker {
  return {
    updateOrdinal: updateOrdinalOfKey(item.SK),
    ordinal: item[names.ordinal],
    previousUpdateOrdinal: item[names.previousUpdateOrdinal],
    version: item[names.version],
    time: new Date(item[names.time]).toISOString(),
    ...(item[names.formerFacets] && { formerFacets: item[names.formerFacets] }),
  };
}

const erasureTextsSchema = v.object({
  SK: v.string(),
  ordinal: v.number(),
  version: v.number(),
  time: v.string(),
  texts: textsSchema,
});

export function toErasureTexts(item: StoredItem): ErasureTexts {
  const { SK, ...erasure } = parseItem('the texts of an erasure', erasureTextsSchema, item);
  return { ...erasure, updateOrdinal: updateOrdinalOfKey(SK) };
}

export function toHead(item: StoredItem): IndexHead {
  const head: IndexHead & { [name in 'PK' | 'SK' | 'writeId' | 'layout']?: unknown } = parseItem(
    'an index head',
    indexHead,
    item,
  );
  return without(head, 'PK', 'SK', 'writeId', 'layout');
}
