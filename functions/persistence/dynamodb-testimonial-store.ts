/** Testimonials, their counter and their change markers in DynamoDB. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, type QueryCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { ChangeMarker, TestimonialStore } from '../domain/stores.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { ordinalOfId } from '../domain/testimonial-id.ts';
import { succeeds } from './conditional-write.ts';
import {
  afterPrefix,
  changeMarkerKey,
  counterKey,
  erasedAttribute,
  ordinalOfTestimonialKey,
  organizationPartition,
  prefixes,
  secondaryIndexAttributes,
  secondaryIndexes,
  sortKeyOf,
  statusPartition,
  tableKey,
  testimonialKey,
  updateOrdinalOfChangeMarkerKey,
} from './keys.ts';
import { batchDelete, batchGet, queryPages, type StoredItem, type Table } from './table.ts';

/** Returns the store of a table. SDK errors other than a failed condition pass through. */
export function testimonialStore(table: Table): TestimonialStore {
  const { client, name: TableName, options } = table;

  /** Adds to the counter; the time is `now` or, where that is earlier than the last, the last. */
  const count = async (organization: string, now: Date, numbers: Record<string, number>) => {
    const names = Object.keys(numbers);
    const add = `ADD ${names.map((name) => `${name} :${name}`).join(', ')}`;
    const take = (update: string, condition: string) =>
      client.send(
        new UpdateCommand({
          TableName,
          Key: counterKey(organization),
          UpdateExpression: update,
          ConditionExpression: condition,
          ExpressionAttributeValues: {
            ...Object.fromEntries(names.map((name) => [`:${name}`, numbers[name]])),
            ':now': now.toISOString(),
          },
          ReturnValues: 'ALL_NEW',
        }),
        options,
      );
    const { Attributes = {} } = await take(
      `${add} SET lastTime = :now`,
      'attribute_not_exists(lastTime) OR lastTime <= :now',
    ).catch((error: unknown) => {
      if (error instanceof ConditionalCheckFailedException) return take(add, 'lastTime > :now');
      throw error;
    });
    // As the update expression has them.
    return Attributes as { lastOrdinal: number; lastUpdateOrdinal: number; lastTime: string };
  };

  const itemAt = async (organization: string, ordinal: number): Promise<StoredItem | undefined> => {
    const Key = testimonialKey(organization, ordinal);
    return (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }), options)).Item;
  };

  /** Puts an item where there is none; returns what is there then. */
  const putIfFree = async (
    organization: string,
    ordinal: number,
    attributes: Record<string, unknown>,
  ): Promise<StoredItem> => {
    const Item = { ...attributes, ...testimonialKey(organization, ordinal) };
    const put = new PutCommand({
      TableName,
      Item,
      ConditionExpression: `attribute_not_exists(${tableKey.partition})`,
    });
    return (await succeeds(client.send(put, options))) ? Item : ((await itemAt(organization, ordinal)) ?? {});
  };

  /** Updates a testimonial that is still of the version it was read with, and raises that. */
  const update = (organization: string, previous: StoredTestimonial, attributes: Record<string, unknown>) => {
    const set = { ...attributes, version: previous.version + 1 };
    const names = Object.keys(set);
    return succeeds(
      client.send(
        new UpdateCommand({
          TableName,
          Key: testimonialKey(organization, previous.ordinal),
          UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
          ConditionExpression: '#version = :previous',
          ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
          ExpressionAttributeValues: {
            ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value])),
            ':previous': previous.version,
          },
        }),
        options,
      ),
    );
  };

  const store: TestimonialStore = {
    async takeOrdinals(organization, now, number = 1) {
      const { lastOrdinal, lastUpdateOrdinal, lastTime } = await count(organization, now, {
        lastOrdinal: number,
        lastUpdateOrdinal: number,
      });
      return { ordinal: lastOrdinal, updateOrdinal: lastUpdateOrdinal, time: lastTime };
    },

    async beginCounting(organization, last, time, load) {
      const Key = counterKey(organization);
      const Item = { ...Key, lastOrdinal: last, lastUpdateOrdinal: last, lastTime: time, load };
      const ConditionExpression = `attribute_not_exists(${tableKey.partition})`;
      if (await succeeds(client.send(new PutCommand({ TableName, Item, ConditionExpression }), options)))
        return true;
      const there = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }), options);
      return there.Item?.load === load;
    },

    async lastTaken(organization) {
      const Key = counterKey(organization);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }), options);
      return (
        Item && {
          ordinal: Item.lastOrdinal ?? 0,
          updateOrdinal: Item.lastUpdateOrdinal ?? 0,
          time: Item.lastTime,
        }
      );
    },

    async takeUpdateOrdinal(organization, now) {
      const { lastUpdateOrdinal, lastTime } = await count(organization, now, { lastUpdateOrdinal: 1 });
      return { updateOrdinal: lastUpdateOrdinal, time: lastTime };
    },

    async insert(organization, stored) {
      const { id } = stored.testimonial;
      const there = await putIfFree(organization, stored.ordinal, testimonialItem(organization, stored));
      const [found] = toStoredTestimonial(there);
      if (found) return found.testimonial.id === id ? found : 'taken';
      if (there[erasedAttribute] === undefined) return 'sealed';
      return there[erasedAttribute] === id ? 'erased' : 'taken';
    },

    async sealPlace(organization, ordinal) {
      return toStoredTestimonial(await putIfFree(organization, ordinal, {}))[0];
    },

    async find(organization, ordinal) {
      const Item = await itemAt(organization, ordinal);
      return Item && toStoredTestimonial(Item)[0];
    },

    async findMany(organization, ordinals, { consistent = true } = {}) {
      const keys = [...new Set(ordinals)].map((ordinal) => testimonialKey(organization, ordinal));
      return (await batchGet(table, keys, { consistent })).flatMap(toStoredTestimonial);
    },

    async *from(organization, ordinal, { limit } = {}) {
      const { SK } = testimonialKey(organization, ordinal);
      const query = {
        ...range(organization, SK, `${prefixes.testimonial}${afterPrefix}`),
        ...(limit !== undefined && { Limit: limit }),
      };
      for await (const { items } of queryPages(table, query)) yield items.flatMap(toStoredTestimonial);
    },

    async *walk(organization, { status, sort, order, limit, between }) {
      const index = (status ? secondaryIndexes.status : secondaryIndexes.organization)[sort];
      const query = {
        IndexName: index.name,
        KeyConditionExpression: `#partition = :partition${between ? ' AND #sort BETWEEN :from AND :to' : ''}`,
        ExpressionAttributeNames: { '#partition': index.partition, ...(between && { '#sort': index.sort }) },
        ExpressionAttributeValues: {
          ':partition': status ? statusPartition(organization, status) : organizationPartition(organization),
          ...(between && { ':from': sortKeyOf(between[0]), ':to': sortKeyOf(between[1]) }),
        },
        ScanIndexForward: order === 'asc',
        ...(limit !== undefined && { Limit: limit }),
      };
      for await (const { items } of queryPages(table, query)) yield items.flatMap(toStoredTestimonial);
    },

    async putChangeMarker(organization, { updateOrdinal, ...marker }) {
      const Item = { ...changeMarkerKey(organization, updateOrdinal), ...marker };
      await client.send(new PutCommand({ TableName, Item }), options);
    },

    async *changeMarkers(organization) {
      const query = range(organization, prefixes.changeMarker, `${prefixes.changeMarker}${afterPrefix}`);
      for await (const { items } of queryPages(table, query)) yield items.map(toChangeMarker);
    },

    async deleteChangeMarkers(organization, updateOrdinals) {
      await batchDelete(
        table,
        updateOrdinals.map((updateOrdinal) => changeMarkerKey(organization, updateOrdinal)),
      );
    },

    replaceStatus: (organization, previous, next) =>
      update(organization, previous, {
        ...secondaryIndexAttributes(organization, next),
        status: next.testimonial.status,
        updatedAt: next.testimonial.updatedAt,
        updateOrdinal: next.updateOrdinal,
        previousUpdateOrdinal: next.previousUpdateOrdinal,
      }),

    sealVersion: (organization, stored) => update(organization, stored, {}),

    async erase(organization, { ordinal, version, testimonial: { id } }) {
      const put = new PutCommand({
        TableName,
        Item: { ...testimonialKey(organization, ordinal), [erasedAttribute]: id },
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': version },
      });
      // It may have arrived and be tried again.
      return (await succeeds(client.send(put, options))) || store.wasErased(organization, id);
    },

    async wasErased(organization, id) {
      const ordinal = ordinalOfId(id);
      const item = ordinal === undefined ? undefined : await itemAt(organization, ordinal);
      return item?.[erasedAttribute] === id;
    },
  };
  return store;
}

