/** The state of an organization's list index. */
import { type IndexDependencies, noIndex, uncoveredMarkers } from '../index-store.ts';
import { isNewer, termsVersion } from '../terms-version.ts';
import { dueSince } from '../update-due.ts';

export type IndexStatus = Awaited<ReturnType<typeof readIndexStatus>>;

/** @throws {Unreadable} if the head cannot be read */
export async function readIndexStatus({ testimonials, index }: IndexDependencies, organization: string) {
  const head = (await index.readHead(organization)) ?? noIndex;
  const recent = await index.readRecent(organization, head.indexed);
  const { building } = head;
  return {
    generation: head.generation,
    /** The first position that the index lacks. */
    indexed: head.indexed,
    /** The number of unindexed testimonials. */
    tail: recent.tail.length,
    /** The number of unindexed changes. */
    changes: uncoveredMarkers(head, recent).length,
    /** The time since which an index update is due, ISO 8601. */
    dueSince: dueSince(head, recent),
    /** The number of erased testimonials whose words are still in the index. */
    erasures: (await Array.fromAsync(testimonials.erasureTexts(organization))).flat().length,
    /** True if it was built with the rules of this version. */
    isCurrent: head.terms === termsVersion,
    /** True if only a newer version can update it. */
    isNewer: isNewer(head.terms),
    isBeingRebuilt: building !== undefined,
    /** `rebuilt`: the first position that the rebuild lacks. */
    ...(building && { rebuilt: building.indexed, isRebuildNewer: isNewer(building.terms) }),
    /** True if an import or a seed has stored testimonials that no list shows yet. */
    isLoading: head.load !== undefined,
  };
}
