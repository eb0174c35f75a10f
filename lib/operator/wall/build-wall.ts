/** Makes the files of a wall that depend on its testimonials. */
import { createHash } from 'node:crypto';
import { inertJson } from './markup.ts';
import { pageOf } from './page.ts';
import type { WallTestimonial } from './site/view.ts';
import type { WallOptions } from './wall.ts';

/**
 * The page, and the file beside it that has every testimonial.
 * @param testimonials in the order in which they are shown
 */
export function buildWall(
  testimonials: readonly WallTestimonial[],
  options: WallOptions,
): { 'index.html': string; 'testimonials.json': string } {
  const json = `${inertJson(testimonials)}\n`;
  // A cache that has an older file does not give it to a newer page.
  const version = createHash('sha256').update(json).digest('hex').slice(0, 12);
  return {
    'index.html': pageOf(testimonials, options, `testimonials.json?v=${version}`),
    'testimonials.json': json,
  };
}
