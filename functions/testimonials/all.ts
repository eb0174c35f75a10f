/** Reads all testimonials of an organization, for exports. */
import type { UpdatedRecord } from '../domain/outcomes.ts';
import type { Table } from '../dynamodb/table.ts';
import type { TestimonialStore } from './model/testimonial-store.ts';
import { readAll, readPart } from './operations/find-testimonial.ts';
import { testimonialStore } from './table/testimonial-store.ts';

/** Yields all testimonials in the order of creation, page by page. Leaves out unreadable ones. */
type ReadAll = (organization: string) => AsyncGenerator<UpdatedRecord[], void, undefined>;

export function openAll(table: Table): ReadAll {
  return allOn(testimonialStore(table));
}

/** Does the same on any store. */
export function allOn(testimonials: Pick<TestimonialStore, 'from'>): ReadAll {
  return (organization) => readAll(testimonials, organization);
}

/** A part of all testimonials, in the order of creation. */
export interface Part {
  records: UpdatedRecord[];
  /** Where the next part begins; absent after the last one. */
  next?: number;
}

/**
 * Returns a function that reads a part of at most 200 testimonials.
 * @param from `next` of the part before, 0 at first
 */
export function openParts(table: Table): (organization: string, from: number) => Promise<Part> {
  const testimonials = testimonialStore(table);
  return (organization, from) => readPart(testimonials, organization, from);
}
