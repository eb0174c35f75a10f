/** The list index in DynamoDB: the head of each organization and its postings. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { IndexHead, IndexStore, Recent, StoredPosting } from '../list-index/index-store.ts';
import {
  abortable,
  batchGet,
  batchWrite,
  queryPages,
  type StoredItem,
  type Table,
} from './document-client.ts';
import { toTestimonial } from './dynamodb-testimonial-store.ts';
import {
  chunkOfPosting,
  indexHeadKey,
  isChangeMarkerKey,
  isTestimonialKey,
  organizationPartition,
  parseChangeMarker,
  parsePostingKey,
  postingBitsAttribute,
  postingKey,
  tableKey,
  termPartition,
  testimonialKey,
  wordPartition,
} from './keys.ts';

/** Returns the store of a table. */
export function indexStore(table: Table): IndexStore {
  const { client, name: TableName } = table;

  const range = (partition: string, [from, to]: readonly [string, string]) => ({
    KeyConditionExpression: `${tableKey.partition} = :partition AND ${tableKey.sort} BETWEEN :from AND :to`,
    ExpressionAttributeValues: { ':partition': partition, ':from': from, ':to': to },
    ConsistentRead: true,
  });
  const readPartition = async (
    partition: string,
    sortKeys: readonly [string, string],
    signal?: AbortSignal,
  ): Promise<StoredPosting[]> => {
    const found: StoredPosting[] = [];
    for await (const { items } of queryPages(table, range(partition, sortKeys), signal)) {
      for (const item of items) {
        found.push({ chunk: chunkOfPosting(item.SK), bytes: item[postingBitsAttribute] });
      }
    }
    return found;
  };

  return {
    async readHead(organization, signal) {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: indexHeadKey(organization), ConsistentRead: true }),
        abortable(signal),
      );
      return Item && toHead(Item);
    },

    async readRecent(organization, ordinal, signal) {
      const { PK, SK: from } = testimonialKey(organization, ordinal);
      const { SK: to } = indexHeadKey(organization);
      const recent: Recent = { tail: [], changes: [], head: undefined, overtaken: false };
      // Backwards: the head comes first.
      const query = { ...range(PK, [from, to]), ScanIndexForward: false };
      for await (const { items, more } of queryPages(table, query, signal)) {
        for (const item of items) {
          if (isTestimonialKey(item.SK)) recent.tail.push(toTestimonial(item));
          else if (isChangeMarkerKey(item.SK)) recent.changes.push(parseChangeMarker(item.SK));
          else recent.head = toHead(item);
        }
        if (more && recent.head && recent.head.indexed > ordinal) return { ...recent, overtaken: true };
      }
      return recent;
    },

    readTerm: (organization, generation, term, signal) =>
      // The sort keys are chunks, which are digits.
      readPartition(termPartition(organization, generation, term), ['0', ':'], signal),

    async readWords(organization, generation, prefix, signal) {
      const partition = wordPartition(organization, generation, prefix);
      const ranges = rangesOf(prefix).map((sortKeys) => readPartition(partition, sortKeys, signal));
      return (await Promise.all(ranges)).flat();
    },

    async readPostings(organization, generation, refs) {
      const keys = refs.map(({ posting, chunk }) => postingKey(organization, generation, posting, chunk));
      const bytes = new Map<string, Uint8Array>();
      for (const item of await batchGet(table, keys, { consistent: true })) {
        bytes.set(`${item.PK}\n${item.SK}`, item[postingBitsAttribute]);
      }
      return keys.map(({ PK, SK }) => bytes.get(`${PK}\n${SK}`));
    },

    async replacePosting(organization, generation, { posting, chunk }, previous, next) {
      const put = new PutCommand({
        TableName,
        Item: { ...postingKey(organization, generation, posting, chunk), [postingBitsAttribute]: next },
        // The bytes are their own version: the same bits always have the same bytes.
        ...(previous
          ? {
              ConditionExpression: '#bits = :previous',
              ExpressionAttributeNames: { '#bits': postingBitsAttribute },
              ExpressionAttributeValues: { ':previous': previous },
            }
          : { ConditionExpression: `attribute_not_exists(${tableKey.partition})` }),
      });
      return succeeds(client.send(put));
    },

    async *scanPostings(organization) {
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const answer = await client.send(
          new ScanCommand({
            TableName,
            FilterExpression: `begins_with(${tableKey.partition}, :terms) OR begins_with(${tableKey.partition}, :words)`,
            ExpressionAttributeValues: {
              ':terms': `${organizationPartition(organization)}#TERM#`,
              ':words': `${organizationPartition(organization)}#WORD#`,
            },
            ConsistentRead: true,
            ...(ExclusiveStartKey && { ExclusiveStartKey }),
          }),
        );
        yield (answer.Items ?? []).flatMap((item) => {
          // The filter lets only items with these keys pass.
          const parsed = parsePostingKey({ PK: item.PK, SK: item.SK });
          if (!parsed) return [];
          const { generation, posting, chunk } = parsed;
          return { generation, ref: { posting, chunk }, bytes: item[postingBitsAttribute] as Uint8Array };
        });
        ExclusiveStartKey = answer.LastEvaluatedKey;
      } while (ExclusiveStartKey);
    },

    async deletePostings(organization, generation, refs) {
      const keys = refs.map(({ posting, chunk }) => postingKey(organization, generation, posting, chunk));
      await batchWrite(
        table,
        keys.map((Key) => ({ DeleteRequest: { Key } })),
      );
    },

    async replaceHead(organization, previous, next) {
      const update = new UpdateCommand({
        TableName,
        Key: indexHeadKey(organization),
        UpdateExpression: `SET generation = :generation, #indexed = :indexed${
          next.lastGeneration === undefined ? '' : ', lastGeneration = :last'
        }${
          next.building
            ? ', buildingGeneration = :building, buildingUntil = :until'
            : ' REMOVE buildingGeneration, buildingUntil'
        }`,
        ConditionExpression: previous
          ? `generation = :g AND #indexed = :i AND ${previous.building ? 'buildingGeneration = :b AND buildingUntil = :u' : 'attribute_not_exists(buildingGeneration)'}`
          : 'attribute_not_exists(generation)',
        // A reserved word.
        ExpressionAttributeNames: { '#indexed': 'indexed' },
        ExpressionAttributeValues: {
          ':generation': next.generation,
          ':indexed': next.indexed,
          ...(next.lastGeneration !== undefined && { ':last': next.lastGeneration }),
          ...(next.building && { ':building': next.building.generation, ':until': next.building.until }),
          ...(previous && { ':g': previous.generation, ':i': previous.indexed }),
          ...(previous?.building && { ':b': previous.building.generation, ':u': previous.building.until }),
        },
      });
      return succeeds(client.send(update));
    },

    takeLease: (organization, owner, now, until) =>
      succeeds(
        client.send(
          new UpdateCommand({
            TableName,
            Key: indexHeadKey(organization),
            UpdateExpression: 'SET leaseOwner = :owner, leaseUntil = :until',
            ConditionExpression:
              'attribute_not_exists(leaseOwner) OR leaseOwner = :owner OR leaseUntil < :now',
            ExpressionAttributeValues: { ':owner': owner, ':until': until, ':now': now },
          }),
        ),
      ),

    async releaseLease(organization, owner) {
      await succeeds(
        client.send(
          new UpdateCommand({
            TableName,
            Key: indexHeadKey(organization),
            UpdateExpression: 'REMOVE leaseOwner, leaseUntil',
            ConditionExpression: 'leaseOwner = :owner',
            ExpressionAttributeValues: { ':owner': owner },
          }),
        ),
      );
    },
  };
}

