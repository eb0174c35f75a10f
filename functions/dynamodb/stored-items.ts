/**
 * The shapes of items in the table. Reads check them, because another version of the service may have written
 * an item.
 */
import * as v from 'valibot';
import { Unreadable } from '../domain/unreadable.ts';
import { beginningWith, type Condition, getItem, putItem, queryAll, type StoredItem } from './items.ts';
import { type Key, organizationOfPartition, prefixes, ttlAttribute } from './keys.ts';
import type { Table } from './table.ts';

/**
 * The layout of all items and their keys. Each item states it. Raise it when the meaning of an attribute or a
 * key changes.
 */
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
 * @throws {Unreadable} if an attribute is missing or invalid
 * @throws {OtherLayout} if a version with another layout wrote the item
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
 * @throws {Unreadable} if an attribute is missing or invalid
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

    /** Reads an item with a strongly consistent read. */
    async find(table: Table, key: Key): Promise<v.InferOutput<Schema> | undefined> {
      const item = await getItem(table, key);
      return item && parse(item);
    },

    async list(table: Table, partition: string, prefix: string): Promise<v.InferOutput<Schema>[]> {
      return (await queryAll(table, beginningWith(partition, prefix))).map(parse);
    },

    /** @param ttl the time after which DynamoDB may delete the item, in seconds since 1970 */
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

/** Returns the keys of an item, or an empty object if they contain the hash of a secret. */
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
