/** The shapes of items in the table. Reads check them, because another version of the service may have written an item. */
import * as v from 'valibot';
import { isMembers, isPath, type Members, selected, type Texts, useOf } from '../domain/fields.ts';
import { isLong, type StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { ChangeMarker, ErasureTexts, Remains, WalkedRow } from '../domain/stores.ts';
import { type FieldPath, type Testimonial, testimonial } from '../domain/testimonial.ts';
import { Unreadable } from '../domain/unreadable.ts';
import { type IndexHead, indexHead } from '../testimonials/list-index/index-store.ts';
import { beginningWith, type Condition, getItem, putItem, queryAll, type StoredItem } from './items.ts';
import {
  changeMarkerKey,
  type Key,
  changeMarkerAttributes as names,
  ordinalOfTestimonialKey,
  organizationOfPartition,
  prefixes,
  secondaryIndexAttributes,
  testimonialKey,
  ttlAttribute,
  updateOrdinalOfKey,
} from './keys.ts';
import type { Table } from './table.ts';

/** The layout of all items and their keys, which each item states. Raise it when an attribute or a key changes its meaning. */
export const layout = 7;

/** A version of the service with another layout wrote the item. */
export class OtherLayout extends Unreadable {
  override name = 'OtherLayout';

  constructor(kind: string, keys: Unreadable['keys'], itemLayout: number) {
    const message =
      `The table contains ${kind} of layout ${itemLayout}, and this version reads layout ${layout}. ` +
      'Export each organization with the version that wrote it, and import the files into an empty table ' +
      '(docs/recovery.md, “Move to another layout”). ' +
      'The local service keeps its table in the folder .local: move that folder away to start with an empty one.';
    super(kind, keys, 'layout', message);
  }
}

/**
 * Checks the layout and the attributes of an item.
 * @param kind names the item in an error, with its article
 * @throws {Unreadable} if an attribute is missing or not valid
 * @throws {OtherLayout}
 */
export function parseItem<Schema extends v.GenericSchema>(
  kind: string,
  schema: Schema,
  item: StoredItem,
): v.InferOutput<Schema> {
  if (typeof item.layout === 'number' && item.layout !== layout) {
    throw new OtherLayout(kind, keysOf(item), item.layout);
  }
  if (item.layout !== layout) throw new Unreadable(kind, keysOf(item), 'layout');
  return parseAttributes(kind, schema, item);
}

/**
 * Checks the attributes of an item that states no layout.
 * @throws {Unreadable}
 */
export function parseAttributes<Schema extends v.GenericSchema>(
  kind: string,
  schema: Schema,
  item: StoredItem,
): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, item);
  // Names only the attribute, because the issue's message quotes the value.
  if (!success) throw new Unreadable(kind, keysOf(item), v.getDotPath(issues[0]) ?? '');
  return output;
}

/**
 * Returns functions that read, check and write small items of one kind, which state their layout.
 * @param kind names an item in an error, with its article
 */
export function itemKind<Schema extends v.GenericSchema<unknown, object>>(kind: string, schema: Schema) {
  const parse = (item: StoredItem) => parseItem(kind, schema, item);
  return {
    /** @throws {Unreadable} */
    parse,

    /** Reads an item, strongly consistent. */
    async find(table: Table, key: Key): Promise<v.InferOutput<Schema> | undefined> {
      const item = await getItem(table, key);
      return item && parse(item);
    },

    async list(table: Table, partition: string, prefix: string): Promise<v.InferOutput<Schema>[]> {
      return (await queryAll(table, beginningWith(partition, prefix))).map(parse);
    },

    /** @param ttl when DynamoDB may delete the item, in seconds since the epoch */
    put(
      table: Table,
      key: Key,
      value: v.InferOutput<Schema>,
      { ttl, ...condition }: Condition & { ttl?: number } = {},
    ): Promise<void> {
      const item = { ...key, ...value, ...(ttl !== undefined && { [ttlAttribute]: ttl }), layout };
      return putItem(table, item, condition);
    },
  };
}

/** Returns the keys of an item, or none if they contain the hash of a secret. */
function keysOf({ PK, SK }: StoredItem): Unreadable['keys'] {
  return organizationOfPartition(PK) === undefined && !PK.startsWith(prefixes.page) ? {} : { PK, SK };
}

