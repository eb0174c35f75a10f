/** A testimonial as stored, with its version and its positions in the organization's two orders. */
import { selected, useOf } from './fields.ts';
import type { FieldPath, Testimonial } from './testimonial.ts';
import type { OrderedTestimonial, Ordinal, UpdateOrdinal } from './testimonial-order.ts';

export const changeKinds = ['status', 'tags'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** The last decision about a testimonial's status. */
export interface Decision {
  /** The name of the person or token; empty if it has none or is unknown. */
  by: string;
  /** The id of the person or token; absent if an operator decided. */
  id?: string;
  /** ISO 8601. */
  at: string;
}

/** The consent that a person gave with a form. */
export interface Consent {
  /** The form's page id. */
  page: string;
  /** ISO 8601. */
  at: string;
}

export interface StoredTestimonial extends OrderedTestimonial {
  /**
   * The update ordinal before the last update: the list index may still use it. Absent before the first
   * update.
   */
  previousUpdateOrdinal?: UpdateOrdinal;
  /** The kind of its last update; absent before the first. Only events read it. */
  change?: ChangeKind;
  /** Only the desk reads it. */
  decision?: Decision;
  /** Absent if it was not sent with a form. Only the desk and exports read it. */
  consent?: Consent;
  /** Where it came from, if a person at the desk added it. Only the desk reads it. */
  source?: string;
  /** True if a load stored it, so that no event announces a create. Only events read it. */
  isLoaded?: true;
  /** Raised by each update. An update fails if it has changed since the read. */
  version: number;
  /** The time of its first write, ISO 8601. Differs from createdAt if it was imported. */
  writtenAt: string;
}

// Each of the six secondary indexes would store a copy. Below this size, copies cost less than the additional
// reads of pages.
const longBytes = 2048;

/** Returns true if the value of a field is too long for the secondary indexes. */
export function isLong(path: FieldPath, value: unknown): boolean {
  return useOf(path).isLong === true && Buffer.byteLength(String(value)) > longBytes;
}

/** Returns true if the secondary indexes have only a part of a testimonial. */
export function isPartial(testimonial: Testimonial): boolean {
  return Object.keys(selected(testimonial, isLong)).length > 0;
}

/** The item at the position of an erased testimonial, which keeps that position closed. */
export interface ErasedTestimonial {
  erased: string;
  ordinal: Ordinal;
  /** The update ordinal of the erasure. */
  updateOrdinal: UpdateOrdinal;
  /** The time of the erasure, ISO 8601. */
  time: string;
}
