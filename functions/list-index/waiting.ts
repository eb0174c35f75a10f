/** Testimonials and changes that wait beside the index until an update pays (docs/adr/0014), or too long. */
import { isLong, type StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { ChangeMarker } from '../domain/stores.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { coveredBy, type IndexHead, type Recent, type Rows } from './index-store.ts';
import { termsVersion } from './terms-version.ts';

/** Bytes of the tail that are not worth an update yet: as many cost each list four read units, and no round. */
export const waitingBytes = 16 * 1024;

/** Something of the tail, which every list reads. */
export interface Waiting {
  /** When it was written, ISO 8601. */
  time: string;
  bytes: number;
}

interface WaitingRules {
  limits: { waitingBytes: number };
}

/** The testimonials and changes that wait in the tail. An erasure does not wait: it is worth an update alone. */
export function waitingOf(
  rows: readonly StoredTestimonial[],
  markers: readonly ChangeMarker[],
  { limits }: WaitingRules,
): Waiting[] {
  return [...rows.map(ofRow), ...markers.map((marker) => ofMarker(marker, limits.waitingBytes))];
}

function ofRow({ testimonial, writtenAt: time }: StoredTestimonial): Waiting {
  return { time, bytes: rowBytes + bytesOf(testimonial) };
}

function ofMarker(marker: ChangeMarker, ofErasure: number): Waiting {
  return { time: marker.time, bytes: marker.erases ? ofErasure : bytesOf(marker) };
}

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

/** Since when what waits is worth an update, ISO 8601: when the last was written that it took to be; undefined before. */
export function worthSince(waiting: readonly Waiting[], { limits }: WaitingRules): string | undefined {
  let bytes = 0;
  for (const each of waiting.toSorted((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time)))) {
    bytes += each.bytes;
    if (bytes >= limits.waitingBytes) return each.time;
  }
  return undefined;
}

/** Whether there is more beside the index than may wait there. */
export function isBehind({ tail, markers }: Pick<Recent, 'tail' | 'markers'>): boolean {
  const rules = { limits: { waitingBytes } };
  return worthSince(waitingOf(tail, markers, rules), rules) !== undefined;
}

/** Faults of an index; a list by it is right all the same. */
export interface IndexFaults {
  /** An update is due for that long, ISO 8601; absent when none is. */
  dueSince: string | undefined;
  /** True when its postings were made by other rules than those of this version. */
  hasOtherTerms: boolean;
}

/** The faults of the index of a head, beside which something lies. */
export function faultsOf(head: IndexHead, unindexed: Pick<Recent, 'tail' | 'markers'>): IndexFaults {
  return { dueSince: dueSince(head, unindexed), hasOtherTerms: head.terms !== termsVersion };
}

/**
 * Since when an update is due: for a change of what the index has at once, for the tail once it is worth one. It may say a later
 * time than that, for each list asks, and of a long tail only as much is looked at as is worth an update.
 */
export function dueSince(
  head: IndexHead,
  { tail, markers }: Pick<Recent, 'tail' | 'markers'>,
): string | undefined {
  const isCovered = coveredBy(head);
  const changes = markers.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal));
  const ofIndexed = changes.filter(({ ordinal }) => ordinal < head.indexed).map(({ time }) => time);
  const ofTail = tailSince(
    tail.filter(({ ordinal }) => ordinal >= head.indexed),
    changes.filter(({ ordinal }) => ordinal >= head.indexed),
  );
  return [...ofIndexed, ...(ofTail === undefined ? [] : [ofTail])].toSorted()[0];
}

/** The same time as `worthSince` has, or a later one: what waits is taken in an order that is nearly that of time, and no further than it has to be. */
function tailSince(rows: readonly StoredTestimonial[], markers: readonly ChangeMarker[]): string | undefined {
  let latest = '';
  let bytes = 0;
  for (const waiting of inTurn(rows, markers)) {
    bytes += waiting.bytes;
    if (waiting.time > latest) latest = waiting.time;
    if (bytes >= waitingBytes) return latest;
  }
  return undefined;
}

function* inTurn(rows: readonly StoredTestimonial[], markers: readonly ChangeMarker[]): Generator<Waiting> {
  for (const row of rows.toSorted((a, b) => a.ordinal - b.ordinal)) yield ofRow(row);
  for (const marker of markers) yield ofMarker(marker, waitingBytes);
}
