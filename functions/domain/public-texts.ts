/** The texts of a testimonial as everyone may read them: on a wall, and in lists by a token in a web page. */
import { maskAddresses } from './mask-addresses.ts';
import type { Testimonial } from './testimonial.ts';

/** The texts that people wrote: all from which a testimonial's terms come, beside its facets of closed sets. */
export type Texts = Pick<Testimonial, 'content' | 'tags'> & { author: Omit<Testimonial['author'], 'email'> };

/** The same texts with every e-mail address that someone typed into them masked. */
export function publicTexts({ content, author: { name, company }, tags }: Texts): Texts {
  return {
    content: maskAddresses(content),
    author: {
      name: maskAddresses(name),
      ...(company !== undefined && { company: maskAddresses(company) }),
    },
    ...(tags && { tags: tags.map(maskAddresses) }),
  };
}
