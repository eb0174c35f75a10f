/** Taking out of the index what only erased testimonials had: partitions of postings, named by words and tags. */
import { forEachAtOnce } from '../concurrency.ts';
import type { IndexHead, IndexStore } from './index-store.ts';
import { isTag, type PostingPartition } from './index-terms.ts';
import { FencedOff } from './posting-edits.ts';

/**
 * Takes partitions without postings out of the directory. Of a tag that no testimonial has any more, what changes left
 * behind in the order of updates is deleted as well.
 * @param partitions on the axis of creation
 * @throws {FencedOff} when a fold of a later epoch has written one of the postings
 */
export async function removeUnused(
  index: IndexStore,
  organization: string,
  { generation, epoch }: IndexHead,
  partitions: readonly PostingPartition[],
): Promise<void> {
  await forEachAtOnce(partitions, async (created) => {
    if (await index.hasPostings(organization, generation, created)) return;
    await leave(created);
    if (!isTag(created)) return;
    const updated = { axis: 'updatedAt', term: created.term } as const;
    for await (const page of index.readPartition(organization, generation, updated)) {
      await forEachAtOnce(page, async ({ ref }) => {
        if (!(await index.deletePosting(organization, generation, ref, epoch))) {
          throw new FencedOff(`Another fold of ${organization} has begun`);
        }
      });
    }
    await leave(updated);
  });

  async function leave(partition: PostingPartition): Promise<void> {
    await index.leavePartitions(organization, generation, [partition]);
    // Another fold may have written a posting before it could see that.
    if (await index.hasPostings(organization, generation, partition)) {
      await index.enterPartitions(organization, generation, [partition]);
    }
  }
}
