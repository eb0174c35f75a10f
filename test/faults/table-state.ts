/**
 * Reads and restores the state of a table, and copies it into memory, where an index update and a comparison
 * cost nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { ordinalOfId } from '../../functions/domain/testimonial-id.ts';
import type { StoredItem } from '../../functions/dynamodb/items.ts';
import {
  counterKey,
  erasedAttribute,
  erasurePartition,
  indexHeadKey,
  isChangeMarkerKey,
  isTestimonialKey,
  ordinalOfTestimonialKey,
  organizationPartition,
} from '../../functions/dynamodb/keys.ts';
import type { Table } from '../../functions/dynamodb/table.ts';
import type { PostingRef } from '../../functions/testimonials/list-index/index-store.ts';
import { partitionOf, partitions } from '../../functions/testimonials/list-index/index-terms.ts';
import {
  parsePostingSortKey,
  postingAttributes,
  postingPartition,
} from '../../functions/testimonials/table/posting-keys.ts';
import {
  toChangeMarker,
  toErasureTexts,
  toHead,
  toStoredTestimonial,
} from '../../functions/testimonials/table/stored-testimonials.ts';
import { storedItems } from '../stored-items.ts';
import { type InMemoryBackend, inMemoryBackend, memoryKey } from '../world/in-memory-backend.ts';

/** Items by their keys. */
export type TableState = Map<string, StoredItem>;

export async function stateOf(table: Table): Promise<TableState> {
  return new Map((await storedItems(table)).map((item) => [`${item.PK}\n${item.SK}`, item]));
}

/** Restores the state of a table. Writes only the differences. */
export async function restore(table: Table, wanted: TableState): Promise<void> {
  const { client, name } = table;
  const current = await stateOf(table);
  const puts = [...wanted].filter(([key, item]) => !isDeepStrictEqual(current.get(key), item));
  const deletes = [...current].filter(([key]) => !wanted.has(key));
  const requests = [
    ...puts.map(([, Item]) => ({ PutRequest: { Item } })),
    ...deletes.map(([, { PK, SK }]) => ({ DeleteRequest: { Key: { PK, SK } } })),
  ];
  // The maximum per call is 25.
  for (let i = 0; i < requests.length; i += 25) {
    await client.send(new BatchWriteCommand({ RequestItems: { [name]: requests.slice(i, i + 25) } }));
  }
}

/** The testimonials and the index of an organization, in memory. */
export function inMemory(state: TableState, organization: string): InMemoryBackend {
  const backend = inMemoryBackend();
  const { counters, heads, tables, markers, erasures, postings } = backend.items;
  tables.set(organization, new Map());
  markers.set(organization, new Map());
  erasures.set(organization, new Map());
  for (const item of state.values()) {
    const { PK, SK } = item;
    if (PK === organizationPartition(organization)) {
      if (SK === counterKey(organization).SK) counters.set(organization, takenOf(item));
      else if (SK === indexHeadKey(organization).SK) heads.set(organization, toHead(item));
      else if (isChangeMarkerKey(SK))
        markers.get(organization)?.set(toChangeMarker(item).updateOrdinal, toChangeMarker(item));
      else if (isTestimonialKey(SK))
        tables.get(organization)?.set(ordinalOfTestimonialKey(SK), placeOf(item));
      continue;
    }
    if (PK === erasurePartition(organization)) {
      const erasure = toErasureTexts(item);
      erasures.get(organization)?.set(erasure.updateOrdinal, erasure);
      continue;
    }
    const named = partitionNamed(organization, PK);
    if (!named) continue;
    const ref: PostingRef = parsePostingSortKey(named.partition, SK);
    const key = memoryKey(organization, named.generation, partitionOf(ref.posting));
    const { bits, fence, epoch } = postingAttributes;
    const posting = { bytes: item[bits], fence: item[fence], ref };
    const partition = postings.get(key) ?? new Map();
    partition.set(memoryKey(ref), { ...posting, ...(item[epoch] !== undefined && { epoch: item[epoch] }) });
    postings.set(key, partition);
  }
  return backend;
}

function takenOf({ lastOrdinal = 0, lastUpdateOrdinal = 0, lastTime }: StoredItem) {
  return { ordinal: lastOrdinal, updateOrdinal: lastUpdateOrdinal, time: lastTime };
}

function placeOf(item: StoredItem) {
  const erased: unknown = item[erasedAttribute];
  const ordinal = typeof erased === 'string' ? ordinalOfId(erased) : undefined;
  if (typeof erased === 'string' && ordinal !== undefined) {
    return { erased, ordinal, updateOrdinal: Number(item.updateOrdinal), time: String(item.time) };
  }
  return toStoredTestimonial(item)[0] ?? ('sealed' as const);
}

const partitionsByName = new Map(partitions.map((each) => [postingPartition('', 0, each), each]));

function partitionNamed(organization: string, name: string) {
  const [, generation, rest] =
    new RegExp(`^${RegExp.escape(organizationPartition(organization))}#(\\d+)#(.+)$`).exec(name) ?? [];
  const partition = partitionsByName.get(`${organizationPartition('')}#0#${rest}`);
  return partition && { generation: Number(generation), partition };
}
