/** Reads what a wall shows through the lists of the service. */
import type { ListQuery, ListResult } from '../../domain/list-query.ts';
import { publicTexts } from '../../domain/public-texts.ts';
import type { Testimonial } from '../../domain/testimonial.ts';
import type { TestimonialFilter } from '../../domain/testimonial-filter.ts';
import { pagination } from '../../list-testimonials/parameters.ts';
import { findTestimonial } from '../../operations/find-testimonial.ts';
import { type ListDependencies, listTestimonials } from '../../operations/list-testimonials.ts';
import type { WallTestimonial } from '../browser/view.ts';
import { type BuiltWall, buildWall, type WallOptions } from './build-wall.ts';

// Someone may moderate all the time: then the last reading must do.
const mostReadings = 3;

/** The list's filter and order, of approved testimonials alone. */
export type WallQuery = Pick<ListQuery, 'filter' | 'sort' | 'order'>;

/** What stands first on a wall, whatever its query: a testimonial by its id, or all that match a filter. */
export type Picked = { id: string } | { filter: TestimonialFilter };

/** What a wall shows. */
export interface WallContent {
  picks: readonly Picked[];
  query: WallQuery;
  /** Testimonials at most. */
  count: number;
}

/**
 * Makes the wall of an organization, for whoever writes it or looks at it.
 * @returns its files, and how many testimonials they have
 * @throws where a testimonial that was picked by its id is not there, or not approved
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

/**
 * Reads a wall: what was picked in its order, then what the query answers.
 * @throws where a testimonial that was picked by its id is not there, or not approved
 */
async function readWall(
  deps: ListDependencies,
  organization: string,
  { picks, query, count }: WallContent,
): Promise<WallTestimonial[]> {
  const list = (asked: ListQuery) => listTestimonials(deps, organization, asked);
  // By id: what was picked stands once, and may be among the first of the query.
  const found = new Map<string, Testimonial>();
  for (const pick of [...picks, query]) {
    const some =
      'id' in pick
        ? [await approvedOf(deps, organization, pick.id)]
        : await firstOf(list, { ...query, ...pick }, count);
    for (const each of some) found.set(each.id, each);
  }
  return [...found.values()].slice(0, count).map(toWallTestimonial);
}

async function approvedOf(
  { testimonials }: ListDependencies,
  organization: string,
  id: string,
): Promise<Testimonial> {
  const { testimonial } = (await findTestimonial(testimonials, organization, id)) ?? {};
  if (testimonial?.status === 'approved') return testimonial;
  if (!testimonial) throw new Error(`There is no testimonial ${id}: it cannot stand on a wall.`);
  throw new Error(`${id} is ${testimonial.status}: a wall shows approved testimonials only.`);
}

/** The first approved testimonials of a query. When their total moved meanwhile, pages may have too: they are read again. */
export async function firstOf(
  list: (query: ListQuery) => Promise<ListResult>,
  { filter, ...order }: WallQuery,
  count: number,
): Promise<Testimonial[]> {
  const limit = Math.min(count, pagination.limit.max);
  for (let reading = 1; ; reading += 1) {
    // By id: what is created meanwhile moves others to the next page.
    const found = new Map<string, Testimonial>();
    const totals = new Set<number>();
    const approved = { ...order, filter: { ...filter, status: 'approved' }, limit } as const;
    for (let page = 1; found.size < count; page += 1) {
      const { testimonials, total } = await list({ ...approved, page });
      for (const testimonial of testimonials) found.set(testimonial.id, testimonial);
      totals.add(total);
      if (page * limit >= total) break;
    }
    if (totals.size === 1 || reading === mostReadings) return [...found.values()].slice(0, count);
  }
}

/** The public part of a testimonial. An e-mail address that someone wrote into a text is masked in it. */
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
