/** The list indexes of organizations in DynamoDB: heads and postings. */
import { randomUUID } from 'node:crypto';
import {
  batchDelete,
  batchGet,
  deleteItem,
  getItem,
  ifAbsent,
  inPartition,
  meetsCondition,
  putItem,
  queryAll,
  queryPages,
  replaceByRevision,
  type StoredItem,
} from '../../dynamodb/items.ts';
import {
  afterPrefix,
  indexHeadKey,
  indexRequestKey,
  isChangeMarkerKey,
  isTestimonialKey,
  tableKey,
  testimonialKey,
} from '../../dynamodb/keys.ts';
import { layout } from '../../dynamodb/stored-items.ts';
import type { Table } from '../../dynamodb/table.ts';
import type { IndexStore, RecentItems, StoredBits } from '../list-index/index-store.ts';
import { type PostingPartition, partitionOf, partitionOfWords } from '../list-index/index-terms.ts';
import {
  parsePostingSortKey,
  postingAttributes,
  postingItem,
  postingKey,
  postingPartition,
  postingSortKey,
  wordSortKey,
} from './posting-keys.ts';
import { readTestimonials, toChangeMarker, toHead } from './stored-testimonials.ts';

export function indexStore(table: Table): IndexStore {
  return { ...heads(table), ...reads(table), ...writes(table), ...partitions(table) };
}

function heads(table: Table) {
  return {
    async readHead(organization) {
      const item = await getItem(table, indexHeadKey(organization));
      return item && toHead(item);
    },

    async replaceHead(organization, next) {
      const head = next.revision === 0 ? { ...next, identity: randomUUID() } : next;
      const replaced = await replaceByRevision(table, indexHeadKey(organization), { ...head, layout });
      return replaced && { ...head, revision: replaced.revision };
    },

    async readRecent(organization, ordinal) {
      const { PK, SK: from } = testimonialKey(organization, ordinal);
      const { SK: to } = indexHeadKey(organization);
      const recent: RecentItems = { tail: [], markers: [], head: undefined };
      // Backwards, so that the head is on the first page.
      const query = { ...inPartition(PK, [from, to]), ScanIndexForward: false };
      for await (const { items, isLast } of queryPages(table, query)) {
        for (const item of items) {
          if (isTestimonialKey(item.SK)) recent.tail.push(...readTestimonials(table, [item]));
          else if (isChangeMarkerKey(item.SK)) recent.markers.push(toChangeMarker(item));
          else recent.head = toHead(item);
        }
        if (!isLast && recent.head && recent.head.indexed > ordinal) return recent;
      }
      return recent;
    },

    async requestIndexUpdate(organization, now) {
      await putItem(table, { ...indexRequestKey(organization), at: now.toISOString() });
    },
  } satisfies Partial<IndexStore>;
}

function reads(table: Table) {
  const readBits = async (PK: string, sortKeys: readonly [string, string], partition: PostingPartition) => {
    const items = await queryAll(table, inPartition(PK, sortKeys));
    return items.map((item): StoredBits => {
      const { chunk } = parsePostingSortKey(partition, item.SK);
      return { chunk, bytes: item[postingAttributes.bits], epoch: epochOf(item) };
    });
  };
  return {
    readTerm(organization, generation, term, { from, to }) {
      const partition = partitionOf(term);
      const PK = postingPartition(organization, generation, partition);
      return readBits(PK, [postingSortKey(term, from), postingSortKey(term, to)], partition);
    },

    async readWords(organization, generation, prefix, options = {}) {
      const partition = partitionOfWords(prefix);
      const PK = postingPartition(organization, generation, partition);
      const ranges = rangesOf(prefix, options).map((sortKeys) => readBits(PK, sortKeys, partition));
      return (await Promise.all(ranges)).flat();
    },

    async readPostings(organization, generation, refs) {
      const keys = refs.map(({ posting, chunk }) => postingKey(organization, generation, posting, chunk));
      const items = new Map<string, StoredItem>();
      for (const item of await batchGet(table, keys, { consistent: true })) {
        items.set(`${item.PK}\n${item.SK}`, item);
      }
      return keys.map(({ PK, SK }) => {
        const item = items.get(`${PK}\n${SK}`);
        if (!item) return undefined;
        const { bits, fence, epoch } = postingAttributes;
        return {
          bytes: item[bits],
          fence: item[fence],
          ...(item[epoch] !== undefined && { epoch: item[epoch] }),
        };
      });
    },
  } satisfies Partial<IndexStore>;
}

