/** A testimonial as it is stored: with its places in the two orders of an organization, and what guards it. */
import type { Testimonial } from './testimonial.ts';
import type { Ordinal, UpdateOrdinal } from './testimonial-order.ts';

export const changeKinds = ['status', 'tags'] as const;
export type ChangeKind = (typeof changeKinds)[number];

export interface StoredTestimonial {
  testimonial: Testimonial;
  /** Its place in the order of creation; its id ends with it. */
  ordinal: Ordinal;
  /** The place of its last update, or of its creation, among all creations and updates of the organization. */
  updateOrdinal: UpdateOrdinal;
  /** The place before, once it was updated: the list index may still have it there. */
  previousUpdateOrdinal?: UpdateOrdinal;
  /** What its last update was; absent before the first. Stored for events, and read by them alone. */
  change?: ChangeKind;
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

/** What stands at the place of an erased testimonial, for ever. */
export interface ErasedTestimonial {
  /** Its id. */
  erased: string;
  ordinal: Ordinal;
  /** The erasure's place in the order of updates. */
  updateOrdinal: UpdateOrdinal;
  /** Of the erasure, ISO 8601. */
  time: string;
}
