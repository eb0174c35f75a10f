/** API tokens in DynamoDB, and the cache of them in a running function. */
import QuickLRU from 'quick-lru';
import * as v from 'valibot';
import { idOfToken, shortHash, tokenRecord } from '../domain/token.ts';
import { deleteItem, getItem } from '../dynamodb/items.ts';
import { organizationPartition, prefixes, tableKey, tokenKey, tokenPointerKey } from '../dynamodb/keys.ts';
import { itemKind } from '../dynamodb/stored-items.ts';
import type { Table } from '../dynamodb/table.ts';
import type { FindToken, TokenStore } from './token-store.ts';

const tokens = itemKind('a token', tokenRecord);

/**
 * Returns the lookup in the table. It is strongly consistent, so that a token works from the moment it is
 * issued.
 */
export function tokenReader(table: Table): FindToken {
  return (hash) => tokens.find(table, tokenKey(hash));
}

/** The time for which a running function may accept a revoked token, in milliseconds. */
const tokenCacheMs = 60_000;

/** A lookup by hash that caches its results. */
export interface CachedLookup<Value> {
  (hash: string): Promise<Value | undefined>;
  /** Removes the matching values from the cache. The next lookup of each reads it again. */
  evict: (matches: (value: Value) => boolean) => void;
}

/**
 * Caches the results of a lookup by hash: each for 60 s from the start of its read, at most `size` of them
 * (QuickLRU keeps up to twice its maxSize).
 */
export function cachedLookup<Value>(
  find: (hash: string) => Promise<Value | undefined>,
  size = 1000,
): CachedLookup<Value> {
  const cache = new QuickLRU<string, Value>({ maxSize: size / 2 });
  // A read that began before a removal may return a value that was removed.
  let evictions = 0;
  const lookUp = async (hash: string) => {
    const cached = cache.get(hash);
    if (cached) return cached;
    const start = Date.now();
    const before = evictions;
    const value = await find(hash);
    const maxAge = tokenCacheMs - (Date.now() - start);
    if (value && maxAge > 0 && before === evictions) cache.set(hash, value, { maxAge });
    return value;
  };
  return Object.assign(lookUp, {
    evict: (matches: (value: Value) => boolean) => {
      evictions += 1;
      for (const [hash, value] of [...cache]) if (matches(value)) cache.delete(hash);
    },
  });
}

export function tokenStore(table: Table): TokenStore {
  return {
    async add(added) {
      const token = v.parse(tokenRecord, added);
      // The SDK may repeat a put that succeeded.
      const condition = {
        ConditionExpression: `attribute_not_exists(${tableKey.partition}) OR #hash = :hash`,
        ExpressionAttributeNames: { '#hash': 'hash' },
        ExpressionAttributeValues: { ':hash': token.hash },
      };
      // The pointer first. If the second put fails, the token is listed and does not work, instead of working
      // unlisted.
      await tokens.put(table, tokenPointerKey(token.organization, shortHash(token.hash)), token, condition);
      await tokens.put(table, tokenKey(token.hash), token, condition);
      return idOfToken(token);
    },

    async list(organization) {
      const listed = await tokens.list(table, organizationPartition(organization), prefixes.token);
      return listed
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
