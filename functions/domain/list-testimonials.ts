/** Listing testimonials: filtered, sorted, counted exactly, one page of them. */
import { functionTimeoutMs, indexLagMs, type TestimonialStore } from './stores.ts';
import type { Testimonial } from './testimonial.ts';
import { matcherOf, type TestimonialFilter } from './testimonial-filter.ts';
import { comparison, type Order, ordinalOf, type Sort } from './testimonial-order.ts';

export interface ListQuery {
  filter: TestimonialFilter;
  sort: Sort;
  order: Order;
  /** From 1. */
  page: number;
  /** Testimonials a page. */
  limit: number;
}

export interface ListResult {
  testimonials: Testimonial[];
  /** How many testimonials match the filter. */
  total: number;
}

/**
 * Lists an organization's testimonials. Walks the index of the requested sort and counts what matches; what
 * the index may not have yet (created or changed lately) is read from the table and merged, so that an
 * answered write is in the very next list.
 */
export async function listTestimonials(
  deps: { testimonials: TestimonialStore; now: () => Date },
  organization: string,
  query: ListQuery,
  signal?: AbortSignal,
): Promise<ListResult> {
  const { filter, sort, order, page, limit } = query;
  const matches = matcherOf(filter);
  const compare = comparison(sort, order);
  const lately = await readLately(deps, organization, signal);
  const fresh = lately.testimonials.filter(matches).sort(compare);

  const first = (page - 1) * limit;
  const testimonials: Testimonial[] = [];
  let total = 0;
  const count = (testimonial: Testimonial) => {
    if (total >= first && total < first + limit) testimonials.push(testimonial);
    total += 1;
  };

  // Taken from the table, or already met: a row that is changed during the walk can show up twice.
  const seen = new Set(lately.ordinals);
  let nextFresh = 0;
  const walkOptions = { sort, order, ...(filter.status && { status: filter.status }) };
  for await (const row of deps.testimonials.walk(organization, walkOptions, signal)) {
    const ordinal = ordinalOf(row);
    if (seen.has(ordinal) || !matches(row)) continue;
    seen.add(ordinal);
    for (let next = fresh[nextFresh]; next && compare(next, row) < 0; next = fresh[nextFresh]) {
      count(next);
      nextFresh += 1;
    }
    count(row);
  }
  for (const rest of fresh.slice(nextFresh)) count(rest);
  return { testimonials, total };
}

/** The testimonials that an index may not have, or not have as they are, and the ordinals of these. */
async function readLately(
  { testimonials, now }: { testimonials: TestimonialStore; now: () => Date },
  organization: string,
  signal?: AbortSignal,
): Promise<{ testimonials: Testimonial[]; ordinals: number[] }> {
  const since = new Date(now().getTime() - functionTimeoutMs - indexLagMs);
  const [created, changedOrdinals] = await Promise.all([
    testimonials.createdSince(organization, since, signal),
    testimonials.changedSince(organization, since, signal),
  ]);
  const createdOrdinals = created.map(ordinalOf);
  const known = new Set(createdOrdinals);
  const further = changedOrdinals.filter((ordinal) => !known.has(ordinal));
  const changed = await testimonials.findMany(organization, further, signal);
  return { testimonials: [...created, ...changed], ordinals: [...createdOrdinals, ...further] };
}
