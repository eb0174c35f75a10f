/** A testimonial as it is stored: with its places in the two orders of an organization, and what guards it. */
import type { OrderedTestimonial, Ordinal, UpdateOrdinal } from './testimonial-order.ts';

export const changeKinds = ['status', 'tags'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** Who gave a testimonial its status last, and when. */
export interface Decision {
  /** The name of a person or a token; empty where that has none, or is not known. */
  by: string;
  /** The id of the person or the token; absent where an operator decided, or a version that kept no ids. */
  id?: string;
  /** ISO 8601. */
  at: string;
}

export interface StoredTestimonial extends OrderedTestimonial {
  /** The place before, once it was updated: the list index may still have it there. */
  previousUpdateOrdinal?: UpdateOrdinal;
  /** The kind of its last update; absent before the first. Stored for events, and read by them alone. */
  change?: ChangeKind;
  /** Stored for the desk alone. */
  decision?: Decision;
  /** True of one that a load stored: it was not created here, nor now. Likewise. */
  isLoaded?: true;
  /** Raised by each update, which is made on condition that it is still the one that was read. */
  version: number;
  /** When it was written, ISO 8601: its createdAt, but for one that was created elsewhere before. */
  writtenAt: string;
}

// Six secondary indexes would each have it again, though a page needs it once. Below, it costs less to have it there.
const longContentBytes = 2048;

/** Whether a content is too long for the secondary indexes. */
export function isLong(content: string): boolean {
  return Buffer.byteLength(content) > longContentBytes;
}

/** The item that stands at the place of an erased testimonial, for ever. */
export interface ErasedTestimonial {
  /** Its id. */
  erased: string;
  ordinal: Ordinal;
  /** The erasure's place in the order of updates. */
  updateOrdinal: UpdateOrdinal;
  /** The time of the erasure, ISO 8601. */
  time: string;
}
