/** A testimonial as the operator reads it. */
import type { Status, Testimonial } from '../../../functions/domain/testimonial.ts';
import { joined } from './formatting.ts';
import type { Person, TextStyle } from './program-io.ts';
import { displayed, oneLine } from './terminal-text.ts';

const colours: Record<Status, TextStyle> = { pending: 'yellow', approved: 'green', rejected: 'red' };

/** A status in its colour, where somebody sits at a terminal that has colours. */
export function statusText(status: Status, person: Person | undefined): string {
  return person ? person.style(colours[status], status) : status;
}

/** The whole testimonial; its lines are as long as they are. */
export function testimonialText(
  { id, content, author, rating, type, status, tags, createdAt, updatedAt }: Testimonial,
  person?: Person,
): string {
  const company = author.company === undefined ? '' : `, ${oneLine(author.company)}`;
  return joined([
    `${id}  ${statusText(status, person)}  ${type}  ${rating === undefined ? 'unrated' : `${rating}/5`}`,
    `${oneLine(author.name)} <${oneLine(author.email)}>${company}`,
    tags && tags.length > 0 && `tags: ${tags.map(oneLine).join(', ')}`,
    `created ${createdAt}, updated ${updatedAt}`,
    '',
    displayed(content),
  ]);
}

/** What is said where an organization has no testimonial with an id. */
export function notFoundText(organization: string, id: string): string {
  return `No testimonial ${id} in organization ${organization}`;
}
