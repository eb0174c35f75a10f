/** Numbers that stand for values: equal values have the same digest, different ones almost never. */
import { hash } from 'node:crypto';
import type { Items } from '../world/in-memory-backend.ts';

// 52 bits, so that the sum of two is exact: two of a million values are hardly ever alike.
const hexDigits = 13;

/** Returns a digest of values, in their order. */
export function digest(...values: unknown[]): number {
  return Number.parseInt(hash('sha1', JSON.stringify(values)).slice(0, hexDigits), 16);
}

// Stored items are never changed in place, and none has two keys.
const digests = new WeakMap<object, number>();

/** Returns a digest of everything stored, in any order. */
export function digestOfItems(items: Items): number {
  let sum = 0;
  for (const [name, map] of Object.entries(items)) {
    for (const [key, value] of map) {
      const inner = value instanceof Map ? value : new Map([['', value]]);
      for (const [place, item] of inner) sum = (sum + digestOfItem(item, name, key, place)) % 2 ** 52;
    }
  }
  return sum;
}

function digestOfItem(item: string | object, ...at: unknown[]): number {
  if (typeof item === 'string') return digest(item, ...at);
  const known = digests.get(item) ?? digest(item, ...at);
  digests.set(item, known);
  return known;
}
