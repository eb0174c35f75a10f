/** Makes the wall of an organization, for whoever writes it or looks at it. */
import { findTestimonial } from '../../../functions/operations/find-testimonial.ts';
import { type ListDependencies, listTestimonials } from '../../../functions/operations/list-testimonials.ts';
import { type BuiltWall, buildWall } from './build-wall.ts';
import { readWall, type WallContent } from './read-wall.ts';
import type { WallOptions } from './wall.ts';

/**
 * Reads what a wall shows, and makes its files of that.
 * @returns them, and how many testimonials they have
 * @throws where a testimonial that was picked by its id is not there, or not approved
 */
export async function makeWall(
  deps: ListDependencies,
  organization: string,
  content: WallContent,
  {
    about,
    title = `What customers say about ${about.name}`,
    hasSummary,
  }: Pick<WallOptions, 'about' | 'hasSummary'> & { title?: string | undefined },
): Promise<{ built: BuiltWall; count: number }> {
  const source = {
    list: (query: Parameters<typeof listTestimonials>[2]) => listTestimonials(deps, organization, query),
    find: async (id: string) => (await findTestimonial(deps.testimonials, organization, id))?.testimonial,
  };
  const testimonials = await readWall(source, content);
  const filters = [content.query, ...content.picks].map((each) => ('filter' in each ? each.filter : {}));
  const isChosenByRating = filters.some(({ rating }) => rating !== undefined);
  const built = buildWall(testimonials, { title, about, hasSummary, isChosenByRating });
  return { built, count: testimonials.length };
}
