/** Ratings between two stars, which some services give. */
import { limits } from '../../../functions/domain/testimonial.ts';

const { min, max } = limits.rating;

/** True of what rounding makes a rating of: 4.5, and 0.5 where half a star is the least. */
export function isRounded(value: unknown): value is number {
  return typeof value === 'number' && !Number.isInteger(value) && value >= min - 0.5 && value <= max;
}

export function isRating(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}
