/** Reads the postings of a plan and combines them. */
import { Bitmap } from './bitmap.ts';
import type { IndexHead, IndexStore, StoredPosting } from './index-store.ts';
import { decodePostingInto } from './posting-codec.ts';
import type { QueryPlan, Read } from './query-plan.ts';

export interface Evaluated {
  /** The indexed testimonials that match. */
  matching: Bitmap;
  /** The testimonials of each of the plan's ordering terms. */
  inTurn: Bitmap[];
}

/** Reads everything at once, each posting once. */
export async function evaluate(
  store: IndexStore,
  organization: string,
  { generation, indexed }: IndexHead,
  plan: QueryPlan,
  signal?: AbortSignal,
): Promise<Evaluated> {
  // Without an index there is nothing to read: everything is tail.
  if (indexed === 0) return { matching: new Bitmap(), inTurn: plan.inTurn.map(() => new Bitmap()) };

  const reads = new Map<string, Promise<Bitmap>>();
  const bitmapOf = (read: Read): Promise<Bitmap> => {
    const key = JSON.stringify(read);
    const bitmap =
      reads.get(key) ??
      ('term' in read
        ? store.readTerm(organization, generation, read.term, signal)
        : store.readWords(organization, generation, read.wordsFrom, signal)
      ).then(union);
    reads.set(key, bitmap);
    return bitmap;
  };
  const [clauses, inTurn] = await Promise.all([
    Promise.all(plan.allOf.map(({ anyOf }) => Promise.all(anyOf.map(bitmapOf)))),
    Promise.all(plan.inTurn.map((term) => bitmapOf({ term }))),
  ]);
  const matching = clauses
    .map((bitmaps) => bitmaps.reduce((all, bitmap) => all.or(bitmap), new Bitmap()))
    .reduce((all, clause) => all.and(clause));
  return { matching: matching.truncate(indexed), inTurn };
}

function union(postings: StoredPosting[]): Bitmap {
  const bitmap = new Bitmap();
  for (const { chunk, bytes } of postings) decodePostingInto(bytes, bitmap.chunk(chunk));
  return bitmap;
}
