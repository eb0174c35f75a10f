/** Testimonials in DynamoDB, with their counter and their change markers. */
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { TestimonialStore } from '../domain/stores.ts';
import { ordinalOf, ordinalOfId } from '../domain/testimonial-id.ts';
import { counter } from './dynamodb-counter.ts';
import {
  batchDelete,
  batchGet,
  batchPut,
  beginningWith,
  type Condition,
  getItem,
  ifAbsent,
  inPartition,
  putItem,
  queryPages,
  type StoredItem,
  setAttributes,
  succeeds,
} from './items.ts';
import {
  afterPrefix,
  changeMarkerKey,
  erasedAttribute,
  erasurePartition,
  erasureTextsKey,
  type Key,
  organizationPartition,
  prefixes,
  secondaryIndexAttributes,
  secondaryIndexes,
  sortKeyOf,
  statusPartition,
  testimonialKey,
} from './keys.ts';
import {
  changeMarkerItem,
  hasTestimonial,
  layout,
  readEach,
  readTestimonials,
  readWalkedRows,
  testimonialItem,
  toChangeMarker,
  toErasureTexts,
  toRemains,
  toStoredTestimonial,
} from './stored-items.ts';
import type { Table } from './table.ts';

type Reading = Pick<
  TestimonialStore,
  'find' | 'findRemains' | 'findMany' | 'from' | 'walk' | 'wasErased' | 'findErased'
>;
type ChangeMarkers = Pick<
  TestimonialStore,
  'putChangeMarker' | 'putChangeMarkers' | 'changeMarkers' | 'deleteChangeMarkers'
>;
type Erasures = Pick<TestimonialStore, 'putErasureTexts' | 'erasureTexts' | 'deleteErasureTexts'>;
type Writing = Pick<
  TestimonialStore,
  'insert' | 'sealPlace' | 'replace' | 'sealVersion' | 'erase' | 'eraseRemains'
>;

/** Returns the store of a table. SDK errors other than a failed condition pass through. */
export function testimonialStore(table: Table): TestimonialStore {
  return {
    ...counter(table),
    ...changeMarkers(table),
    ...erasures(table),
    ...reading(table),
    ...writing(table),
  };
}

function reading(table: Table): Reading {
  return {
    async find(organization, ordinal) {
      const item = await getItem(table, testimonialKey(organization, ordinal));
      return item && toStoredTestimonial(item)[0];
    },

    async findRemains(organization, id) {
      const item = await getItem(table, keyOfId(organization, id));
      const isOther = typeof item?.id === 'string' && item.id !== id;
      return item && hasTestimonial(item) && !isOther ? toRemains(item) : undefined;
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
  };
}

function writing(table: Table): Writing {
  return {
    async insert(organization, stored) {
      const { id } = stored.testimonial;
      const there = await putIfFree(table, testimonialItem(organization, stored));
      if (hasTestimonial(there)) {
        if (there.id !== id) return 'taken';
        // It was stored by an earlier try, also where it cannot be read any more.
        return readTestimonials(table, [there])[0] ?? stored;
      }
      if (there[erasedAttribute] === undefined) return 'sealed';
      return there[erasedAttribute] === id ? 'erased' : 'taken';
    },

    async sealPlace(organization, ordinal) {
      return readTestimonials(table, [await putIfFree(table, testimonialKey(organization, ordinal))])[0];
    },

    replace: (organization, previous, next) =>
      update(table, organization, previous, {
        ...secondaryIndexAttributes(organization, next),
        status: next.testimonial.status,
        ...(next.testimonial.tags && { tags: next.testimonial.tags }),
        updatedAt: next.testimonial.updatedAt,
        updateOrdinal: next.updateOrdinal,
        previousUpdateOrdinal: next.previousUpdateOrdinal,
        change: next.change,
        ...(next.decision && { decision: next.decision }),
      }),

    sealVersion: (organization, stored) => update(table, organization, stored, {}),

    async erase(organization, { ordinal, version, testimonial: { id } }, { updateOrdinal, time }) {
      const item = { ...testimonialKey(organization, ordinal), [erasedAttribute]: id, updateOrdinal, time };
      // It may have arrived and be tried again.
      const isErased = await succeeds(putItem(table, item, ifVersion(version)));
      return isErased || reading(table).wasErased(organization, id);
    },

    async eraseRemains(organization, id, { updateOrdinal, time }) {
      const item = { ...keyOfId(organization, id), [erasedAttribute]: id, updateOrdinal, time };
      const isErased = await succeeds(putItem(table, item, ifTestimonial));
      return isErased || reading(table).wasErased(organization, id);
    },
  };
}

function changeMarkers(table: Table): ChangeMarkers {
  return {
    putChangeMarker: (organization, marker) => putItem(table, changeMarkerItem(organization, marker)),

    putChangeMarkers: (organization, markers) =>
      batchPut(
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
  };
}

function erasures(table: Table): Erasures {
  return {
    async putErasureTexts(organization, texts) {
      const items = texts.map(({ updateOrdinal, ...erasure }) => {
        return { ...erasureTextsKey(organization, updateOrdinal), ...erasure, layout };
      });
      const [first, ...others] = items;
      // Functions may not write batches.
      if (first && others.length === 0) await putItem(table, first);
      else await batchPut(table, items);
    },

    async *erasureTexts(organization) {
      // Some hundred KB a page: about as much as a batch takes.
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
  };
}

/** Puts an item where there is none; returns the one that is there then. */
async function putIfFree(table: Table, item: StoredItem & Key): Promise<StoredItem> {
  if (await succeeds(putItem(table, item, ifAbsent))) return item;
  return (await getItem(table, { PK: item.PK, SK: item.SK })) ?? {};
}

/** Updates a testimonial that is still of the version it was read with, and raises that. */
function update(
  table: Table,
  organization: string,
  { ordinal, version }: StoredTestimonial,
  attributes: Record<string, unknown>,
): Promise<boolean> {
  const raised = { ...attributes, version: version + 1 };
  return succeeds(setAttributes(table, testimonialKey(organization, ordinal), raised, ifVersion(version)));
}

/** @throws when the id is malformed */
function keyOfId(organization: string, id: string): Key {
  return testimonialKey(organization, ordinalOf(id));
}

// As `hasTestimonial` says it.
const ifTestimonial: Condition = {
  ConditionExpression: 'attribute_exists(id) OR attribute_exists(layout)',
};

const ifVersion = (version: number): Condition => ({
  ConditionExpression: '#version = :previous',
  ExpressionAttributeNames: { '#version': 'version' },
  ExpressionAttributeValues: { ':previous': version },
});
