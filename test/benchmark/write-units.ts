/**
 * Counts the write units of a testimonial in the table and in its secondary indexes as AWS does; the embedded
 * engine does not report the latter.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { projectedAttributes, secondaryIndexes, tableKey } from '../../functions/dynamodb/keys.ts';
import { testimonialItem } from '../../functions/testimonials/table/stored-testimonials.ts';

type Item = Record<string, unknown>;

const indexes = Object.values(secondaryIndexes).flatMap((bySort) => Object.values(bySort));

/** Returns the write units of a change, or of a create if there is no testimonial before. */
export function writeUnitsOf(
  before: StoredTestimonial | undefined,
  after: StoredTestimonial,
): { table: number; indexes: number } {
  const [old, now] = [before && itemOf(before), itemOf(after)];
  const ofIndexes = indexes.map((index) => {
    const keys = [index.partition, index.sort];
    const entry = (item: Item) => entryOf(item, index);
    if (!old) return units(entry(now));
    // An entry whose key changes is deleted and put anew.
    if (keys.some((key) => old[key] !== now[key])) return units(entry(old)) + units(entry(now));
    const isSame = JSON.stringify(entry(old)) === JSON.stringify(entry(now));
    return isSame ? 0 : Math.max(units(entry(old)), units(entry(now)));
  });
  return {
    table: Math.max(units(now), old ? units(old) : 0),
    indexes: ofIndexes.reduce((sum, each) => sum + each, 0),
  };
}

// Added to each item and to each entry of an index
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html).
const overheadBytes = 100;

/** Returns the bytes that DynamoDB charges for a testimonial in the table and in its secondary indexes. */
export function storedBytesOf(stored: StoredTestimonial): number {
  const item = itemOf(stored);
  const parts = [item, ...indexes.map((index) => entryOf(item, index))];
  return parts.reduce((sum: number, part) => sum + itemBytes(part) + overheadBytes, 0);
}

function itemOf(stored: StoredTestimonial): Item {
  return testimonialItem('costs', stored);
}

/** Returns the part of an item that is in a secondary index. */
function entryOf(item: Item, { partition, sort }: (typeof indexes)[number]): Item {
  return pick(item, [partition, sort, tableKey.partition, tableKey.sort, ...projectedAttributes]);
}

function pick(item: Item, names: readonly string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}

function units(item: Item): number {
  return Math.ceil(itemBytes(item) / 1024);
}

/** Returns the size of an item as DynamoDB counts it: names and values. */
function itemBytes(item: object): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value),
    0,
  );
}

/**
 * Returns the bytes of a value: UTF-8 for texts, half a byte for each digit, and an overhead for nested
 * values.
 */
function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return Math.ceil(String(value).length / 2) + 1;
  const overhead = 3 + Object.keys(value).length;
  if (!Array.isArray(value)) return overhead + itemBytes(value);
  return value.reduce((sum, each) => sum + valueBytes(each), overhead);
}
