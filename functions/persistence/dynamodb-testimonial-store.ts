/** Testimonials, their counter and their change markers in DynamoDB. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { TestimonialStore } from '../domain/stores.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { ordinalOf } from '../domain/testimonial-order.ts';
import { abortable, type Table } from './document-client.ts';
import {
  changeMarkerKey,
  changeMarkersFrom,
  counterKey,
  indexAttributes,
  indexes,
  ordinalOfChangeMarker,
  organizationPartition,
  prefixes,
  statusPartition,
  tableKey,
  testimonialKey,
} from './keys.ts';

// A BatchGetItem call takes at most 100 keys (DynamoDB quota).
const batchSize = 100;

// Sorts after every key with the same prefix: keys are ASCII.
const afterPrefix = '~';

/** Returns the store of a table. SDK errors other than a failed condition pass through. */
export function testimonialStore({ client, name: TableName }: Table): TestimonialStore {
  const store: TestimonialStore = {
    async takeOrdinal(organization, now, signal) {
      const Key = counterKey(organization);
      const time = now.toISOString();
      const take = (update: string, condition: string) =>
        client.send(
          new UpdateCommand({
            TableName,
            Key,
            UpdateExpression: update,
            ConditionExpression: condition,
            ExpressionAttributeValues: { ':one': 1, ':now': time },
            ReturnValues: 'ALL_NEW',
          }),
          abortable(signal),
        );
      const { Attributes } = await take(
        'ADD lastOrdinal :one SET lastCreatedAt = :now',
        'attribute_not_exists(lastCreatedAt) OR lastCreatedAt <= :now',
      ).catch(
        // The clock went back, or another function's is ahead: createdAt stays where it is.
        whenConditionFails(() => take('ADD lastOrdinal :one', 'lastCreatedAt > :now')),
      );
      return { ordinal: Attributes?.lastOrdinal, createdAt: Attributes?.lastCreatedAt };
    },

    async insert(organization, testimonial, signal) {
      const item = {
        ...testimonialKey(organization, ordinalOf(testimonial)),
        ...indexAttributes(organization, testimonial),
        ...testimonial,
      };
      const put = new PutCommand({
        TableName,
        Item: item,
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

    async findMany(organization, ordinals, signal) {
      const found: Testimonial[] = [];
      let keys = [...new Set(ordinals)].map((ordinal) => testimonialKey(organization, ordinal));
      while (keys.length > 0) {
        const { Responses, UnprocessedKeys } = await client.send(
          new BatchGetCommand({
            RequestItems: { [TableName]: { Keys: keys.slice(0, batchSize), ConsistentRead: true } },
          }),
          abortable(signal),
        );
        found.push(...(Responses?.[TableName] ?? []).map(toTestimonial));
        // DynamoDB returns the keys as they were sent.
        const unprocessed = (UnprocessedKeys?.[TableName]?.Keys ?? []) as typeof keys;
        keys = [...unprocessed, ...keys.slice(batchSize)];
      }
      return found;
    },

    async markChange(organization, ordinal, now, signal) {
      const Item = changeMarkerKey(organization, now, ordinal);
      await client.send(new PutCommand({ TableName, Item }), abortable(signal));
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

    async createdSince(organization, since, signal) {
      const found: Testimonial[] = [];
      const newestFirst = pages(
        {
          ...range(organization, prefixes.testimonial, `${prefixes.testimonial}${afterPrefix}`),
          ConsistentRead: true,
          ScanIndexForward: false,
          Limit: 25,
        },
        signal,
      );
      for await (const page of newestFirst) {
        for (const item of page) {
          const testimonial = toTestimonial(item);
          if (Date.parse(testimonial.createdAt) < since.getTime()) return found;
          found.push(testimonial);
        }
      }
      return found;
    },

    async changedSince(organization, since, signal) {
      const ordinals = new Set<number>();
      const markers = pages(
        {
          ...range(organization, changeMarkersFrom(since), `${prefixes.change}${afterPrefix}`),
          ConsistentRead: true,
        },
        signal,
      );
      for await (const page of markers) {
        for (const { SK } of page) ordinals.add(ordinalOfChangeMarker(SK));
      }
      return [...ordinals];
    },

    async *walk(organization, { status, sort, order }, signal) {
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
        },
        signal,
      );
      for await (const page of rows) {
        for (const item of page) yield toTestimonial(item);
      }
    },
  };
  return store;

  async function* pages(query: Omit<QueryCommandInput, 'TableName'>, signal?: AbortSignal) {
    let next: Partial<QueryCommandInput> = query;
    for (;;) {
      const answer = await client.send(new QueryCommand({ TableName, ...query, ...next }), abortable(signal));
      yield answer.Items ?? [];
      if (!answer.LastEvaluatedKey) return;
      // A first page may be asked to be small; whoever reads on wants much.
      next = { ExclusiveStartKey: answer.LastEvaluatedKey, ...(next.Limit && { Limit: next.Limit * 4 }) };
    }
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

function toTestimonial(item: Record<string, unknown>): Testimonial {
  const { id, content, author, rating, type, status, tags, createdAt, updatedAt } = item;
  // Only `insert` writes these items, from a Testimonial.
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
