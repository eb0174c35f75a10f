/** Removes the words of erased testimonials from the list index (rule 27). No list trusts a word alone (rule 30), so none has to wait. */
import type { ErasureTexts, TestimonialStore } from '../../domain/stores.ts';
import type { UpdateOrdinal } from '../../domain/testimonial-order.ts';
import type { IndexDependencies, IndexHead } from '../index-store.ts';
import { PostingEdits, replaceHead, writeEdits } from './posting-edits.ts';
import { hasSettled, type StepRules } from './update-step.ts';

/** One batch: the words of some erasures. */
interface WordRemoval {
  edits: PostingEdits;
  /** The update ordinals of the erasures whose texts the batch deletes. */
  covered: UpdateOrdinal[];
  /** True if a later batch has something to do. */
  left: boolean;
}

/**
 * Removes words batch after batch: at least one batch, and further ones until the time is over. Removes none while a rebuild
 * is under way, whose generation may have the words, too.
 * @returns the head after it, the postings written, and whether words are left
 * @throws {FencedOff} if another index update has begun
 */
export async function removeErasedWords(
  { testimonials, index, now }: IndexDependencies,
  organization: string,
  before: IndexHead,
  { until, rules }: { until: number; rules: StepRules },
): Promise<{ head: IndexHead; postings: number; left: boolean }> {
  if (before.building) return { head: before, postings: 0, left: true };
  for (let head = before, postings = 0; ; ) {
    const { edits, covered, left } = await readWordRemoval(testimonials, organization, head, rules);
    if (covered.length === 0) return { head, postings, left };
    // Each batch has its own epoch, even with nothing to write: a step that began since may have words of these erasures,
    // and must not write them afterwards.
    head = await replaceHead(index, organization, { ...head, epoch: head.epoch + 1 });
    postings += await writeEdits(index, organization, head, edits);
    await testimonials.deleteErasureTexts(organization, covered);
    if (!left || now().getTime() >= until) return { head, postings, left };
  }
}

/**
 * Reads the next settled erasures, as many as a step takes. Until an erasure has settled, a step that read the testimonial
 * before may still be writing its words.
 */
async function readWordRemoval(
  testimonials: TestimonialStore,
  organization: string,
  head: IndexHead,
  rules: StepRules,
): Promise<WordRemoval> {
  const removal: WordRemoval = { edits: new PostingEdits(), covered: [], left: false };
  // No step has written bits from here on.
  const end = Math.max(head.indexed, head.reach ?? 1);
  for await (const page of testimonials.erasureTexts(organization)) {
    const stored = await testimonials.findMany(
      organization,
      page.map(({ ordinal }) => ordinal),
    );
    const isStored = new Set(stored.map(({ ordinal }) => ordinal));
    for (const erasure of page) {
      if (removal.edits.isFull(rules.limits)) return { ...removal, left: true };
      const { ordinal, updateOrdinal, time, texts } = erasure;
      if (!hasSettled(time, rules)) {
        removal.left = true;
        continue;
      }
      const isErased = !isStored.has(ordinal) || !(await sealErasure(testimonials, organization, erasure));
      if (isErased && ordinal < end) removal.edits.removeWords(ordinal, texts);
      removal.covered.push(updateOrdinal);
    }
  }
  return removal;
}

/**
 * Stops an erasure that has not been made yet: its caller begins again, with texts of its own.
 * @returns false if it was made
 */
async function sealErasure(
  testimonials: TestimonialStore,
  organization: string,
  { ordinal, version }: ErasureTexts,
): Promise<boolean> {
  for (;;) {
    const stored = await testimonials.find(organization, ordinal);
    if (!stored) return false;
    if (stored.version > version || (await testimonials.sealVersion(organization, stored))) return true;
  }
}
