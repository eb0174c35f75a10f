/** Finds testimonials by id and by author. */

import type { RequestContext, TestimonialRecord } from '../domain/outcomes.ts';
import { abortable, type Table } from '../dynamodb/table.ts';
import type { TestimonialStore } from './model/testimonial-store.ts';
import {
  type FoundByAuthor,
  findByAuthor,
  findErased,
  findTestimonial,
  findTestimonials,
} from './operations/find-testimonial.ts';
import { testimonialStore } from './table/testimonial-store.ts';

interface ByAuthorOptions {
  after?: string;
  pages?: number;
  progress?: (read: number) => void;
}

export interface Finds {
  /**
   * Reads a testimonial. Returns undefined if the organization has no testimonial with this id.
   * @throws {Unreadable} if the testimonial cannot be read
   */
  find(id: string): Promise<TestimonialRecord | undefined>;

  /**
   * Returns the testimonials that exist and can be read, in the order of the ids.
   * @param options `consistent: false` may return outdated testimonials, at half the cost
   */
  findMany(ids: readonly string[], options?: { consistent?: boolean }): Promise<TestimonialRecord[]>;

  /** Returns the ids among these whose testimonials were erased, in no particular order. */
  findErased(ids: readonly string[]): Promise<string[]>;

  /**
   * Reads testimonials in the order of creation and returns the ids of the testimonials by the given authors.
   * Leaves out unreadable ones.
   * @param emails the addresses, in any case, with their domains in Unicode or in ASCII
   * @param options `after`: the id to continue after; `pages`: the maximum number of pages to read;
   * `progress` receives the number of testimonials read so far
   */
  findByAuthor(emails: readonly string[], options?: ByAuthorOptions): Promise<FoundByAuthor>;
}

/** Returns the read operations for one organization and request. */
export type OpenFinds = (organization: string, request?: Pick<RequestContext, 'signal'>) => Finds;

export function openFinds(table: Table): OpenFinds {
  return findsOn((signal) => ({ testimonials: testimonialStore(abortable(table, signal)) }));
}

/** Like `openFinds`, on any store. */
export function findsOn(storesOf: (signal?: AbortSignal) => { testimonials: TestimonialStore }): OpenFinds {
  return (organization, { signal } = {}) => {
    const { testimonials } = storesOf(signal);
    return {
      find: (id) => findTestimonial(testimonials, organization, id),
      findMany: (ids, options) => findTestimonials(testimonials, organization, ids, options),
      findErased: (ids) => findErased(testimonials, organization, ids),
      findByAuthor: (emails, options) => findByAuthor(testimonials, organization, emails, options),
    };
  };
}