// Up to this many code points a prefix can have more words than one Query reads (1 MB).
const widePrefixLength = 3;

// Of a wide prefix, about a third of its words in most languages of Latin letters each, and all others.
const splitAfter = ['h', 'p'];

/** The sort keys of the words with a prefix, in ranges that are read at once. No sort key is a bound itself. */
function rangesOf(prefix: string): [string, string][] {
  const isWide = Array.from(prefix).length <= widePrefixLength;
  const bounds = [
    prefix,
    ...(isWide ? splitAfter.map((letter) => prefix + letter) : []),
    `${prefix}\u{10ffff}`,
  ];
  return bounds.slice(1).map((to, i) => [bounds[i] ?? prefix, to]);
}

/** The head; undefined when only a lease was ever taken. */
function toHead(item: StoredItem): IndexHead | undefined {
  if (item.generation === undefined) return undefined;
  const { generation, indexed, lastGeneration, buildingGeneration, buildingUntil } = item;
  const building = { generation: buildingGeneration, until: buildingUntil };
  // Only `replaceHead` writes these attributes, from an IndexHead.
  return {
    generation,
    indexed,
    ...(lastGeneration !== undefined && { lastGeneration }),
    ...(buildingGeneration !== undefined && { building }),
  } as IndexHead;
}

async function succeeds(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
