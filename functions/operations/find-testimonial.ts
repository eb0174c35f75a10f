/** Finding testimonials otherwise than by a list. */
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { TestimonialStore } from '../domain/stores.ts';
import { ordinalOfId } from '../domain/testimonial-id.ts';
import type { Ordinal } from '../domain/testimonial-order.ts';

/**
 * Reads one testimonial by its id; undefined when the organization has none with it.
 * @throws {Unreadable}
 */
export async function findTestimonial(
  testimonials: TestimonialStore,
  organization: string,
  id: string,
): Promise<StoredTestimonial | undefined> {
  const ordinal = ordinalOfId(id);
  const found = ordinal === undefined ? undefined : await testimonials.find(organization, ordinal);
  return found?.testimonial.id === id ? found : undefined;
}

/**
 * Reads testimonials to find those by some authors; those that cannot be read are left out and reported.
 * @param emails the authors' addresses, in any case
 * @param options from which place on, how many reads at most, and who is told how many testimonials were read
 * @returns their ids, the addresses that none of them has, how many testimonials were read, and the place where it goes on, if not all
 *   were
 */
export async function findByAuthor(
  testimonials: TestimonialStore,
  organization: string,
  emails: readonly string[],
  options: { from?: Ordinal; pages?: number; progress?: (read: number) => void } = {},
): Promise<{ ids: string[]; absent: string[]; read: number; next?: Ordinal }> {
  const { from = 0, pages = Number.POSITIVE_INFINITY, progress = () => {} } = options;
  const absent = new Map(emails.map((email) => [keyOf(email), email]));
  const wanted = new Set(absent.keys());
  const ids: string[] = [];
  let [read, left] = [0, pages];
  for await (const page of testimonials.from(organization, from)) {
    for (const { testimonial } of page) {
      const author = keyOf(testimonial.author.email);
      if (!wanted.has(author)) continue;
      ids.push(testimonial.id);
      absent.delete(author);
    }
    read += page.length;
    progress(read);
    left -= 1;
    const last = page.at(-1);
    if (left <= 0 && last) return { ids, absent: [...absent.values()], read, next: last.ordinal + 1 };
  }
  return { ids, absent: [...absent.values()], read };
}

function keyOf(email: string): string {
  return email.trim().toLowerCase();
}
