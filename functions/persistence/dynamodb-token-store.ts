/** API tokens in DynamoDB, and a short memory of them for a running function. */
import QuickLRU from 'quick-lru';
import * as v from 'valibot';
import type { FindToken, TokenStore } from '../domain/stores.ts';
import { idOfToken, shortHash, tokenRecord } from '../domain/token.ts';
import { organizationPartition, prefixes, tableKey, tokenKey, tokenPointerKey } from './keys.ts';
import { layout, parseItem } from './stored-items.ts';
import {
  beginningWith,
  deleteItem,
  getItem,
  putItem,
  queryPages,
  type StoredItem,
  type Table,
} from './table.ts';

const toTokenRecord = (item: StoredItem) => parseItem('a token', tokenRecord, item);

/** Reads tokens from the table, strongly consistent: a token works from the moment it is issued. */
export function tokenReader(table: Table): FindToken {
  return async (hash) => {
    const item = await getItem(table, tokenKey(hash));
    return item && toTokenRecord(item);
  };
}

/** How long a running function may honour a revoked token, in milliseconds. */
const tokenCacheMs = 60_000;

/**
 * Remembers what was found by a hash, as tokens are by theirs: at most 60 s from the beginning of the read and at most `size`
 * (QuickLRU keeps up to twice its maxSize).
 */
export function remembered<Found>(
  find: (hash: string) => Promise<Found | undefined>,
  size = 1000,
): (hash: string) => Promise<Found | undefined> {
  const cache = new QuickLRU<string, Found>({ maxSize: size / 2 });
  return async (hash) => {
    const cached = cache.get(hash);
    if (cached) return cached;
    const begin = Date.now();
    const found = await find(hash);
    const maxAge = tokenCacheMs - (Date.now() - begin);
    if (found && maxAge > 0) cache.set(hash, found, { maxAge });
    return found;
  };
}

/** Returns the operator's store of tokens. */
export function tokenStore(table: Table): TokenStore {
  return {
    async add(added) {
      const token = v.parse(tokenRecord, added);
      // The pointer first: a stop in between leaves a listed token that does not work, never a hidden one that does.
      const pointer = { ...tokenPointerKey(token.organization, shortHash(token.hash)), ...token, layout };
      const item = { ...tokenKey(token.hash), ...token, layout };
      // The SDK may repeat a put that had arrived.
      const condition = {
        ConditionExpression: `attribute_not_exists(${tableKey.partition}) OR #hash = :hash`,
        ExpressionAttributeNames: { '#hash': 'hash' },
        ExpressionAttributeValues: { ':hash': token.hash },
      };
      await putItem(table, pointer, condition);
      await putItem(table, item, condition);
      return idOfToken(token);
    },

    async list(organization) {
      const query = beginningWith(organizationPartition(organization), prefixes.token);
      const pages = await Array.fromAsync(queryPages(table, query));
      return pages
        .flatMap(({ items }) => items.map(toTokenRecord))
        .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
        .map(({ hash, ...token }) => ({ id: idOfToken({ hash, ...token }), ...token }));
    },

    async revoke(id) {
      const [organization = '', short = ''] = id.split('.');
      const key = tokenPointerKey(organization, short);
      const pointer = await getItem(table, key);
      if (!pointer) return false;
      await deleteItem(table, tokenKey(pointer.hash));
      await deleteItem(table, key);
      return true;
    },
  };
}
