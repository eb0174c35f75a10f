/** Finds testimonials by id and by author, and reads all of them. */
import { foldAddress } from '../../domain/email-address.ts';
import type { UpdatedRecord } from '../../domain/outcomes.ts';
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import { ordinalOfId } from '../../domain/testimonial-id.ts';
import type { TestimonialStore } from '../model/testimonial-store.ts';

/**
 * Reads a testimonial by its id. Returns undefined if the organization has no testimonial with this id.
 * @throws {Unreadable} if the testimonial cannot be read
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

/**
 * Reads the testimonials with these ids, in the order of the ids. Leaves out unknown ids, and unreadable
 * testimonials, which the store reports.
 * @param options `consistent: false` may return outdated testimonials, at half the cost
 */
export async function findTestimonials(
  testimonials: Pick<TestimonialStore, 'findMany'>,
  organization: string,
  ids: readonly string[],
  options?: { consistent?: boolean },
): Promise<StoredTestimonial[]> {
  const ordinals = new Set(ids.flatMap((id) => ordinalOfId(id) ?? []));
  const rows = await testimonials.findMany(organization, [...ordinals], options);
  const byId = new Map(rows.map((row) => [row.testimonial.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

// The number of testimonials in memory at once.
const pageSize = 1000;

/** Reads all testimonials in the order of creation, page by page. Leaves out unreadable ones. */
export async function* readAll(
  testimonials: Pick<TestimonialStore, 'from'>,
  organization: string,
): AsyncGenerator<UpdatedRecord[], void, undefined> {
  for await (const page of testimonials.from(organization, 0, { limit: pageSize }))
    yield page.map(({ updateOrdinal: update, ...record }) => ({ ...record, update }));
}

// More than a hundred of the longest texts fit into one response.
const partSize = 200;

/** Reads the next testimonials in the order of creation, and returns the position after them. */
export async function readPart(
  testimonials: Pick<TestimonialStore, 'from'>,
  organization: string,
  from: number,
): Promise<{ records: UpdatedRecord[]; next?: number }> {
  for await (const page of testimonials.from(organization, from, { limit: partSize })) {
    const last = page.at(-1);
    if (!last) continue;
    const records = page.map(({ updateOrdinal: update, ...record }) => ({ ...record, update }));
    return { records, next: last.ordinal + 1 };
  }
  return { records: [] };
}

/** Returns the ids among these whose testimonials were erased, in no particular order. */
export async function findErased(
  testimonials: Pick<TestimonialStore, 'findErased'>,
  organization: string,
  ids: readonly string[],
): Promise<string[]> {
  const ordinals = new Set(ids.flatMap((id) => ordinalOfId(id) ?? []));
  const erased = ordinals.size > 0 ? await testimonials.findErased(organization, [...ordinals]) : [];
  return erased.filter((id) => ids.includes(id));
}

/** Testimonials by some authors. */
export interface FoundByAuthor {
  ids: string[];
  /** The addresses without a testimonial. */
  absent: string[];
  /** The number of testimonials read. */
  read: number;
  /** The id to continue after, if there may be more. */
  after?: string;
}

/**
 * Reads testimonials and returns the ids of the testimonials by the given authors. Leaves out unreadable
 * ones, which the store reports.
 * @param emails the authors' addresses, in any case, with their domains in Unicode or in ASCII
 * @param options the id to continue after and the maximum pages to read, and a callback that receives the
 * number of testimonials read
 */
export async function findByAuthor(
  testimonials: TestimonialStore,
  organization: string,
  emails: readonly string[],
  options: { after?: string; pages?: number; progress?: (read: number) => void } = {},
): Promise<FoundByAuthor> {
  const { after, pages = Number.POSITIVE_INFINITY, progress = () => {} } = options;
  const absent = new Map(emails.map((email) => [foldAddress(email), email]));
  const wanted = new Set(absent.keys());
  const ids: string[] = [];
  let [read, pagesRead] = [0, 0];
  const first = after === undefined ? 0 : (ordinalOfId(after) ?? 0) + 1;
  for await (const page of testimonials.from(organization, first)) {
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
      return { ids, absent: [...absent.values()], read, after: last.testimonial.id };
  }
  return { ids, absent: [...absent.values()], read };
}
