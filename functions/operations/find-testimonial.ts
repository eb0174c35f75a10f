/** Finding testimonials otherwise than by a list. */
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { TestimonialStore } from '../domain/stores.ts';
import { ordinalOfId } from '../domain/testimonial-id.ts';

/** Reads one testimonial by its id; undefined when the organization has none with it. */
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
 * Reads all testimonials to find the ids of those by an author.
 * @param email the author's address, in any case
 * @param progress told how many testimonials were read
 */
export async function findByAuthor(
  testimonials: TestimonialStore,
  organization: string,
  email: string,
  progress: (read: number) => void = () => {},
): Promise<string[]> {
  const wanted = email.trim().toLowerCase();
  const found: string[] = [];
  let read = 0;
  for await (const page of testimonials.from(organization, 0)) {
    const theirs = page.filter(({ testimonial }) => testimonial.author.email.toLowerCase() === wanted);
    found.push(...theirs.map(({ testimonial }) => testimonial.id));
    read += page.length;
    progress(read);
  }
  return found;
}
