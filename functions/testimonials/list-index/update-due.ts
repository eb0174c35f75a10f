/**
 * Decides when an index update is due: immediately after a change of an indexed testimonial, and for the tail
 * once it is long enough (docs/adr/0014).
 */
import { selected } from '../../domain/fields.ts';
import { isLong, isPartial } from '../../domain/stored-testimonial.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import { type IndexHead, type RecentItems, type RowSizes, uncoveredMarkers } from './index-store.ts';

/**
 * The size in bytes from which the tail is worth an index update. A smaller tail costs each list at most four
 * read units, and no additional round.
 */
export const minTailBytes = 16 * 1024;

// The keys of an item in the secondary indexes, which are not part of its JSON.
const rowBytes = 120;

/** Returns the size of a testimonial's row in a secondary index. */
export function sizeOf(testimonial: Testimonial): RowSizes {
  const row = selected(testimonial, (path, value) => !isLong(path, value));
  return { count: 1, long: Number(isPartial(testimonial)), bytes: rowBytes + bytesOf(row) };
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The items that lists read in addition to the index. */
type TailWithMarkers = Pick<RecentItems, 'tail' | 'markers'>;

/**
 * Returns the time since which a tail with its markers is large enough for an index update.
 * @returns ISO 8601; undefined if it is too small
 */
export function tailDueSince(
  { tail, markers }: TailWithMarkers,
  minBytes = minTailBytes,
): string | undefined {
  const items = [
    ...tail.map(({ writtenAt: time, testimonial: item }) => ({ time, item, keyBytes: rowBytes })),
    ...markers.map((item) => ({ time: item.time, item, keyBytes: 0 })),
  ].toSorted((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time)));
  let bytes = 0;
  // Stops early: each list calls this, and a tail can be long.
  for (const { time, item, keyBytes } of items) {
    bytes += keyBytes + bytesOf(item);
    if (bytes >= minBytes) return time;
  }
  return undefined;
}

/** True if the tail is large enough for an index update. */
export function isBehind(unindexed: TailWithMarkers): boolean {
  return tailDueSince(unindexed) !== undefined;
}

/** Returns the time since which an index update is due, ISO 8601; undefined if no update is due. */
export function dueSince(head: IndexHead, { tail, markers }: TailWithMarkers): string | undefined {
  const changes = uncoveredMarkers(head, { markers });
  const ofTail = tailDueSince({
    tail: tail.filter(({ ordinal }) => ordinal >= head.indexed),
    markers: changes.filter(({ ordinal }) => ordinal >= head.indexed),
  });
  const ofIndexed = changes.filter(({ ordinal }) => ordinal < head.indexed).map(({ time }) => time);
  return [...ofIndexed, ...(ofTail === undefined ? [] : [ofTail])].toSorted()[0];
}
