/** What of a testimonial may stand on a wall, where everyone reads it. */
import type { Testimonial } from '../../functions/domain/testimonial.ts';
import type { WallTestimonial } from './site/view.js';

// Whatever a create takes as an address (domain/testimonial.ts), wherever it stands. Bounded as addresses are, so that
// no text is slow to look through.
const emailAddress =
  /[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+/giu;

/** The public part of a testimonial. An e-mail address that someone wrote into a text is left out of it. */
export function toWallTestimonial({
  content,
  author,
  rating,
  tags = [],
  createdAt,
}: Testimonial): WallTestimonial {
  return {
    content: withoutAddresses(content),
    name: withoutAddresses(author.name),
    ...(author.company !== undefined && { company: withoutAddresses(author.company) }),
    ...(rating !== undefined && { rating }),
    tags: tags.map(withoutAddresses),
    date: createdAt.slice(0, 10),
  };
}

function withoutAddresses(text: string): string {
  return text.replace(emailAddress, '[e-mail address]');
}
