/**
 * The testimonials of an organization according to the service's responses, and the lists that they imply.
 */
import assert from 'node:assert/strict';
import type { ListQuery } from '../../../functions/domain/list-query.ts';
import type { StoredTestimonial } from '../../../functions/domain/stored-testimonial.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../../functions/domain/testimonial-id.ts';
import type { ListBody } from '../../../functions/list-testimonials/list-body.ts';
import { listBodyOf } from '../../../functions/list-testimonials/make-list-body.ts';
import { readListQuery } from '../../../functions/list-testimonials/parameters.ts';
import { oracle } from './oracle.ts';

export class KnownTestimonials {
  readonly #all = new Map<string, StoredTestimonial>();
  readonly erased: Testimonial[] = [];
  /** Creates and changes in the order of the service. No create runs at the same time as a change. */
  #lastOrdinal = 0;
  #changes = 0;

  get size(): number {
    return this.#all.size;
  }

  /** In the order of their creation. */
  get all(): Testimonial[] {
    return [...this.#all.values()]
      .sort((a, b) => a.ordinal - b.ordinal)
      .map(({ testimonial }) => testimonial);
  }

  /** Records the response to a create, which may be a replay. */
  created(testimonial: Testimonial): void {
    if (this.#all.has(testimonial.id)) return;
    const ordinal = ordinalOf(testimonial.id);
    this.#lastOrdinal = Math.max(this.#lastOrdinal, ordinal);
    this.#put(testimonial, ordinal + this.#changes);
  }

  changed(testimonial: Testimonial): void {
    this.#changes += 1;
    this.#put(testimonial, this.#lastOrdinal + this.#changes);
  }

  erase(id: string): void {
    const stored = this.#all.get(id);
    if (stored) this.erased.push(stored.testimonial);
    this.#all.delete(id);
  }

  #put(testimonial: Testimonial, updateOrdinal: number): void {
    const { id, createdAt } = testimonial;
    const ordinal = ordinalOf(id);
    this.#all.set(id, { testimonial, ordinal, updateOrdinal, version: 1, writtenAt: createdAt });
  }

  /** Returns the expected list of a query. */
  list(text: string): ListBody {
    const query = queryFrom(text);
    return listBodyOf(query, oracle([...this.#all.values()], query));
  }
}

/** Returns the query of a valid list. */
function queryFrom(text: string): ListQuery {
  const read = readListQuery(text);
  assert('query' in read, text);
  return read.query;
}
