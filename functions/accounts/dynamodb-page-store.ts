/** Pages for visitors in DynamoDB, and the brands that they show. */
import { isDeepStrictEqual } from 'node:util';
import { brand } from '../domain/brand.ts';
import { page } from '../domain/page.ts';
import {
  batchGet,
  beginningWith,
  type Condition,
  deleteItem,
  ifPresent,
  meetsCondition,
  putItem,
  queryAll,
  setAttributes,
} from '../dynamodb/items.ts';
import {
  brandKey,
  organizationPartition,
  pageIdOfPointerKey,
  pageKey,
  pagePointerKey,
  prefixes,
  tableKey,
} from '../dynamodb/keys.ts';
import { itemKind, layout } from '../dynamodb/stored-items.ts';
import type { Table } from '../dynamodb/table.ts';
import type { PageStore } from './page-store.ts';

const pages = itemKind('a page', page);
const brands = itemKind('a brand', brand);

export function pageStore(table: Table): PageStore {
  return {
    async add(added) {
      const { organization, id, createdAt } = added;
      // The pointer first. If the second put fails, the pointer leads nowhere, instead of a page that no list
      // shows.
      await putItem(table, { ...pagePointerKey(organization, id), layout });
      await pages.put(table, pageKey(id), added, {
        // The SDK may repeat a put that succeeded.
        ConditionExpression: `attribute_not_exists(${tableKey.partition}) OR (organization = :organization AND createdAt = :createdAt)`,
        ExpressionAttributeValues: { ':organization': organization, ':createdAt': createdAt },
      });
    },

    find: (id) => pages.find(table, pageKey(id)),

    async list(organization) {
      const pointers = await queryAll(
        table,
        beginningWith(organizationPartition(organization), prefixes.page),
      );
      const keys = pointers.map(({ SK }) => pageKey(pageIdOfPointerKey(SK)));
      const items = await batchGet(table, keys, { consistent: true });
      const listed = items.map(pages.parse).filter((each) => each.organization === organization);
      return listed.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    },

    async replace({ id, title, settings }, before) {
      const changed = { title, settings };
      const write = setAttributes(table, pageKey(id), changed, ifPinned(before.settings.pinned));
      if (await meetsCondition(write)) return true;
      // The SDK may repeat an update that succeeded.
      const found = await pages.find(table, pageKey(id));
      return isDeepStrictEqual(found && { title: found.title, settings: found.settings }, changed);
    },

    async remove({ organization, id }) {
      const isRemoved = await meetsCondition(
        deleteItem(table, pageKey(id), {
          ConditionExpression: 'organization = :organization',
          ExpressionAttributeValues: { ':organization': organization },
        }),
      );
      // After the page, so that a removal that fails can be repeated.
      const isUnlisted = await meetsCondition(deleteItem(table, pagePointerKey(organization, id), ifPresent));
      return isRemoved || isUnlisted;
    },

    findBrand: async (organization) => (await brands.find(table, brandKey(organization))) ?? {},

    saveBrand: (organization, saved) => brands.put(table, brandKey(organization), saved),
  };
}

/** The condition that a page exists and pins the same testimonials. */
function ifPinned(ids: string | undefined): Condition {
  const names = { '#settings': 'settings', '#pinned': 'pinned' };
  const { ConditionExpression: exists } = ifPresent;
  if (ids === undefined) {
    return {
      ConditionExpression: `${exists} AND attribute_not_exists(#settings.#pinned)`,
      ExpressionAttributeNames: names,
    };
  }
  return {
    ConditionExpression: `${exists} AND #settings.#pinned = :pinned`,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ':pinned': ids },
  };
}
