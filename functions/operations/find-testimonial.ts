/** Finds testimonials by id and by author. */
import { foldAddress } from '../domain/email-address.ts';
import type { StoredTestimonial } from '../domain/stored-testimonial.ts';
import type { TestimonialStore } from '../domain/stores.ts';
import { ordinalOfId } from '../domain/testimonial-id.ts';
import type { Ordinal } from '../domain/testimonial-order.ts';

/**
 * Reads a testimonial by its id. Returns undefined if the organization has none with this id.
 * @throws {Unreadable}
 */
export async function findTestimonial(
  testimonials: TestimonialStore,
  organization: string,
  id: string,
): Promise<StoredTestimonial | undefined> {
  const ordinal = ordinalOfId(id);
  const stored = ordinal === undefined ? undefined : await testimonials.find(organization, ordinal);
  return stored?.testimonial.id === id ? stored : undefined;
}

/** Reads the testimonials of an organization with these ids, in the order of the ids. Leaves out ids that it does not have. */
export async function findTestimonials(
  testimonials: Pick<TestimonialStore, 'findMany'>,
  organization: string,
  ids: readonly string[],
): Promise<StoredTestimonial[]> {
  const ordinals = ids.flatMap((id) => ordinalOfId(id) ?? []);
  const rows = ordinals.length > 0 ? await testimonials.findMany(organization, ordinals) : [];
  const byId = new Map(rows.map((row) => [row.testimonial.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/**
 * Reads testimonials and returns the ids of those by the given authors. Leaves out unreadable ones, which the store reports.
 * @param emails the authors' addresses, in any case, with their domains in Unicode or in ASCII
 * @param options the first position and the maximum pages to read, and a callback that receives the number of testimonials read
 * @returns also the addresses without a testimonial, the number of testimonials read, and the position to continue from, if any
 */
export async function findByAuthor(
  testimonials: TestimonialStore,
  organization: string,
  emails: readonly string[],
  options: { from?: Ordinal; pages?: number; progress?: (read: number) => void } = {},
): Promise<{ ids: string[]; absent: string[]; read: number; next?: Ordinal }> {
  const { from = 0, pages = Number.POSITIVE_INFINITY, progress = () => {} } = options;
  const absent = new Map(emails.map((email) => [foldAddress(email), email]));
  const wanted = new Set(absent.keys());
  const ids: string[] = [];
  let [read, pagesRead] = [0, 0];
  for await (const page of testimonials.from(organization, from)) {
    for (const { testimonial } of page) {
      const author = foldAddress(testimonial.author.email);
      if (!wanted.has(author)) continue;
      ids.push(testimonial.id);
      absent.delete(author);
    }
    read += page.length;
    progress(read);
    pagesRead += 1;
    const last = page.at(-1);
    if (pagesRead >= pages && last)
      return { ids, absent: [...absent.values()], read, next: last.ordinal + 1 };
  }
  return { ids, absent: [...absent.values()], read };
}