/** Reads items one by one. Reports and skips unreadable ones. */
export function readEach<Read>(
  items: readonly StoredItem[],
  read: (item: StoredItem) => Read[],
  onUnreadable: (error: Unreadable) => void,
): Read[] {
  return items.flatMap((item) => {
    try {
      return read(item);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      onUnreadable(error);
      return [];
    }
  });
}

/**
 * Returns the testimonials in items. Reports unreadable ones to the table and skips them.
 * @throws {OtherLayout} because a whole table of another layout would look empty
 */
export function readTestimonials({ onUnreadable }: Table, items: readonly StoredItem[]): StoredTestimonial[] {
  return readEach(items, toStoredTestimonial, unlessOtherLayout(onUnreadable));
}

/** Returns the rows of a secondary index in the same way. */
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

/** The members of a schema that describe its values: those of an object, of an optional value, or of the steps of a pipe. */
interface SchemaParts {
  type: string;
  wrapped?: v.GenericSchema;
  entries?: Record<string, v.GenericSchema>;
  pipe?: readonly SchemaParts[];
}

const isMasked = (path: FieldPath) => useOf(path).published === 'masked';

/**
 * Returns the schema of stored fields. Texts and addresses keep only their type, so that a new rule makes no stored testimonial
 * unreadable.
 * @param isStored selects the fields
 */
function storedSchemaOf(
  schema: v.GenericSchema,
  isStored: (path: FieldPath) => boolean = () => true,
  path = '',
): v.GenericSchema {
  // Every schema has the type, and those of the kinds below have the others.
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

// They read values of the schemas that they are made from.
const storedFields = storedSchemaOf(fieldsSchema) as v.GenericSchema<unknown, Omit<Testimonial, 'id'>>;
const textsSchema = storedSchemaOf(testimonial, isMasked) as v.GenericSchema<unknown, Texts>;

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

/** Returns true for a testimonial, readable or not: sealed positions and erased testimonials have neither id nor layout. */
export function hasTestimonial(item: StoredItem): boolean {
  return item.id !== undefined || item.layout !== undefined;
}

/**
 * Returns the testimonial of an item; none for a sealed position or an erased testimonial.
 * @throws {Unreadable}
 */
export function toStoredTestimonial(item: StoredItem): StoredTestimonial[] {
  if (!hasTestimonial(item)) return [];
  const whole = { ...item, fields: fieldsOf(item) };
  const { SK, id, fields, ...stored } = parseItem('a testimonial', storedSchema, whole);
  const { writtenAt = fields.createdAt } = stored;
  return [{ ...stored, testimonial: { id, ...fields }, ordinal: ordinalOfTestimonialKey(SK), writtenAt }];
}

/** Returns the fields of an item, with those that are too long for secondary indexes. */
function fieldsOf({ fields, longFields }: StoredItem): Members {
  return joined(fields, longFields);
}

function joined(one: unknown, other: unknown): Members {
  const members = isMembers(one) ? one : {};
  if (!isMembers(other)) return members;
  const inner = Object.entries(other).map(([name, member]) => {
    return [name, isMembers(member) ? joined(members[name], member) : member];
  });
  return { ...members, ...Object.fromEntries(inner) };
}

// Cannot fail, because each attribute has a fallback.
const remainsSchema = v.object({
  SK: v.string(),
  updateOrdinal: v.fallback(v.optional(position), undefined),
  version: v.fallback(position, 0),
});

/** Returns the readable parts of an unreadable testimonial's item, for its erasure. */
export function toRemains(item: StoredItem): Remains {
  const { SK, updateOrdinal, version } = v.parse(remainsSchema, item);
  const ordinal = ordinalOfTestimonialKey(SK);
  return {
    ordinal,
    version,
    texts: readableTexts(fieldsOf(item)),
    ...(typeof item.version === 'number' && { storedVersion: item.version }),
    ...(updateOrdinal !== undefined && { updateOrdinal }),
  };
}

/** Returns the texts that can be read. Those that every testimonial has are empty otherwise. */
function readableTexts(all: Members): Texts {
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
  const head: IndexHead & StoredItem = parseItem('an index head', indexHead, item);
  const { PK: _, SK: __, writeId: ___, layout: ____, ...attributes } = head;
  return attributes;
}
