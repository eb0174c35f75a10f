/** A testimonial as a token sees it that stands in a web page. */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { toBase62 } from '../domain/base62.ts';
import { maskedAddress } from '../domain/mask-addresses.ts';
import { publicTexts } from '../domain/public-texts.ts';
import { limits, type Testimonial, testimonial } from '../domain/testimonial.ts';

const { rating, type, createdAt } = testimonial.entries;

// A mask can be longer than what stood there, so these have no limits of their own.
const masked = (what: string) =>
  v.pipe(v.string(), v.description(`${what}, with \`${maskedAddress}\` for each e-mail address in it.`));

/** Schema of a testimonial as everyone may see it. */
export const publishedTestimonial = v.object({
  id: v.pipe(
    v.string(),
    v.regex(/^pub_[0-9A-Za-z]{20}$/),
    v.description(
      'Unique identifier: `pub_` followed by the first 20 base-62 digits of the SHA-256 of the id that other tokens see.',
    ),
  ),
  content: masked('What the customer says'),
  author: v.pipe(
    v.object({
      name: masked("Author's full name"),
      company: v.exactOptional(masked("Author's company name")),
    }),
    v.description('Author information, without the e-mail address.'),
  ),
  rating: v.exactOptional(rating),
  type,
  status: v.pipe(v.picklist(['approved']), v.description('Moderation status.')),
  tags: v.pipe(v.array(masked('Tag')), v.metadata({ maxItems: limits.tags.max })),
  createdAt,
});

/** A testimonial as everyone may see it. */
export type PublishedTestimonial = v.InferOutput<typeof publishedTestimonial>;

/** What everyone may see of an approved testimonial. */
export function toPublishedTestimonial(approved: Testimonial): PublishedTestimonial {
  const { id, rating, type, createdAt } = approved;
  const { content, author, tags = [] } = publicTexts(approved);
  return {
    id: publishedId(id),
    content,
    author,
    ...(rating !== undefined && { rating }),
    type,
    status: 'approved',
    tags,
    createdAt,
  };
}

// 62 to the 43rd is just above two to the 256th.
const digitsOfSha256 = 43;

/** An id ends with the testimonial's ordinal, which would tell how many there are. */
export function publishedId(id: string): string {
  const hash = createHash('sha256').update(id).digest('hex');
  return `pub_${toBase62(BigInt(`0x${hash}`), digitsOfSha256).slice(0, 20)}`;
}
