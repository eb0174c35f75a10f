/** Testimonials, their counter and their change markers in DynamoDB. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  type QueryCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Change, TestimonialStore } from '../domain/stores.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { ordinalOf } from '../domain/testimonial-order.ts';
import { abortable, batchGet, queryPages, type Table } from './document-client.ts';
import {
  changeMarkerKey,
  counterKey,
  indexAttributes,
  indexes,
  organizationPartition,
  parseChangeMarker,
  prefixes,
  statusPartition,
  tableKey,
  testimonialKey,
} from './keys.ts';

// Sorts after every key with the same prefix: keys are ASCII.
const afterPrefix = '~';

/** Returns the store of a table. SDK errors other than a failed condition pass through. */
export function testimonialStore({ client, name: TableName }: Table): TestimonialStore {
  const store: TestimonialStore = {
    async takeOrdinal(organization, now, { count = 1 } = {}, signal) {
      const Key = counterKey(organization);
      const time = now.toISOString();
      const take = (update: string, condition: string) =>
        client.send(
          new UpdateCommand({
            TableName,
            Key,
            UpdateExpression: update,
            ConditionExpression: condition,
            ExpressionAttributeValues: { ':count': count, ':now': time },
            ReturnValues: 'ALL_NEW',
          }),
          abortable(signal),
        );
      const { Attributes } = await take(
        'ADD lastOrdinal :count SET lastCreatedAt = :now',
        'attribute_not_exists(lastCreatedAt) OR lastCreatedAt <= :now',
      ).catch(
        // The clock went back, or another function's is ahead: createdAt stays where it is.
        whenConditionFails(() => take('ADD lastOrdinal :count', 'lastCreatedAt > :now')),
      );
      return { ordinal: Attributes?.lastOrdinal, createdAt: Attributes?.lastCreatedAt };
    },

    async insert(organization, testimonial, signal) {
      const put = new PutCommand({
        TableName,
        Item: testimonialItem(organization, testimonial),
        ConditionExpression: `attribute_not_exists(${tableKey.partition})`,
      });
      return client.send(put, abortable(signal)).then(
        () => undefined,
        whenConditionFails(() => store.find(organization, ordinalOf(testimonial), signal)),
      );
    },

    async find(organization, ordinal, signal) {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: testimonialKey(organization, ordinal), ConsistentRead: true }),
        abortable(signal),
      );
      return Item && toTestimonial(Item);
    },

    async findMany(organization, ordinals, { eventually = false } = {}, signal) {
      const keys = [...new Set(ordinals)].map((ordinal) => testimonialKey(organization, ordinal));
      return (await batchGet({ client, name: TableName }, keys, { consistent: !eventually }, signal)).map(
        toTestimonial,
      );
    },

    async markChange(organization, change, signal) {
      const Item = changeMarkerKey(organization, change);
      await client.send(new PutCommand({ TableName, Item }), abortable(signal));
    },

    async announcedChanges(organization) {
      const changes: Change[] = [];
      const markers = pages({
        ...range(organization, prefixes.change, `${prefixes.change}${afterPrefix}`),
        ConsistentRead: true,
      });
      for await (const { items } of markers) {
        changes.push(...items.map(({ SK }) => parseChangeMarker(SK)));
      }
      return changes;
    },

    async forgetChanges(organization, changes) {
      await Promise.all(
        changes.map((change) =>
          client.send(new DeleteCommand({ TableName, Key: changeMarkerKey(organization, change) })),
        ),
      );
    },

    async replaceStatus(organization, previous, next) {
      const attributes = {
        ...indexAttributes(organization, next),
        status: next.status,
        updatedAt: next.updatedAt,
      };
      const names = Object.keys(attributes);
      return client
        .send(
          new UpdateCommand({
            TableName,
            Key: testimonialKey(organization, ordinalOf(next)),
            UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
            ConditionExpression: '#updatedAt = :previous',
            ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
            ExpressionAttributeValues: {
              ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`:${name}`, value])),
              ':previous': previous.updatedAt,
            },
          }),
        )
        .then(
          () => true,
          whenConditionFails(() => false),
        );
    },

    async *from(organization, ordinal, { limit } = {}) {
      const rows = pages({
        ...range(
          organization,
          testimonialKey(organization, ordinal).SK,
          `${prefixes.testimonial}${afterPrefix}`,
        ),
        ConsistentRead: true,
        ...(limit !== undefined && { Limit: limit }),
      });
      for await (const { items } of rows) yield items.map(toTestimonial);
    },

    async *walk(organization, { status, sort, order, limit }, signal) {
      const index = (status ? indexes.status : indexes.organization)[sort];
      const rows = pages(
        {
          IndexName: index.name,
          KeyConditionExpression: '#partition = :partition',
          ExpressionAttributeNames: { '#partition': index.partition },
          ExpressionAttributeValues: {
            ':partition': status
              ? statusPartition(organization, status)
              : organizationPartition(organization),
          },
          ScanIndexForward: order === 'asc',
          Limit: limit,
        },
        signal,
      );
      for await (const { items } of rows) yield items.map(toTestimonial);
    },
  };
  return store;

  function pages(query: Omit<QueryCommandInput, 'TableName'>, signal?: AbortSignal) {
    return queryPages({ client, name: TableName }, query, signal);
  }
}

function range(organization: string, from: string, to: string) {
  return {
    KeyConditionExpression: `${tableKey.partition} = :partition AND ${tableKey.sort} BETWEEN :from AND :to`,
    ExpressionAttributeValues: {
      ':partition': organizationPartition(organization),
      ':from': from,
      ':to': to,
    },
  };
}

function whenConditionFails<T>(then: () => T) {
  return (error: unknown): T => {
    if (error instanceof ConditionalCheckFailedException) return then();
    throw error;
  };
}

/** The item of a testimonial, with the keys of the table and of its indexes. */
export function testimonialItem(organization: string, testimonial: Testimonial): Record<string, unknown> {
  return {
    ...testimonialKey(organization, ordinalOf(testimonial)),
    ...indexAttributes(organization, testimonial),
    ...testimonial,
  };
}

/** The testimonial in such an item. */
export function toTestimonial(item: Record<string, unknown>): Testimonial {
  const { id, content, author, rating, type, status, tags, createdAt, updatedAt } = item;
  // Only `testimonialItem` makes these items, from a Testimonial.
  return {
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
}
