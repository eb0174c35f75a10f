/** Lists as everyone may ask for them: approved testimonials only, by what everyone sees of them. */
import type { ListQuery, ListResult } from '../domain/list-query.ts';
import { maskAddresses, maskedAddress } from '../domain/mask-addresses.ts';
import { matcherOf } from '../domain/matcher.ts';
import { publicTexts } from '../domain/public-texts.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import { pagination } from './parameters.ts';

// As many as a page has at most: to judge them costs no more than to read that page.
const mostJudged = pagination.limit.max;

/**
 * Lists what a query finds among the approved testimonials. Nobody is to guess an e-mail address by what it finds: a tag that is
 * an address finds nothing, and what at most a hundred testimonials match is judged by their words as everyone sees
 * them. What more match may be found by a word of a masked address (docs/adr/0021).
 * @param list answers a list of the organization
 */
export async function listPublished<Result extends ListResult>(
  list: (query: ListQuery) => Promise<Result>,
  query: ListQuery,
): Promise<Result> {
  const asked = { ...query, filter: publicFilter(query.filter) };
  const { search } = asked.filter;
  const found = await list(asked);
  if (search === undefined || found.total > mostJudged) return found;
  const isWhole = found.testimonials.length === found.total;
  const all = isWhole ? found : await list({ ...asked, page: 1, limit: mostJudged });
  const matches = matcherOf({ search });
  const judged = all.testimonials.filter((testimonial) => matches(withoutAddresses(testimonial)));
  const first = (query.page - 1) * query.limit;
  return { ...all, testimonials: judged.slice(first, first + query.limit), total: judged.length };
}

function publicFilter({ tags, ...filter }: ListQuery['filter']): ListQuery['filter'] {
  return { ...filter, ...(tags && { tags: tags.map(maskAddresses) }), status: 'approved' };
}

/** With nothing where addresses stood: the words of the mask are nobody's. */
function withoutAddresses(testimonial: Testimonial): Testimonial {
  const { content, author } = publicTexts(testimonial);
  const unmasked = (text: string) => text.replaceAll(maskedAddress, '\n');
  return {
    ...testimonial,
    content: unmasked(content),
    author: { ...testimonial.author, name: unmasked(author.name) },
  };
}
