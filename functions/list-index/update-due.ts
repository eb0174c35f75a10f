/** Testimonials and changes that wait beside the index until an update pays (docs/adr/0014), or too long. */
import { isLong } from '../domain/stored-testimonial.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { coveredBy, type IndexHead, type Recent, type Rows } from './index-store.ts';

/** Bytes of the tail that are not worth an update yet: as many cost each list four read units, and no round. */
export const minTailBytes = 16 * 1024;

// An item's keys in the secondary indexes, which are not in its JSON.
const rowBytes = 120;

/** A testimonial's row in a secondary index. */
export function rowOf(testimonial: Testimonial): Rows {
  const { content, ...others } = testimonial;
  const long = isLong(content);
  return { count: 1, long: Number(long), bytes: rowBytes + bytesOf(long ? others : testimonial) };
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function byTime(a: { time: string }, b: { time: string }): number {
  return a.time < b.time ? -1 : Number(a.time > b.time);
}

/** What lists read beside the index. */
type Unindexed = Pick<Recent, 'tail' | 'markers'>;

/** Since when a tail with its changes is worth an update, ISO 8601: when the last was written that made it so; undefined before. */
export function tailDueSince({ tail, markers }: Unindexed, enough = minTailBytes): string | undefined {
  const waiting = [
    ...tail.map(({ writtenAt: time, testimonial: item }) => ({ time, item, more: rowBytes })),
    ...markers.map((item) => ({ time: item.time, item, more: 0 })),
  ];
  let bytes = 0;
  // Each list asks, and measures no more of a long tail than is worth an update.
  for (const { time, item, more } of waiting.toSorted(byTime)) {
    bytes += more + bytesOf(item);
    if (bytes >= enough) return time;
  }
  return undefined;
}

/** Whether there is more beside the index than may wait there. */
export function isBehind(unindexed: Unindexed): boolean {
  return tailDueSince(unindexed) !== undefined;
}

/** Since when an update is due, ISO 8601: for a change of what the index has at once, for the tail once it is worth one. */
export function dueSince(head: IndexHead, { tail, markers }: Unindexed): string | undefined {
  const isCovered = coveredBy(head);
  const changes = markers.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal));
  const ofTail = tailDueSince({
    tail: tail.filter(({ ordinal }) => ordinal >= head.indexed),
    markers: changes.filter(({ ordinal }) => ordinal >= head.indexed),
  });
  const ofIndexed = changes.filter(({ ordinal }) => ordinal < head.indexed).map(({ time }) => time);
  return [...ofIndexed, ...(ofTail === undefined ? [] : [ofTail])].toSorted()[0];
}
