/** Testimonials in DynamoDB, with the counter, change markers and the texts of erasures. */
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import { ordinalOf, ordinalOfId } from '../../domain/testimonial-id.ts';
import {
  batchDelete,
  batchGet,
  batchPut,
  beginningWith,
  type Condition,
  changeItem,
  getItem,
  ifAbsent,
  inPartition,
  meetsCondition,
  putItem,
  queryPages,
  type StoredItem,
} from '../../dynamodb/items.ts';
import {
  afterPrefix,
  changeMarkerKey,
  erasedAttribute,
  erasurePartition,
  erasureTextsKey,
  type Key,
  organizationPartition,
  prefixes,
  secondaryIndexes,
  sortKeyOf,
  statusPartition,
  testimonialKey,
} from '../../dynamodb/keys.ts';
import { layout, readEach } from '../../dynamodb/stored-items.ts';
import type { Table } from '../../dynamodb/table.ts';
import type { TestimonialStore } from '../model/testimonial-store.ts';
import { counter } from './counter.ts';
import {
  changeMarkerItem,
  hasTestimonial,
  readTestimonials,
  readWalkedRows,
  testimonialItem,
  toChangeMarker,
  toErasureTexts,
  toReadableParts,
  toStoredTestimonial,
} from './stored-testimonials.ts';

/** Returns the store of a table. Throws every error except failed conditions. */
export function testimonialStore(table: Table): TestimonialStore {
  return {
    ...counter(table),
    ...changeMarkers(table),
    ...erasures(table),
    ...reads(table),
    ...writes(table),
  };
}

function reads(table: Table) {
  return {
    async find(organization, ordinal) {
      const item = await getItem(table, testimonialKey(organization, ordinal));
      return item && toStoredTestimonial(item)[0];
    },

    async findReadableParts(organization, id) {
      const item = await getItem(table, keyOfId(organization, id));
      const isOther = typeof item?.id === 'string' && item.id !== id;
      return item && hasTestimonial(item) && !isOther ? toReadableParts(item) : undefined;
    },

    async findMany(organization, ordinals, { consistent = true } = {}) {
      const keys = [...new Set(ordinals)].map((ordinal) => testimonialKey(organization, ordinal));
      return readTestimonials(table, await batchGet(table, keys, { consistent }));
    },

    async *from(organization, ordinal, { limit } = {}) {
      const { PK, SK } = testimonialKey(organization, ordinal);
      const query = {
        ...inPartition(PK, [SK, `${prefixes.testimonial}${afterPrefix}`]),
        ...(limit !== undefined && { Limit: limit }),
      };
      for await (const { items } of queryPages(table, query)) yield readTestimonials(table, items);
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
      for await (const { items } of queryPages(table, query)) yield readWalkedRows(table, items);
    },

    async wasErased(organization, id) {
      if (ordinalOfId(id) === undefined) return false;
      return (await getItem(table, keyOfId(organization, id)))?.[erasedAttribute] === id;
    },

    async findErased(organization, ordinals) {
      const keys = [...new Set(ordinals)].map((ordinal) => testimonialKey(organization, ordinal));
      const items = await batchGet(table, keys, { consistent: true, attribute: erasedAttribute });
      return items.flatMap((item) => item[erasedAttribute] ?? []);
    },
  } satisfies Partial<TestimonialStore>;
}

