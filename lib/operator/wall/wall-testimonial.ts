/** What of a testimonial may stand on a wall, where everyone reads it. */
import { publicTexts } from '../../../functions/domain/public-texts.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import type { WallTestimonial } from './site/view.ts';

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
