/** A testimonial as a token sees it that stands in a web page. */
import { createHash } from 'node:crypto';
import { toBase62 } from '../domain/base62.ts';
import { publicTexts } from '../domain/public-texts.ts';
import type { Testimonial } from '../domain/testimonial.ts';
import type { PublishedTestimonial } from './list-body.ts';

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
