/**
 * Schemas of a list's response: the whole one and the public one. The command line prints the same bodies.
 */
import * as v from 'valibot';
import type { Published } from '../domain/fields.ts';
import { maskedAddress } from '../domain/mask-addresses.ts';
import { limits, type Testimonial, tags, testimonial } from '../domain/testimonial.ts';
import { mediaInResponse, shownTestimonial } from '../media/contract.ts';

const pageOf = <const Item extends v.GenericSchema>(item: Item) =>
  v.pipe(v.array(item), v.description('The page, in the requested order.'));

const integer = (description: string) => v.pipe(v.number(), v.integer(), v.description(description));

/** Schema of a testimonial in a list, which always has tags. */
export const listedTestimonial = v.object({ ...shownTestimonial.entries, tags });

export const pagination = v.object({
  page: integer('Current page number.'),
  limit: integer('Items per page.'),
  total: integer('Exact number of testimonials that match every filter.'),
  totalPages: integer('Total number of pages; 0 when nothing matches.'),
  hasNext: v.pipe(v.boolean(), v.description('Whether a next page exists.')),
  hasPrev: v.pipe(v.boolean(), v.description('Whether a previous page exists.')),
});

/** Schema of a list's response. */
export const listBody = v.object({ testimonials: pageOf(listedTestimonial), pagination });

export type FullListBody = v.InferOutput<typeof listBody>;

/** A page of a list before its media have URLs. */
export interface ListBody {
  testimonials: (Testimonial & Required<Pick<Testimonial, 'tags'>>)[];
  pagination: v.InferOutput<typeof pagination>;
}

const { rating, type, createdAt } = testimonial.entries;

/** A schema for every member, so that none is forgotten. */
export type SchemaOf<Value> = Record<keyof Value, v.GenericSchema>;

// Without length limits, because a mask can be longer than the address.
const masked = (subject: string) =>
  v.pipe(v.string(), v.description(`${subject}, with \`${maskedAddress}\` for each e-mail address in it.`));

export const publishedAuthor = v.pipe(
  v.object({
    name: masked("Author's full name"),
    company: v.exactOptional(masked("Author's company name")),
    role: v.exactOptional(masked("Author's job title")),
  } satisfies SchemaOf<Published['author']>),
  v.description('Author information, without the e-mail address.'),
);

/** Schema of a testimonial as everyone may see it. */
export const publishedTestimonial = v.object({
  id: v.pipe(
    v.string(),
    v.regex(/^pub_[0-9A-Za-z]{20}$/),
    v.description(
      'Unique identifier: `pub_` followed by the first 20 base-62 digits of the SHA-256 of the id for other tokens.',
    ),
  ),
  content: masked('What the customer says'),
  author: publishedAuthor,
  rating: v.exactOptional(rating),
  type,
  status: v.pipe(v.picklist(['approved']), v.description('Moderation status.')),
  tags: v.pipe(v.array(masked('Tag')), v.metadata({ maxItems: limits.tags.max })),
  media: v.exactOptional(mediaInResponse),
  createdAt,
} satisfies SchemaOf<Published & { id: string }>);

export type PublishedTestimonial = v.InferOutput<typeof publishedTestimonial>;

/** Schema of the response to a token in a web page. */
export const publishedListBody = v.object({
  ...listBody.entries,
  testimonials: pageOf(publishedTestimonial),
});

export type PublishedListBody = v.InferOutput<typeof publishedListBody>;
