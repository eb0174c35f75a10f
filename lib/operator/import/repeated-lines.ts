/** Which lines of a file stand in an organization already, or in the file before: it was imported, or exported, more than once. */
import { createHash } from 'node:crypto';
import type { TestimonialStore } from '../../../functions/domain/stores.ts';
import type { TestimonialInput } from '../../../functions/domain/testimonial.ts';
import type { ImportedLine } from './imported-line.ts';

// Testimonials read at once.
const pageSize = 1000;

/**
 * Reads all testimonials of an organization. A line is there when one has its text, its author's name and e-mail address: tools
 * write the time of a review in many ways.
 * @param onRead told how many testimonials were read
 * @returns the numbers of the lines, ascending
 */
export async function repeatedLines(
  testimonials: Pick<TestimonialStore, 'from'>,
  organization: string,
  lines: readonly ImportedLine[],
  onRead: (read: number) => void,
): Promise<number[]> {
  const wanted = lines.map(textOf);
  const isWanted = new Set(wanted);
  const there = new Set<string>();
  let read = 0;
  for await (const page of testimonials.from(organization, 0, { limit: pageSize })) {
    for (const { testimonial } of page) {
      const text = textOf(testimonial);
      if (isWanted.has(text)) there.add(text);
    }
    read += page.length;
    onRead(read);
  }
  return wanted.flatMap((text, number) => (there.has(text) ? [number] : []));
}

/** The numbers of lines that stand in the file before, with the same time and rating, ascending. */
export function linesTwice(lines: readonly ImportedLine[]): number[] {
  const seen = new Set<string>();
  return lines.flatMap(({ content, author: { name, email }, createdAt, rating }, number) => {
    const key = `${createdAt} ${rating} ${email.toLowerCase()} ${name}\n${content}`;
    if (seen.has(key)) return [number];
    seen.add(key);
    return [];
  });
}

function textOf({ content, author: { name, email } }: TestimonialInput): string {
  return createHash('sha256')
    .update(JSON.stringify([content, name, email.toLowerCase()]))
    .digest('base64');
}
