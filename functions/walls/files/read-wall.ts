/** Reads the testimonials of a static wall through the service's lists. */
import type { ListQuery, ListResult } from '../../domain/list-query.ts';
import { publicTexts } from '../../domain/public-texts.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import type { TestimonialFilter } from '../../domain/testimonial-filter.ts';
import { pagination } from '../../list-testimonials/parameters.ts';
import { findTestimonial } from '../../operations/find-testimonial.ts';
import { type ListDependencies, listTestimonials } from '../../operations/list-testimonials.ts';
import type { WallTestimonial } from '../browser/view.ts';
import { type BuiltWall, buildWall, type WallOptions } from './build-wall.ts';

// If the list keeps changing, the wall uses the last read.
const maxReads = 3;

export type WallQuery = Pick<ListQuery, 'filter' | 'sort' | 'order'>;

/** Testimonials to show first, regardless of the query: one by its id, or all that match a filter. */
export type Picked = { id: string } | { filter: TestimonialFilter };

export interface WallContent {
  picks: readonly Picked[];
  query: WallQuery;
  /** The maximum number of testimonials. */
  count: number;
}

/**
 * Builds the wall of an organization.
 * @returns its files, and the number of testimonials in them
 * @throws if a testimonial picked by id does not exist or is not approved
 */
export async function makeWall(
  deps: ListDependencies,
  organization: string,
  content: WallContent,
  { about, settings }: Pick<WallOptions, 'about' | 'settings'>,
): Promise<{ built: BuiltWall; count: number }> {
  const testimonials = await readWall(deps, organization, content);
  const isChosenByRating = [content.query, ...content.picks].some(
    (each) => 'filter' in each && each.filter.rating !== undefined,
  );
  const built = buildWall(testimonials, { settings, about, isChosenByRating });
  return { built, count: testimonials.length };
}

/** Reads the picked testimonials in their order, then those of the query. */
async function readWall(
  deps: ListDependencies,
  organization: string,
  { picks, query, count }: WallContent,
): Promise<WallTestimonial[]> {
  const list = (listQuery: ListQuery) => listTestimonials(deps, organization, listQuery);
  // By id, because a picked testimonial may also match the query.
  const byId = new Map<string, Testimonial>();
  for (const pick of [...picks, query]) {
    const picked =
      'id' in pick
        ? [await approvedOf(deps, organization, pick.id)]
        : await firstOf(list, { ...query, ...pick }, count);
    for (const each of picked) byId.set(each.id, each);
  }
  return [...byId.values()].slice(0, count).map(toWallTestimonial);
}

async function approvedOf(
  { testimonials }: ListDependencies,
  organization: string,
  id: string,
): Promise<Testimonial> {
  const { testimonial } = (await findTestimonial(testimonials, organization, id)) ?? {};
  if (testimonial?.status === 'approved') return testimonial;
  if (!testimonial) throw new Error(`There is no testimonial ${id}. Remove it from --pick.`);
  throw new Error(
    `${id} is ${testimonial.status}. A wall shows approved testimonials only: approve it or remove it from --pick.`,
  );
}

/** Reads the first approved testimonials of a query. If their total changes meanwhile, pages may have shifted, so it restarts. */
export async function firstOf(
  list: (query: ListQuery) => Promise<ListResult>,
  { filter, ...order }: WallQuery,
  count: number,
): Promise<Testimonial[]> {
  const limit = Math.min(count, pagination.limit.max);
  for (let reading = 1; ; reading += 1) {
    // By id, because new testimonials move others to the next page.
    const byId = new Map<string, Testimonial>();
    const totals = new Set<number>();
    const approved = { ...order, filter: { ...filter, status: 'approved' }, limit } as const;
    for (let page = 1; byId.size < count; page += 1) {
      const { testimonials, total } = await list({ ...approved, page });
      for (const testimonial of testimonials) byId.set(testimonial.id, testimonial);
      totals.add(total);
      if (page * limit >= total) break;
    }
    if (totals.size === 1 || reading === maxReads) return [...byId.values()].slice(0, count);
  }
}

/** Returns the public data of a testimonial, with e-mail addresses in its texts masked. */
export function toWallTestimonial(testimonial: Testimonial): WallTestimonial {
  const { rating, createdAt } = testimonial;
  const { content, author, tags = [] } = publicTexts(testimonial);
  return {
    content,
    ...author,
    ...(rating !== undefined && { rating }),
    tags,
    date: createdAt.slice(0, 10),
  };
}
