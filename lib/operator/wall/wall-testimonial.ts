/** What of a testimonial may stand on a wall, where everyone reads it. */
import { maskAddresses } from '../../../functions/domain/mask-addresses.ts';
import type { Testimonial } from '../../../functions/domain/testimonial.ts';
import type { WallTestimonial } from './site/view.ts';

/** The public part of a testimonial. An e-mail address that someone wrote into a text is masked in it. */
export function toWallTestimonial({
  content,
  author,
  rating,
  tags = [],
  createdAt,
}: Testimonial): WallTestimonial {
  return {
    content: maskAddresses(content),
    name: maskAddresses(author.name),
    ...(author.company !== undefined && { company: maskAddresses(author.company) }),
    ...(rating !== undefined && { rating }),
    tags: tags.map(maskAddresses),
    date: createdAt.slice(0, 10),
  };
}
