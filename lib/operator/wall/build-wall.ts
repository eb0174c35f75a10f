/** Makes the files of a wall that depend on its testimonials. */
import { createHash } from 'node:crypto';
import { inertJson } from './markup.ts';
import { pageOf } from './page.ts';
import type { Wall, WallOptions } from './wall.ts';

/** The page, and the file beside it that has every testimonial. */
export function buildWall(
  wall: Wall,
  options: WallOptions,
): { 'index.html': string; 'testimonials.json': string } {
  const json = `${inertJson(wall.testimonials)}\n`;
  // A cache that has an older file does not give it to a newer page.
  const version = createHash('sha256').update(json).digest('hex').slice(0, 12);
  return {
    'index.html': pageOf(wall, options, `testimonials.json?v=${version}`),
    'testimonials.json': json,
  };
}
