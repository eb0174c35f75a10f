/** Reads all testimonials of an organization, for exports. */
import type { UpdatedRecord } from '../domain/outcomes.ts';
import type { Table } from '../dynamodb/table.ts';
import type { TestimonialStore } from './model/testimonial-store.ts';
import { readAll, readPart } from './operations/find-testimonial.ts';
import { testimonialStore } from './table/testimonial-store.ts';

/** Yields all testimonials in the order of creation, page by page. Leaves out unreadable ones. */
type ReadAll = (organization: string) => AsyncGenerator<UpdatedRecord[], void, undefined>;

/** Returns a function that reads all testimonials of an organization in a table. */
export function openReadAll(table: Table): ReadAll {
  return readAllOn(testimonialStore(table));
}

/** Like `openReadAll`, on any store. */
export function readAllOn(testimonials: Pick<TestimonialStore, 'from'>): ReadAll {
  return (organization) => readAll(testimonials, organization);
}

/** A part of all testimonials, in the order of creation. */
export interface TestimonialsPart {
  records: UpdatedRecord[];
  /** The `from` of the next part; absent after the last part. */
  next?: number;
}

/**
 * Returns a function that reads a part of at most 200 testimonials.
 * @param from `next` of the part before; 0 for the first part
 */
export function openParts(table: Table): (organization: string, from: number) => Promise<TestimonialsPart> {
  const testimonials = testimonialStore(table);
  return (organization, from) => readPart(testimonials, organization, from);
}
