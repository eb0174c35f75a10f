/** What the organization has by what the deployment itself has answered, and the lists that follow from that. */
import { matcherOf } from '../../functions/domain/matcher.ts';
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import { ordinalOf } from '../../functions/domain/testimonial-id.ts';
import { comparison } from '../../functions/domain/testimonial-order.ts';
import type { ListBody } from '../../functions/list-testimonials/contract.ts';
import { listBodyOf } from '../../functions/list-testimonials/list-body.ts';
import { requireListQuery } from '../operator/list-query.ts';

export class KnownTestimonials {
  readonly #all = new Map<string, StoredTestimonial>();
  /** Of creations and changes, as the service counts them: no create runs beside a change. */
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

  created(testimonial: Testimonial): void {
    const ordinal = ordinalOf(testimonial.id);
    this.#lastOrdinal = Math.max(this.#lastOrdinal, ordinal);
    this.#put(testimonial, ordinal + this.#changes);
  }

  changed(testimonial: Testimonial): void {
    this.#changes += 1;
    this.#put(testimonial, this.#lastOrdinal + this.#changes);
  }

  erased(id: string): void {
    this.#all.delete(id);
  }

  #put(testimonial: Testimonial, updateOrdinal: number): void {
    const { id, createdAt } = testimonial;
    const ordinal = ordinalOf(id);
    this.#all.set(id, { testimonial, ordinal, updateOrdinal, version: 1, writtenAt: createdAt });
  }

  /**
   * What a list has to answer: filter, sort and slice over everything.
   * @param text the list's parameters, as in `status=approved&page=2`
   */
  list(text: string): ListBody {
    const query = requireListQuery(text);
    const { filter, sort, order, page, limit } = query;
    const matches = matcherOf(filter);
    const matching = [...this.#all.values()]
      .filter(({ testimonial }) => matches(testimonial))
      .sort(comparison(sort, order))
      .map(({ testimonial }) => testimonial);
    const testimonials = matching.slice((page - 1) * limit, page * limit);
    return listBodyOf(query, { testimonials, total: matching.length });
  }
}
