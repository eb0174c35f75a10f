/** Removing the words of erased testimonials from the list index. No list believes them (rule 30), so none waits for it. */
import type { ErasureTexts, TestimonialStore } from '../../domain/stores.ts';
import type { UpdateOrdinal } from '../../domain/testimonial-order.ts';
import type { IndexHead, IndexStore } from '../index-store.ts';
import { PostingEdits, writeEdits } from './posting-edits.ts';
import { hasSettled, type Rules } from './update-step.ts';

interface Source {
  testimonials: TestimonialStore;
  index: IndexStore;
  organization: string;
  head: IndexHead;
  rules: Rules;
}

/** The work of one batch: the words of some erasures. */
export interface WordRemoval {
  edits: PostingEdits;
  /** The erasures whose texts the batch deletes, by their places in the order of updates. */
  done: UpdateOrdinal[];
  /** True if a later batch has something to do. */
  left: boolean;
}

/**
 * Reads the next erasures that have settled, as many as a step may take: until then a step that had read the testimonial may be writing
 * its words.
 */
export async function readWordRemoval(source: Source): Promise<WordRemoval> {
  const { testimonials, organization, head, rules } = source;
  const removal: WordRemoval = { edits: new PostingEdits(), done: [], left: false };
  // No step has written bits above.
  const end = Math.max(head.indexed, head.reach ?? 1);
  for await (const page of testimonials.erasureTexts(organization)) {
    const ordinals = page.map(({ ordinal }) => ordinal);
    const there = await testimonials.findMany(organization, ordinals);
    const isThere = new Set(there.map(({ ordinal }) => ordinal));
    for (const erasure of page) {
      if (removal.edits.isFull(rules.limits)) return { ...removal, left: true };
      const { ordinal, updateOrdinal, time, texts } = erasure;
      if (!hasSettled(time, rules)) {
        removal.left = true;
        continue;
      }
      const isErased = !isThere.has(ordinal) || !(await sealOff(source, erasure));
      if (isErased && ordinal < end) removal.edits.removeWords(ordinal, texts);
      removal.done.push(updateOrdinal);
    }
  }
  return removal;
}

/**
 * Stops an erasure that has not taken place yet: its caller begins again, with texts of its own.
 * @returns false if it took place
 */
async function sealOff(
  { testimonials, organization }: Source,
  { ordinal, version }: ErasureTexts,
): Promise<boolean> {
  for (;;) {
    const stored = await testimonials.find(organization, ordinal);
    if (!stored) return false;
    if (stored.version > version || (await testimonials.sealVersion(organization, stored))) return true;
  }
}

/**
 * Takes the words out of the postings by an epoch that the head has, then deletes the texts.
 * @returns how many postings were written
 * @throws {FencedOff} when another index update has begun
 */
export async function removeWords(
  { testimonials, index, organization, head }: Omit<Source, 'rules'>,
  { edits, done }: WordRemoval,
): Promise<number> {
  const written = await writeEdits(index, organization, head, edits);
  await testimonials.deleteErasureTexts(organization, done);
  return written;
}
