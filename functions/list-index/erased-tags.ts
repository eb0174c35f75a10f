/** Taking tags out of the index that no testimonial has any more. */
import { forEachAtOnce } from '../concurrency.ts';
import { axes } from '../domain/testimonial-order.ts';
import { readTerm } from './by-bits.ts';
import type { IndexHead, IndexStore } from './index-store.ts';
import { FencedOff } from './posting-edits.ts';

/**
 * Deletes all postings of those of the tags that no testimonial has any more, also the empty ones that changes left
 * behind in the order of updates, and what the directory says of them.
 * @throws {FencedOff} when a fold of a later epoch has written one of them
 */
export async function removeUnusedTags(
  index: IndexStore,
  organization: string,
  head: IndexHead,
  tags: Iterable<string>,
): Promise<void> {
  const { generation, epoch } = head;
  await forEachAtOnce(tags, async (term) => {
    const created = await readTerm(index, organization, head, { axis: 'createdAt', term });
    if (created.count() > 0) return;
    for (const axis of axes) {
      const posting = { axis, term };
      for await (const page of index.readPartition(organization, generation, posting)) {
        await forEachAtOnce(page, async ({ ref }) => {
          if (!(await index.deletePosting(organization, generation, ref, epoch))) {
            throw new FencedOff(`Another fold of ${organization} has begun`);
          }
        });
      }
      await index.leavePartitions(organization, generation, [posting]);
      // Another fold may have written one before it could see that.
      for await (const page of index.readPartition(organization, generation, posting)) {
        if (page.length > 0) await index.enterPartitions(organization, generation, [posting]);
      }
    }
  });
}
