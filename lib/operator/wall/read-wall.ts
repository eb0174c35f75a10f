/** Reads what a wall shows through the lists of the service. */
import { isDeepStrictEqual } from 'node:util';
import type { ListQuery, ListResult } from '../../../functions/domain/list-query.ts';
import { limits } from '../../../functions/domain/testimonial.ts';
import { pagination } from '../../../functions/list-testimonials/parameters.ts';
import type { Ratings, Wall } from './wall.ts';
import { toWallTestimonial } from './wall-testimonial.ts';

// Someone may moderate all the time: then the last reading must do.
const mostReadings = 3;

/** What a wall shows: the list's filter and order, of approved testimonials alone. */
export type WallQuery = Pick<ListQuery, 'filter' | 'sort' | 'order'>;

/**
 * Reads a wall. When the totals moved meanwhile, pages may have too: it is read again.
 * @param list answers a list of the organization
 * @param count testimonials at most
 */
export async function readWall(
  list: (query: ListQuery) => Promise<ListResult>,
  { filter, ...order }: WallQuery,
  count: number,
): Promise<Wall> {
  const approved = { ...filter, status: 'approved' } as const;
  // The average is everyone's, whatever rating the wall begins with.
  const { rating: _, ...ofAnyRating } = approved;
  let ratings = await countRatings(list, { filter: ofAnyRating, ...order });
  for (let reading = 1; ; reading += 1) {
    const testimonials = await firstOf(list, { filter: approved, ...order }, count);
    const after = await countRatings(list, { filter: ofAnyRating, ...order });
    if (isDeepStrictEqual(ratings, after) || reading === mostReadings) {
      return { testimonials: testimonials.map(toWallTestimonial), ratings: after };
    }
    ratings = after;
  }
}

async function firstOf(
  list: (query: ListQuery) => Promise<ListResult>,
  query: WallQuery,
  count: number,
): Promise<ListResult['testimonials']> {
  // By id: what is created meanwhile moves others to the next page.
  const found = new Map<string, ListResult['testimonials'][number]>();
  const limit = Math.min(count, pagination.limit.max);
  for (let page = 1; found.size < count; page += 1) {
    const { testimonials, total } = await list({ ...query, page, limit });
    for (const testimonial of testimonials) found.set(testimonial.id, testimonial);
    if (page * limit >= total) break;
  }
  return [...found.values()].slice(0, count);
}

/** How many testimonials have each rating, by the totals of lists of those that have at least it. */
async function countRatings(
  list: (query: ListQuery) => Promise<ListResult>,
  { filter, ...order }: WallQuery,
): Promise<Ratings> {
  const atLeast: number[] = [];
  for (let rating = 0; rating <= limits.rating.max; rating += 1) {
    const narrowed = rating === 0 ? filter : { ...filter, rating };
    const { total } = await list({ filter: narrowed, ...order, page: 1, limit: 1 });
    atLeast.push(total);
  }
  // Never below zero, should something be moderated between two lists.
  return { counts: atLeast.map((total, rating) => Math.max(0, total - (atLeast[rating + 1] ?? 0))) };
}
