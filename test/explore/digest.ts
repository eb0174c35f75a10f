/** Numbers that stand for values: what is equal has the same, what differs almost never. */
import type { Items } from '../world/in-memory-backend.ts';

const ofStrings = new Map<string, number>();
// Stored items and answers are never changed in place.
const ofObjects = new WeakMap<object, number>();

/** A number of 52 bits, so that the sum of two is exact: two of a million values are hardly ever alike. */
export function digest(value: unknown): number {
  if (typeof value === 'string') return known(ofStrings, value, ofCharacters);
  if (typeof value === 'object' && value !== null) return known(ofObjects, value, ofMembers);
  return typeof value === 'number' ? mix(1, value) : ofCharacters(String(value));
}

/** A digest of two, in their order. */
export function mix(a: number, b: number): number {
  let low = Math.imul((a | 0) ^ Math.imul(b | 0, 0x9e3779b1), 0x85ebca6b) + Math.imul(high(b), 0x27d4eb2f);
  let top = Math.imul(high(a) ^ Math.imul(high(b), 0xc2b2ae35), 0x165667b1) + Math.imul(b | 0, 0xd3a2646c);
  for (let round = 0; round < 2; round += 1) {
    low = Math.imul(low ^ (low >>> 15) ^ top, 0x2c1b3c6d);
    top = Math.imul(top ^ (top >>> 13) ^ low, 0x297a2d39);
  }
  return (top >>> 12) * 2 ** 32 + (low >>> 0);
}

function high(number: number): number {
  return Math.floor(number / 2 ** 32) | 0;
}

/** All that is stored, in whatever order it was. */
export function digestOfItems(items: Items): number {
  let sum = 0;
  for (const [name, map] of Object.entries(items)) {
    for (const [key, value] of map) {
      const at = mix(digest(name), digest(key));
      if (!(value instanceof Map)) sum = add(sum, mix(at, digest(value)));
      else for (const [inner, each] of value) sum = add(sum, mix(mix(at, digest(inner)), digest(each)));
    }
  }
  return sum;
}

function add(a: number, b: number): number {
  return (a + b) % 2 ** 52;
}

function known<K>(
  cache: { get(key: K): number | undefined; set(key: K, value: number): unknown },
  key: K,
  of: (key: K) => number,
): number {
  const found = cache.get(key);
  if (found !== undefined) return found;
  const value = of(key);
  cache.set(key, value);
  return value;
}

function ofCharacters(text: string): number {
  let value = 2;
  for (let i = 0; i < text.length; i += 1) value = mix(value, text.charCodeAt(i));
  return value;
}

function ofMembers(value: object): number {
  if (Array.isArray(value) || value instanceof Uint8Array) {
    let sum = 3;
    for (const each of value) sum = mix(sum, digest(each));
    return sum;
  }
  let sum = 4;
  for (const [name, each] of Object.entries(value)) {
    if (each !== undefined) sum = add(sum, mix(digest(name), digest(each)));
  }
  return sum;
}
