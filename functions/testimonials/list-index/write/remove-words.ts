/**
 * Removes the words of erased testimonials from the list index (rule 27). No list relies on a word alone
 * (rule 30), so no list has to wait.
 */

import type { UpdateOrdinal } from '../../../domain/testimonial-order.ts';
import type { ErasureTexts, TestimonialStore } from '../../model/testimonial-store.ts';
import { type IndexDependencies, type IndexHead, reachOf } from '../index-store.ts';
import { mayWriteWords } from './late-writes.ts';
import { PostingEdits, replaceHeadOrStop, writeEdits } from './posting-edits.ts';
import { hasSettled, type StepBounds } from './update-step.ts';

/**
 * Removes words in batches: at least one batch, and further ones until the time is over. Removes no words
 * during a rebuild, whose generation may also contain them.
 * @returns the current head, the number of postings written, and whether there is more to remove
 * @throws {FencedOff} if another index update took over
 */
export async function removeErasedWords(
  { testimonials, index, now }: IndexDependencies,
  organization: string,
  before: IndexHead,
  { until, bounds }: { until: number; bounds: StepBounds },
): Promise<{ head: IndexHead; postings: number; hasMore: boolean }> {
  if (before.building) return { head: before, postings: 0, hasMore: true };
  let batch = await readWordRemoval(testimonials, organization, before, bounds);
  if (batch.removable.length === 0) return { head: before, postings: 0, hasMore: batch.hasMore };
  // Each batch has its own epoch, even with nothing to write.
  const raiseEpoch = (head: IndexHead) =>
    replaceHeadOrStop(index, organization, { ...head, epoch: head.epoch + 1 });
  // Throws if a step was announced since the head was read, because it may write these words after us.
  let head = await raiseEpoch(before);
  for (let postings = 0; ; ) {
    postings += await writeEdits(index, organization, head, batch.edits);
    // Throws if a step was announced since, because it may have read postings before our writes. The next
    // update then finds the texts. This is also the epoch of the next batch.
    head = await raiseEpoch(head);
    await testimonials.deleteErasureTexts(organization, batch.removable);
    if (!batch.hasMore || now().getTime() >= until) return { head, postings, hasMore: batch.hasMore };
    batch = await readWordRemoval(testimonials, organization, head, bounds);
    if (batch.removable.length === 0) return { head, postings, hasMore: batch.hasMore };
  }
}

/**
 * Reads the next settled erasures, as many as a step handles, except those whose words a step may still be
 * writing.
 * @returns the edits, the update ordinals of the erasures whose texts to delete, and whether there is work
 * for a later batch
 */
async function readWordRemoval(
  testimonials: TestimonialStore,
  organization: string,
  head: IndexHead,
  bounds: StepBounds,
) {
  const edits = new PostingEdits();
  const removable: UpdateOrdinal[] = [];
  let hasMore = false;
  // No step has written bits at this ordinal or a higher one, so there are no words to remove.
  const end = Math.max(head.indexed, reachOf(head));
  for await (const page of testimonials.erasureTexts(organization)) {
    const stored = await testimonials.findMany(
      organization,
      page.map(({ ordinal }) => ordinal),
    );
    // An unreadable testimonial counts as erased, because no list shows it.
    const storedOrdinals = new Set(stored.map(({ ordinal }) => ordinal));
    for (const erasure of page) {
      if (edits.isFull(bounds.limits)) return { edits, removable, hasMore: true };
      const { ordinal, updateOrdinal, time, texts } = erasure;
      if (!hasSettled(time, bounds) || mayWriteWords(head, erasure, bounds.since)) {
        hasMore = true;
        continue;
      }
      const isErased =
        !storedOrdinals.has(ordinal) || (await sealErasure(testimonials, organization, erasure)) === 'erased';
      if (isErased && ordinal < end) edits.removeWords(ordinal, texts);
      // Also removes the texts of an erasure that was only sealed: its caller retries, and stores new texts.
      removable.push(updateOrdinal);
    }
  }
  return { edits, removable, hasMore };
}

/**
 * Stops an erasure that has not been made yet. Its caller then retries with new texts.
 * @returns `erased` if the erasure was already made
 */
async function sealErasure(
  testimonials: TestimonialStore,
  organization: string,
  { ordinal, version }: ErasureTexts,
): Promise<'sealed' | 'erased'> {
  for (;;) {
    const stored = await testimonials.find(organization, ordinal);
    if (!stored) return 'erased';
    const isSealed = stored.version > version || (await testimonials.sealVersion(organization, stored));
    if (isSealed) return 'sealed';
  }
}
