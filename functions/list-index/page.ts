/** Finds the rows of a page: among walked rows, or by counting bits. */
import { ratingTerm } from '../domain/terms.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { type Order, ordinalOf } from '../domain/testimonial-order.ts';
import { Bitmap } from './bitmap.ts';
import type { QueryPlan } from './query-plan.ts';

export interface Merge {
  matching: Bitmap;
  /** What matches outside of the index, in the order of the walk. */
  memory: Testimonial[];
  compare: (a: Testimonial, b: Testimonial) => number;
  skip: number;
  take: number;
}

/** Merges walked rows that are in the bitmap with those in memory, and stops when the page is full. */
export async function pageOfWalk(
  walked: AsyncIterable<Testimonial[]>,
  { matching, memory, compare, skip, take }: Merge,
): Promise<Testimonial[]> {
  const page: Testimonial[] = [];
  let place = 0;
  const put = (testimonial: Testimonial) => {
    if (place >= skip && page.length < take) page.push(testimonial);
    place += 1;
  };
  let nextInMemory = 0;
  // A row that is changed during the walk can come twice.
  const seen = new Set<number>();
  for await (const rows of walked) {
    for (const row of rows) {
      // What is in memory comes before any later row also where this one is left out, as a row of the tail is.
      for (let next = memory[nextInMemory]; next && compare(next, row) <= 0; next = memory[nextInMemory]) {
        put(next);
        nextInMemory += 1;
      }
      const ordinal = ordinalOf(row);
      if (!matching.has(ordinal) || seen.has(ordinal)) continue;
      seen.add(ordinal);
      put(row);
    }
    if (page.length === take) return page;
  }
  for (const rest of memory.slice(nextInMemory)) put(rest);
  return page;
}

/** The ordinals of a page, by counting bits: in ordinal order, or through the ordering terms in turn. */
export function pageOfOrdinals(
  {
    matching,
    memory,
    plan,
    inTurn,
    order,
  }: {
    matching: Bitmap;
    memory: Testimonial[];
    plan: QueryPlan;
    inTurn: Bitmap[];
    order: Order;
  },
  skip: number,
  take: number,
): number[] {
  const classes =
    plan.inTurn.length === 0
      ? [withOrdinals(matching.clone(), memory)]
      : plan.inTurn.map((term, i) =>
          withOrdinals(
            matching.clone().and(inTurn[i] ?? new Bitmap()),
            memory.filter(({ rating }) => ratingTerm(rating ?? 0) === term),
          ),
        );
  const found: number[] = [];
  let toSkip = skip;
  for (const each of classes) {
    if (found.length >= take) break;
    const count = each.count();
    if (count <= toSkip) toSkip -= count;
    else {
      found.push(...each.select(toSkip, take - found.length, order));
      toSkip = 0;
    }
  }
  return found;
}

function withOrdinals(bitmap: Bitmap, testimonials: Testimonial[]): Bitmap {
  for (const testimonial of testimonials) bitmap.add(ordinalOf(testimonial));
  return bitmap;
}
