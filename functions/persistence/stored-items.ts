/** The shapes of items in the table. Reads check them, because another version of the service may have written an item. */
import * as v from 'valibot';
import { isLong, type StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { ChangeMarker, ErasureTexts, Remains, WalkedRow } from '../domain/stores.ts';
import { statuses, type Testimonial, testimonial, testimonialTypes } from '../domain/testimonial.ts';
import { Unreadable } from '../domain/unreadable.ts';
import { type IndexHead, indexHead } from '../list-index/index-store.ts';
import { beginningWith, type Condition, getItem, putItem, queryAll, type StoredItem } from './items.ts';
import {
  changeMarkerKey,
  contentAttributes,
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
export const layout = 6;

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

// Texts are not checked again after the create. The compiler asks for each field.
const testimonialSchema = v.object({
  id: testimonial.entries.id,
  content: v.string(),
  author: v.object({ name: v.string(), email: v.string(), company: v.exactOptional(v.string()) }),
  rating: testimonial.entries.rating,
  type: v.picklist(testimonialTypes),
  status: v.picklist(statuses),
  tags: v.exactOptional(v.array(v.string())),
  createdAt: testimonial.entries.createdAt,
  updatedAt: testimonial.entries.updatedAt,
} satisfies { [Field in keyof Required<Testimonial>]: v.GenericSchema<unknown, Testimonial[Field]> });

const storedSchema = v.object({
  SK: v.string(),
  updateOrdinal: position,
  previousUpdateOrdinal: v.exactOptional(position),
  version: position,
  writtenAt: v.exactOptional(testimonial.entries.createdAt),
  decision: v.exactOptional(v.object({ by: v.string(), id: v.exactOptional(v.string()), at: v.string() })),
  consent: v.exactOptional(v.object({ page: v.string(), at: v.string() })),
});

const walkedItemSchema = v.object({ SK: v.string(), updateOrdinal: position });

/** Returns the item of a testimonial, with the keys of the table and of its secondary indexes. */
export function testimonialItem(organization: string, stored: StoredTestimonial) {
  const { testimonial, ordinal, writtenAt, ...rest } = stored;
  const { content, ...others } = testimonial;
  return {
    ...testimonialKey(organization, ordinal),
    ...secondaryIndexAttributes(organization, stored),
    [isLong(content) ? contentAttributes.long : contentAttributes.short]: content,
    ...others,
    ...rest,
    layout,
    ...(writtenAt !== testimonial.createdAt && { writtenAt }),
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
  const { SK, ...stored } = parseItem('a testimonial', storedSchema, item);
  const read = parseItem('a testimonial', testimonialSchema, { ...item, content: contentOf(item) });
  const { writtenAt = read.createdAt } = stored;
  return [{ ...stored, testimonial: read, ordinal: ordinalOfTestimonialKey(SK), writtenAt }];
}

function contentOf(item: StoredItem): unknown {
  return item[contentAttributes.short] ?? item[contentAttributes.long];
}

const someText = v.fallback(v.string(), '');
const optionalText = v.fallback(v.optional(v.string()), undefined);
const somePosition = v.fallback(v.optional(position), undefined);

// Cannot fail, because each attribute has a fallback.
const remainsSchema = v.object({
  SK: v.string(),
  updateOrdinal: somePosition,
  version: v.fallback(position, 0),
  content: someText,
  author: v.fallback(v.object({ name: someText, company: optionalText }), { name: '', company: undefined }),
  tags: v.fallback(v.array(optionalText), []),
});

/** Returns the readable parts of an unreadable testimonial's item, for its erasure. */
export function toRemains(item: StoredItem): Remains {
  const { SK, updateOrdinal, version, content, author, tags } = v.parse(remainsSchema, {
    ...item,
    content: contentOf(item),
  });
  const ordinal = ordinalOfTestimonialKey(SK);
  return {
    ordinal,
    version,
    texts: {
      content,
      author: { name: author.name, ...(author.company !== undefined && { company: author.company }) },
      tags: tags.filter((tag) => tag !== undefined),
    },
    storedVersion: item.version,
    ...(updateOrdinal !== undefined && { updateOrdinal }),
  };
}

function toWalkedRow(item: StoredItem): WalkedRow {
  const isWhole = item[contentAttributes.short] !== undefined;
  const { SK, updateOrdinal } = parseItem('a testimonial', walkedItemSchema, item);
  const [stored] = isWhole ? toStoredTestimonial(item) : [];
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
  texts: v.object({
    content: v.string(),
    author: v.object({ name: v.string(), company: v.exactOptional(v.string()) }),
    tags: v.exactOptional(v.array(v.string())),
  }),
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
