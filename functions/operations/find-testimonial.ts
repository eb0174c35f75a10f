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
 * Reads testimonials to find those by an author; those that cannot be read are left out and reported.
 * @param email the author's address, in any case
 * @param options from which place on, how many reads at most, and who is told how many testimonials were read
 * @returns their ids, how many testimonials were read, and the place where it goes on, if not all were
 */
export async function findByAuthor(
  testimonials: TestimonialStore,
  organization: string,
  email: string,
  options: { from?: Ordinal; pages?: number; progress?: (read: number) => void } = {},
): Promise<{ ids: string[]; read: number; next?: Ordinal }> {
  const { from = 0, pages = Number.POSITIVE_INFINITY, progress = () => {} } = options;
  const wanted = email.trim().toLowerCase();
  const ids: string[] = [];
  let [read, left] = [0, pages];
  for await (const page of testimonials.from(organization, from)) {
    const theirs = page.filter(({ testimonial }) => testimonial.author.email.toLowerCase() === wanted);
    ids.push(...theirs.map(({ testimonial }) => testimonial.id));
    read += page.length;
    progress(read);
    left -= 1;
    const last = page.at(-1);
    if (left <= 0 && last) return { ids, read, next: last.ordinal + 1 };
  }
  return { ids, read };
}