function writes(table: Table) {
  return {
    async insert(organization, stored) {
      const { id } = stored.testimonial;
      const current = await putIfFree(table, testimonialItem(organization, stored));
      if (hasTestimonial(current)) {
        if (current.id !== id) return 'occupied';
        // This attempt or an earlier one stored the testimonial. In the latter case, it may be unreadable
        // now.
        return readTestimonials(table, [current])[0] ?? stored;
      }
      if (current[erasedAttribute] === undefined) return 'sealed';
      return current[erasedAttribute] === id ? 'erased' : 'occupied';
    },

    async sealPosition(organization, ordinal) {
      return readTestimonials(table, [await putIfFree(table, testimonialKey(organization, ordinal))])[0];
    },

    writeChange: (organization, previous, next) => update(table, organization, previous, next),

    sealVersion: (organization, stored) =>
      update(table, organization, stored, { ...stored, version: stored.version + 1 }),

    async erase(organization, { ordinal, version, testimonial: { id } }, { updateOrdinal, time }) {
      const item = { ...testimonialKey(organization, ordinal), [erasedAttribute]: id, updateOrdinal, time };
      // The SDK may repeat a put that succeeded.
      const isErased = await meetsCondition(putItem(table, item, ifVersion(version)));
      return isErased || reads(table).wasErased(organization, id);
    },

    async eraseUnreadable(organization, id, { storedVersion }, { updateOrdinal, time }) {
      const item = { ...keyOfId(organization, id), [erasedAttribute]: id, updateOrdinal, time };
      // A repaired item has a number. Other values are not compared, because engines differ in whether equal
      // lists are the same.
      const [isSame, version] =
        storedVersion === undefined
          ? ['NOT attribute_type(#version, :version)', 'N']
          : ['#version = :version', storedVersion];
      const isErased = await meetsCondition(
        putItem(table, item, {
          ConditionExpression: `(${ifTestimonial.ConditionExpression}) AND ${isSame}`,
          ExpressionAttributeNames: { '#version': 'version' },
          ExpressionAttributeValues: { ':version': version },
        }),
      );
      return isErased || reads(table).wasErased(organization, id);
    },
  } satisfies Partial<TestimonialStore>;
}

function changeMarkers(table: Table) {
  return {
    putChangeMarkers: (organization, markers) =>
      putEach(
        table,
        markers.map((marker) => changeMarkerItem(organization, marker)),
      ),

    async *changeMarkers(organization) {
      const query = beginningWith(organizationPartition(organization), prefixes.changeMarker);
      for await (const { items } of queryPages(table, query)) yield items.map(toChangeMarker);
    },

    deleteChangeMarkers: (organization, updateOrdinals) =>
      batchDelete(
        table,
        updateOrdinals.map((updateOrdinal) => changeMarkerKey(organization, updateOrdinal)),
      ),
  } satisfies Partial<TestimonialStore>;
}

function erasures(table: Table) {
  return {
    putErasureTexts: (organization, texts) =>
      putEach(
        table,
        texts.map(({ updateOrdinal, ...erasure }) => {
          return { ...erasureTextsKey(organization, updateOrdinal), ...erasure, layout };
        }),
      ),

    async *erasureTexts(organization) {
      // Some hundred KB per page.
      const query = { ...inPartition(erasurePartition(organization)), Limit: 25 };
      for await (const { items } of queryPages(table, query)) {
        yield readEach(items, (item) => [toErasureTexts(item)], table.onUnreadable);
      }
    },

    deleteErasureTexts: (organization, updateOrdinals) =>
      batchDelete(
        table,
        updateOrdinals.map((updateOrdinal) => erasureTextsKey(organization, updateOrdinal)),
      ),
  } satisfies Partial<TestimonialStore>;
}

/** Puts items. A single item is put alone, because the policy of PATCH and DELETE does not allow batches. */
async function putEach(table: Table, items: (StoredItem & Key)[]): Promise<void> {
  const [first, ...others] = items;
  if (first && others.length === 0) await putItem(table, first);
  else await batchPut(table, items);
}

/** Puts an item unless its key exists, and returns the stored item. */
async function putIfFree(table: Table, item: StoredItem & Key): Promise<StoredItem> {
  if (await meetsCondition(putItem(table, item, ifAbsent))) return item;
  return (await getItem(table, { PK: item.PK, SK: item.SK })) ?? {};
}

/**
 * Writes the difference between two states of a testimonial, if its version is unchanged since the read.
 * Writes no other member, so that members of a newer version of the service stay.
 */
function update(
  table: Table,
  organization: string,
  previous: StoredTestimonial,
  next: StoredTestimonial,
): Promise<boolean> {
  const { ordinal, version } = previous;
  const before = testimonialItem(organization, previous);
  const after = testimonialItem(organization, next);
  return meetsCondition(
    changeItem(table, testimonialKey(organization, ordinal), before, after, ifVersion(version)),
  );
}

/** @throws when the id is malformed */
function keyOfId(organization: string, id: string): Key {
  return testimonialKey(organization, ordinalOf(id));
}

// The same condition as in `hasTestimonial`.
const ifTestimonial: Condition = {
  ConditionExpression: 'attribute_exists(id) OR attribute_exists(layout)',
};

const ifVersion = (version: number): Condition => ({
  ConditionExpression: '#version = :previous',
  ExpressionAttributeNames: { '#version': 'version' },
  ExpressionAttributeValues: { ':previous': version },
});
