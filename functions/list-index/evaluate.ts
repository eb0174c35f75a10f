/** Reads the postings of a plan and combines them. */
import { Bitmap } from './bitmap.ts';
import type { IndexHead, IndexStore, StoredBits } from './index-store.ts';
import { decodePostingInto } from './posting-codec.ts';
import type { QueryPlan, Read } from './query-plan.ts';

/**
 * Reads postings, each once.
 * @returns the testimonials of each read
 */
export type ReadBits = (read: Read) => Promise<Bitmap>;

export function postingReader(
  store: IndexStore,
  organization: string,
  { generation, indexed }: IndexHead,
): ReadBits {
  const reads = new Map<string, Promise<Bitmap>>();
  return (read) => {
    // Without an index there is nothing to read: everything is tail.
    if (indexed <= 1) return Promise.resolve(new Bitmap());
    const key = JSON.stringify(read);
    const bitmap =
      reads.get(key) ??
      ('term' in read
        ? store.readTerm(organization, generation, read.term)
        : store.readWords(organization, generation, read.wordsFrom)
      ).then(union);
    reads.set(key, bitmap);
    return bitmap;
  };
}

/** The indexed testimonials that match. Reads everything at once. */
export async function evaluate(read: ReadBits, { indexed }: IndexHead, plan: QueryPlan): Promise<Bitmap> {
  const clauses = await Promise.all(plan.allOf.map(({ anyOf }) => Promise.all(anyOf.map(read))));
  return clauses
    .map((bitmaps) => bitmaps.reduce((all, bitmap) => all.or(bitmap), new Bitmap()))
    .reduce((all, clause) => all.and(clause))
    .truncate(indexed);
}

function union(postings: StoredBits[]): Bitmap {
  const bitmap = new Bitmap();
  for (const { chunk, bytes } of postings) decodePostingInto(bytes, bitmap.chunk(chunk));
  return bitmap;
}