function range(organization: string, from: string, to: string): Omit<QueryCommandInput, 'TableName'> {
  return {
    KeyConditionExpression: `${tableKey.partition} = :partition AND ${tableKey.sort} BETWEEN :from AND :to`,
    ExpressionAttributeValues: {
      ':partition': organizationPartition(organization),
      ':from': from,
      ':to': to,
    },
    ConsistentRead: true,
  };
}

/** The item of a testimonial, with the keys of the table and of its secondary indexes. */
export function testimonialItem(organization: string, stored: StoredTestimonial) {
  const { testimonial, ordinal, updateOrdinal, previousUpdateOrdinal, version, writtenAt } = stored;
  return {
    ...testimonialKey(organization, ordinal),
    ...secondaryIndexAttributes(organization, stored),
    ...testimonial,
    updateOrdinal,
    ...(previousUpdateOrdinal !== undefined && { previousUpdateOrdinal }),
    version,
    ...(writtenAt !== testimonial.createdAt && { writtenAt }),
  };
}

/** The testimonial in such an item; none in the item of a sealed place or of an erased testimonial. */
export function toStoredTestimonial(item: StoredItem): StoredTestimonial[] {
  const { SK, id, content, author, rating, type, status, tags, createdAt, updatedAt } = item;
  if (id === undefined) return [];
  // Only `testimonialItem` makes these items, from a StoredTestimonial.
  const testimonial = {
    id,
    content,
    author,
    ...(rating !== undefined && { rating }),
    type,
    status,
    ...(tags !== undefined && { tags }),
    createdAt,
    updatedAt,
  } as Testimonial;
  const { updateOrdinal, previousUpdateOrdinal, version, writtenAt = createdAt } = item;
  return [
    {
      testimonial,
      ordinal: ordinalOfTestimonialKey(SK),
      updateOrdinal,
      ...(previousUpdateOrdinal !== undefined && { previousUpdateOrdinal }),
      version,
      writtenAt,
    },
  ];
}

/** The change marker in an item. */
export function toChangeMarker({
  SK,
  previousUpdateOrdinal,
  ordinal,
  version,
  time,
  erases,
}: StoredItem): ChangeMarker {
  const updateOrdinal = updateOrdinalOfChangeMarkerKey(SK);
  return { updateOrdinal, previousUpdateOrdinal, ordinal, version, time, ...(erases && { erases }) };
}
