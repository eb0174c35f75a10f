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
   * The update ordinal before the last update, which the list index may still use. Absent before the first
   * update.
   */
  previousUpdateOrdinal?: UpdateOrdinal;
  /** The kind of the last update. Absent before the first update. Only events read it. */
  change?: ChangeKind;
  /** Read only by the desk. */
  decision?: Decision;
  /** Absent if the testimonial was not sent with a form. Only the desk and exports read it. */
  consent?: Consent;
  /** The origin, if a person at the desk added the testimonial. Only the desk reads it. */
  source?: string;
  /** True if a load stored it, so that no event announces it as new. Only events read it. */
  isLoaded?: true;
  /** Raised by each update. An update fails if the version has changed since the read. */
  version: number;
  /** The time of the first write, ISO 8601. Differs from createdAt if the testimonial was imported. */
  writtenAt: string;
}

// Each of the six secondary indexes would store a copy. Below this size, copies cost less than the additional
// reads of pages.
const longBytes = 2048;

/** True if the value of a field is too long for the secondary indexes. */
export function isLong(path: FieldPath, value: unknown): boolean {
  return useOf(path).isLong === true && Buffer.byteLength(String(value)) > longBytes;
}

/** True if the secondary indexes have only a part of the testimonial. */
export function isPartial(testimonial: Testimonial): boolean {
  return Object.keys(selected(testimonial, isLong)).length > 0;
}

/** The item at the position of an erased testimonial. It keeps that position closed. */
export interface ErasedTestimonial {
  erased: string;
  ordinal: Ordinal;
  /** The update ordinal of the erasure. */
  updateOrdinal: UpdateOrdinal;
  /** The time of the erasure, ISO 8601. */
  time: string;
}