/** Returns the epoch of the last step that a posting or a summary includes. */
function epochOf(item: StoredItem): number {
  return item[postingAttributes.epoch] ?? item[postingAttributes.fence];
}

function writes(table: Table) {
  const fenceIs = (condition: string, values: Record<string, number>) => ({
    ConditionExpression: condition,
    ExpressionAttributeNames: { '#fence': postingAttributes.fence },
    ExpressionAttributeValues: values,
  });
  const orNotHigher = 'attribute_not_exists(#fence) OR #fence <= :fence';
  return {
    writePosting(organization, generation, ref, posting, { mustExist } = { mustExist: false }) {
      const item = postingItem(organization, generation, ref, posting);
      const condition = fenceIs(mustExist ? '#fence <= :fence' : orNotHigher, { ':fence': posting.fence });
      return meetsCondition(putItem(table, item, condition));
    },

    deletePosting(organization, generation, { posting, chunk }, epoch) {
      const key = postingKey(organization, generation, posting, chunk);
      return meetsCondition(deleteItem(table, key, fenceIs(orNotHigher, { ':fence': epoch })));
    },

    replaceSummary(organization, generation, ref, posting) {
      const item = postingItem(organization, generation, ref, posting);
      const before = posting.fence - 1;
      const condition = before === 0 ? ifAbsent : fenceIs('#fence = :before', { ':before': before });
      return meetsCondition(putItem(table, item, condition));
    },
  } satisfies Partial<IndexStore>;
}

function partitions(table: Table) {
  const whole = (organization: string, generation: number, partition: PostingPartition) =>
    inPartition(postingPartition(organization, generation, partition));
  return {
    async hasPostings(organization, generation, partition) {
      const query = { ...whole(organization, generation, partition), Limit: 1 };
      for await (const { items } of queryPages(table, query)) return items.length > 0;
      return false;
    },

    async *readPartition(organization, generation, partition) {
      for await (const { items } of queryPages(table, whole(organization, generation, partition))) {
        yield items.map((item) => ({
          ref: parsePostingSortKey(partition, item.SK),
          bytes: item[postingAttributes.bits],
          epoch: epochOf(item),
        }));
      }
    },

    async deletePartition(organization, generation, partition) {
      const query = {
        ...whole(organization, generation, partition),
        ProjectionExpression: `${tableKey.partition}, ${tableKey.sort}`,
      };
      let count = 0;
      for await (const { items } of queryPages(table, query)) {
        await batchDelete(table, items);
        count += items.length;
      }
      return count;
    },
  } satisfies Partial<IndexStore>;
}

// Up to this many code points, the words of a prefix can exceed one page of a query (1 MB).
const widePrefixLength = 3;

// Splits the words of a wide prefix roughly into thirds, in most languages with Latin letters. Words in other
// letters are all in the last third.
const splitAfter = ['h', 'p'];

/**
 * Returns the sort keys of the words with a prefix, in ranges to read in parallel. No word's sort key equals
 * a bound.
 */
function rangesOf(prefix: string, options: { isHidden?: true }): [string, string][] {
  // Hidden words are few.
  const isWide = Array.from(prefix).length <= widePrefixLength && !options.isHidden;
  const start = wordSortKey(prefix, options);
  const bounds = [
    start,
    ...(isWide ? splitAfter.map((letter) => start + letter) : []),
    `${start}${afterPrefix}`,
  ];
  return bounds.slice(1).map((to, i) => [bounds[i] ?? start, to]);
}
