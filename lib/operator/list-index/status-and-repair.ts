/** The state of an organization's list index, its rebuild, and its comparison with the testimonials. */
import { type Axis, firstPosition } from '../../../functions/domain/testimonial-order.ts';
import {
  coveredBy,
  type IndexDependencies,
  noIndex,
} from '../../../functions/testimonials/list-index/index-store.ts';
import { isNewer, termsVersion } from '../../../functions/testimonials/list-index/terms-version.ts';
import { updateIndexAlongside } from '../../../functions/testimonials/list-index/write/await-index.ts';
import { rebuildIndex } from '../../../functions/testimonials/list-index/write/rebuild.ts';
import { takingAll } from '../../../functions/testimonials/list-index/write/update-index.ts';
import { type Difference, verifyIndex } from '../../../functions/testimonials/list-index/write/verify.ts';
import { type ImportJobStore, idOfImport, isUnended } from '../import/import-job.ts';
import { historyRoom } from '../import/positions.ts';
import { unendedText } from '../import/report.ts';
import type { LoadDependencies } from '../load/load-testimonials.ts';

/** The progress of the index, and the imports that have not ended. */
export type IndexStatus = Awaited<ReturnType<typeof readStatus>>;

export async function readStatus(
  { testimonials, index, jobs, now }: IndexDependencies & { jobs: ImportJobStore },
  organization: string,
) {
  const head = (await index.readHead(organization)) ?? noIndex;
  const { tail, markers } = await index.readRecent(organization, head.indexed);
  const { building } = head;
  const isCovered = coveredBy(head);
  return {
    organization,
    generation: head.generation,
    // The first unindexed ordinal, and the unindexed testimonials and changes.
    indexed: head.indexed,
    tail: tail.length,
    changes: markers.filter(({ updateOrdinal }) => !isCovered.has(updateOrdinal)).length,
    // Erased testimonials whose words are still in the postings.
    erasures: (await Array.fromAsync(testimonials.erasureTexts(organization))).flat().length,
    isCurrent: head.terms === termsVersion,
    // True if only a newer version can update the index.
    isNewer: isNewer(head.terms),
    isBeingRebuilt: building !== undefined,
    ...(building && { rebuilt: building.indexed, isRebuildNewer: isNewer(building.terms) }),
    // True if an import or a seed has stored testimonials that no list shows yet.
    isLoading: head.load !== undefined,
    // Positions for imported history.
    room: historyRoom(await jobs.placements(organization)),
    // Imports and undos that have not ended, and how to end them.
    unended: (await jobs.all(organization)).filter(isUnended).map((unended) => {
      return { id: idOfImport(unended.name), text: unendedText(unended, organization, now()) };
    }),
  };
}

type RebuildDependencies = IndexDependencies & Required<Pick<LoadDependencies, 'letEnd' | 'progress'>>;

/** Rebuilds an index, then updates it with the testimonials that arrived meanwhile or were never indexed. */
export async function rebuildAndUpdate(deps: RebuildDependencies, organization: string): Promise<void> {
  const progress = (testimonials: number) => deps.progress(testimonials, 'indexed');
  const rebuild = () => deps.letEnd((signal) => rebuildIndex(deps, organization, { progress, signal }));
  const head = await rebuild();
  await updateIndexAlongside(deps, organization, takingAll);
  // Without a head there was nothing to rebuild, and the first update leaves out imported history.
  if (!head) await rebuild();
}

// Further differences are only counted.
const differencesKept = 20;

export type Verified = Awaited<ReturnType<typeof verify>>;

/**
 * Compares an index with the testimonials. Keeps the first differences, and the highest positions for
 * `raiseCounter`.
 */
export async function verify(
  deps: IndexDependencies,
  organization: string,
  progress: (testimonials: number) => void,
) {
  const first: Difference[] = [];
  const highest: Record<Axis, number> = { createdAt: 0, updatedAt: 0 };
  let count = 0;
  const onDifference = (difference: Difference) => {
    count += 1;
    if (difference.kind === 'beyond the counter') highest[difference.axis] = difference.at;
    if (first.length < differencesKept) first.push(difference);
  };
  const result = await verifyIndex(deps, organization, onDifference, progress);
  return { organization, result, count, first, highest, differs: count > 0 || result.otherGenerations > 0 };
}

/**
 * Raises the counter past all testimonials, so that no position is given twice. In a backup, items can differ
 * by moments
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/backuprestore_HowItWorks.html).
 */
export async function raiseCounter(
  { testimonials, now }: Pick<IndexDependencies, 'testimonials' | 'now'>,
  { organization, highest }: Verified,
): Promise<void> {
  const last = await testimonials.readCounter(organization);
  const { ordinal, updateOrdinal } = last ?? { ordinal: firstPosition - 1, updateOrdinal: firstPosition - 1 };
  const behind = Math.max(highest.createdAt - ordinal, highest.updatedAt - updateOrdinal);
  if (behind > 0) await testimonials.takeOrdinals(organization, now(), behind);
}
