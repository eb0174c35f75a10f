/** Taking out of the index what only erased testimonials had: partitions of postings, named by words and tags. */
import { forEachAtOnce } from '../concurrency.ts';
import type { IndexHead, IndexStore } from './index-store.ts';
import { isTag, type PostingPartition } from './index-terms.ts';

/**
 * Takes partitions without postings out of the directory. Of a tag that no testimonial has any more, what changes left
 * behind in the order of updates is deleted as well.
 * @param partitions on the axis of creation
 */
export async function removeUnused(
  index: IndexStore,
  organization: string,
  { generation, epoch }: IndexHead,
  partitions: readonly PostingPartition[],
): Promise<void> {
  await forEachAtOnce(partitions, async (created) => {
    if (!(await leave(created)) || !isTag(created)) return;
    const updated = { axis: 'updatedAt', term: created.term } as const;
    for await (const page of index.readPartition(organization, generation, updated)) {
      // Refused where a fold of a later epoch has written it.
      await forEachAtOnce(page, ({ ref }) => index.deletePosting(organization, generation, ref, epoch));
    }
    await leave(updated);
  });

  /** @returns whether the directory no longer names the partition */
  async function leave(partition: PostingPartition): Promise<boolean> {
    const isUsed = () => index.hasPostings(organization, generation, partition);
    if (!(await isUsed())) {
      await index.leavePartitions(organization, generation, [partition]);
      if (!(await isUsed())) return true;
    }
    // Another fold may have written a posting before it could see that; and one like this may have ended there.
    await index.enterPartitions(organization, generation, [partition]);
    return false;
  }
}
