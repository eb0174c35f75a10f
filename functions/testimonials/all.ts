/** Reads all testimonials of an organization, for exports. */
import type { UpdatedRecord } from '../domain/outcomes.ts';
import type { Table } from '../dynamodb/table.ts';
import type { TestimonialStore } from './model/testimonial-store.ts';
import { readAll } from './operations/find-testimonial.ts';
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
