/** The list index in DynamoDB: the head of each organization, and its postings. */
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { IndexHead, IndexStore, Recent, StoredBits } from '../list-index/index-store.ts';
import { type PostingPartition, partitionOf, partitionOfWords } from '../list-index/index-terms.ts';
import { succeeds } from './conditional-write.ts';
import { toChangeMarker, toStoredTestimonial } from './dynamodb-testimonial-store.ts';
import {
  afterPrefix,
  foldRequestKey,
  indexHeadKey,
  isChangeMarkerKey,
  isTestimonialKey,
  parsePostingSortKey,
  postingAttributes,
  postingItem,
  postingKey,
  postingPartition,
  postingSortKey,
  tableKey,
  testimonialKey,
} from './keys.ts';
import { replaceByRevision, withoutKey } from './replace-by-revision.ts';
import { batchDelete, batchGet, queryPages, type StoredItem, type Table } from './table.ts';

/** Returns the store of a table. */
export function indexStore(table: Table): IndexStore {
  const { client, name: TableName, options } = table;

  const range = (partition: string, [from, to]: readonly [string, string]) => ({
    KeyConditionExpression: `${tableKey.partition} = :partition AND ${tableKey.sort} BETWEEN :from AND :to`,
    ExpressionAttributeValues: { ':partition': partition, ':from': from, ':to': to },
    ConsistentRead: true,
  });
  const wholePartition = (partition: string) => ({
    KeyConditionExpression: `${tableKey.partition} = :partition`,
    ExpressionAttributeValues: { ':partition': partition },
    ConsistentRead: true,
  });
  const readBits = async (query: Parameters<typeof queryPages>[1], partition: PostingPartition) => {
    const found: StoredBits[] = [];
    for await (const { items } of queryPages(table, query)) {
      for (const item of items) {
        const { chunk } = parsePostingSortKey(partition, item.SK);
        const step = item[postingAttributes.step] ?? item[postingAttributes.epoch];
        found.push({ chunk, bytes: item[postingAttributes.bits], step });
      }
    }
    return found;
  };

  return {
    async readHead(organization) {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: indexHeadKey(organization), ConsistentRead: true }),
        options,
      );
      return Item && toHead(Item);
    },

    async replaceHead(organization, next) {
      const replaced = await replaceByRevision(table, indexHeadKey(organization), { ...next, layout });
      return replaced && { ...next, revision: replaced.revision };
    },

    async readRecent(organization, ordinal) {
      const { PK, SK: from } = testimonialKey(organization, ordinal);
      const { SK: to } = indexHeadKey(organization);
      const recent: Recent = { tail: [], markers: [], head: undefined, complete: true };
      // Backwards: the head comes first.
      const query = { ...range(PK, [from, to]), ScanIndexForward: false };
      for await (const { items, isLast } of queryPages(table, query)) {
        for (const item of items) {
          if (isTestimonialKey(item.SK)) recent.tail.push(...toStoredTestimonial(item));
          else if (isChangeMarkerKey(item.SK)) recent.markers.push(toChangeMarker(item));
          else recent.head = toHead(item);
        }
        if (!isLast && recent.head && recent.head.indexed > ordinal) return { ...recent, complete: false };
      }
      return recent;
    },

    readTerm(organization, generation, term, { from, to }) {
      const partition = partitionOf(term);
      const PK = postingPartition(organization, generation, partition);
      return readBits(range(PK, [postingSortKey(term, from), postingSortKey(term, to)]), partition);
    },

    async readWords(organization, generation, prefix) {
      const partition = partitionOfWords(prefix);
      const PK = postingPartition(organization, generation, partition);
      const ranges = rangesOf(prefix).map((sortKeys) => readBits(range(PK, sortKeys), partition));
      return (await Promise.all(ranges)).flat();
    },

    async readPostings(organization, generation, refs) {
      const keys = refs.map(({ posting, chunk }) => postingKey(organization, generation, posting, chunk));
      const found = new Map<string, StoredItem>();
      for (const item of await batchGet(table, keys, { consistent: true })) {
        found.set(`${item.PK}\n${item.SK}`, item);
      }
      return keys.map(({ PK, SK }) => {
        const item = found.get(`${PK}\n${SK}`);
        if (!item) return undefined;
        const { bits, epoch, step } = postingAttributes;
        return {
          bytes: item[bits],
          epoch: item[epoch],
          ...(item[step] !== undefined && { step: item[step] }),
        };
      });
    },

    writePosting: (organization, generation, ref, posting, { isThere } = { isThere: false }) =>
      succeeds(
        client.send(
          new PutCommand({
            TableName,
            Item: postingItem(organization, generation, ref, posting),
            ConditionExpression: `${isThere ? '' : 'attribute_not_exists(#epoch) OR '}#epoch <= :epoch`,
            ExpressionAttributeNames: { '#epoch': postingAttributes.epoch },
            ExpressionAttributeValues: { ':epoch': posting.epoch },
          }),
          options,
        ),
      ),

    deletePosting: (organization, generation, { posting, chunk }, epoch) =>
      succeeds(
        client.send(
          new DeleteCommand({
            TableName,
            Key: postingKey(organization, generation, posting, chunk),
            ConditionExpression: 'attribute_not_exists(#epoch) OR #epoch <= :epoch',
            ExpressionAttributeNames: { '#epoch': postingAttributes.epoch },
            ExpressionAttributeValues: { ':epoch': epoch },
          }),
          options,
        ),
      ),

    replacePosting: (organization, generation, ref, posting) =>
      succeeds(
        client.send(
          new PutCommand({
            TableName,
            Item: postingItem(organization, generation, ref, posting),
            ...(posting.epoch === 1
              ? { ConditionExpression: `attribute_not_exists(${tableKey.partition})` }
              : {
                  ConditionExpression: '#epoch = :before',
                  ExpressionAttributeNames: { '#epoch': postingAttributes.epoch },
                  ExpressionAttributeValues: { ':before': posting.epoch - 1 },
                }),
          }),
          options,
        ),
      ),

    async hasPostings(organization, generation, partition) {
      const query = { ...wholePartition(postingPartition(organization, generation, partition)), Limit: 1 };
      for await (const { items } of queryPages(table, query)) return items.length > 0;
      return false;
    },

    async *readPartition(organization, generation, partition) {
      const query = wholePartition(postingPartition(organization, generation, partition));
      for await (const { items } of queryPages(table, query)) {
        yield items.map((item) => ({
          ref: parsePostingSortKey(partition, item.SK),
          bytes: item[postingAttributes.bits],
        }));
      }
    },

    async deletePartition(organization, generation, partition) {
      const query = {
        ...wholePartition(postingPartition(organization, generation, partition)),
        ProjectionExpression: `${tableKey.partition}, ${tableKey.sort}`,
      };
      let count = 0;
      for await (const { items } of queryPages(table, query)) {
        await batchDelete(table, items);
        count += items.length;
      }
      return count;
    },

    async requestFold(organization, now) {
      const Item = { ...foldRequestKey(organization), at: now.toISOString() };
      await client.send(new PutCommand({ TableName, Item }), options);
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
    `${prefix}${afterPrefix}`,
  ];
  return bounds.slice(1).map((to, i) => [bounds[i] ?? prefix, to]);
}

// Of the keys and items of the list index; to be raised when they change.
const layout = 2;

function toHead(item: StoredItem): IndexHead {
  const { layout: its, ...head } = withoutKey(item);
  if (its !== layout) {
    throw new Error(
      'The list index was made by another version of this service, which wrote its items otherwise. Begin with an empty table: the local service keeps its table in the folder .local.',
    );
  }
  // Only `replaceHead` writes these items, from an IndexHead.
  return head as IndexHead;
}
