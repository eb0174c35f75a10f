/** Which lines of a file stand in an organization already: it was imported before, as it was then or corrected since. */
import { createHash } from 'node:crypto';
import type { TestimonialStore } from '../../../functions/domain/stores.ts';
import type { TestimonialInput } from '../../../functions/domain/testimonial.ts';
import { firstPlace } from '../../../functions/domain/testimonial-order.ts';
import type { ImportedLine } from './imported-line.ts';

// Testimonials read at once.
const pageSize = 1000;

/**
 * Reads all testimonials of an organization. A line is there when one has its text, its author's name and e-mail address, and
 * its time, where both have one of a file: what was created here, or imported without its times, has another. Each testimonial
 * is one line, however often that is repeated.
 * @param importTimes when imports began, which is the time of their lines that had none; milliseconds since the epoch
 * @param onRead told how many testimonials were read
 * @returns the numbers of the lines, ascending
 */
export async function repeatedLines(
  testimonials: Pick<TestimonialStore, 'from'>,
  organization: string,
  lines: readonly ImportedLine[],
  { importTimes, onRead }: { importTimes: ReadonlySet<number>; onRead: (read: number) => void },
): Promise<number[]> {
  const wanted = lines.map(textOf);
  const isWanted = new Set(wanted);
  /** Testimonials that no line was found for yet, by their texts: all, those with a time of a file, and the others. */
  const left = new Map<string, number>();
  const count = (key: string, by: number) => left.set(key, (left.get(key) ?? 0) + by);
  let read = 0;
  for await (const page of testimonials.from(organization, 0, { limit: pageSize })) {
    for (const { testimonial, ordinal } of page) {
      const text = textOf(testimonial);
      if (!isWanted.has(text)) continue;
      const time = Date.parse(testimonial.createdAt);
      count(text, 1);
      count(ordinal >= firstPlace || importTimes.has(time) ? `${text} ours` : `${text} ${time}`, 1);
    }
    read += page.length;
    onRead(read);
  }
  return wanted.flatMap((text, number) => {
    const time = lines[number]?.createdAt;
    const keys = time === undefined ? [text] : [`${text} ${time}`, `${text} ours`];
    const key = keys.find((each) => (left.get(each) ?? 0) > 0);
    if (key === undefined || (left.get(text) ?? 0) === 0) return [];
    for (const each of new Set([key, text])) count(each, -1);
    return number;
  });
}

function textOf({ content, author: { name, email } }: TestimonialInput): string {
  return createHash('sha256')
    .update(JSON.stringify([content, name, email.toLowerCase()]))
    .digest('base64');
}
