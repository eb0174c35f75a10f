/** The state of list indexes, their updates, rebuilds and comparisons, for operators. */
import type { Table } from '../dynamodb/table.ts';
import { noIndex } from './list-index/index-store.ts';
import { paceOf } from './list-index/write/await-index.ts';
import { awaitWordRemoval, hasWordsToRemove } from './list-index/write/await-word-removal.ts';
import { removeOldGenerations } from './list-index/write/generations.ts';
import { type IndexStatus, readIndexStatus } from './list-index/write/index-status.ts';
import { ownIndexing, updateIndexAlongside } from './list-index/write/indexing.ts';
import type { RebuildOutcome } from './list-index/write/rebuild.ts';
import {
  type RebuildWork,
  raiseCounter,
  rebuildToTheEnd,
  type Verification,
  verify,
} from './list-index/write/repair.ts';
import { wholeTail } from './list-index/write/update-index.ts';
import { indexStore } from './table/index-store.ts';
import { removeOrganization } from './table/remove-organization.ts';
import { testimonialStore } from './table/testimonial-store.ts';

export type { Verification };

const firstGeneration = 1;

type Sleep = (milliseconds: number) => Promise<unknown>;

interface Pacing {
  /** Waits in real time by default. */
  sleep?: Sleep | undefined;
  /** Called with the number of changes that the index still lacks, at each check during a pause. */
  onWait: (outstanding: number) => void;
}

/** The maintenance of an organization's list index. Each operation can be stopped and repeated. */
export interface Maintenance {
  /** @throws {Unreadable} if the head cannot be read */
  status(): Promise<IndexStatus>;

  /**
   * True while an import or a seed has stored testimonials that no list shows yet.
   * @throws {Unreadable} if the head cannot be read
   */
  isLoading(): Promise<boolean>;

  /** True if no testimonial was ever created. */
  isUnused(): Promise<boolean>;

  /** @throws {OtherLayout} if another version of this service wrote the items */
  checkLayout(): Promise<void>;

  /**
   * Indexes everything, even if an update is not worthwhile yet. The index function may update the index at
   * the same time.
   */
  update(): Promise<void>;

  /**
   * Rebuilds the index, which ends a load, and updates it.
   * @returns `held by another` if another process rebuilds it, or was killed less than two minutes ago
   */
  rebuild(work: RebuildWork): Promise<RebuildOutcome['kind']>;

  /**
   * Removes the postings of old generations, once no list reads them.
   * @param sleep awaited before the removal, if there is anything to remove
   * @param options.fromFirst true to check also generations that were removed before, which late writes may
   * have reached
   */
  removeOldGenerations(sleep: Sleep, options?: { fromFirst?: boolean }): Promise<void>;

  /** True if an index update has words of erased testimonials or old generations to remove. */
  hasWordsToRemove(): Promise<boolean>;

  /** Waits until no word of an erased testimonial is left. Finishes an abandoned rebuild. */
  awaitWordRemoval(sleep: Sleep): Promise<void>;

  /** True if the index has a word that begins with a text. */
  hasWord(start: string): Promise<boolean>;

  /**
   * Compares the index with the testimonials.
   * @param progress called with the number of testimonials read
   */
  verify(progress?: (testimonials: number) => void): Promise<Verification>;

  /** Raises the counter past all testimonials if it is too low, so that no position is used twice. */
  raiseCounter(verification: Verification): Promise<void>;

  /**
   * Returns a function to await before each block of changes; it takes their number. It waits while the index
   * is too far behind.
   */
  pace(pacing: Pacing): (changes: number) => Promise<void>;

  /**
   * Deletes everything of the organization, in rounds until a round finds nothing, because running requests
   * may still write.
   * @param idempotencyKeys the idempotency keys of its creates; other keys expire by themselves
   * @param options `prepare` is awaited before each round
   */
  remove(
    idempotencyKeys: Iterable<string>,
    options: { sleep: Sleep; prepare: () => Promise<void> },
  ): Promise<void>;
}

export { ownIndexing };

/** Returns the maintenance of one organization. */
export type OpenMaintenance = (organization: string) => Maintenance;

/** Opens maintenance on a table, once for each process. The time is the database's by default. */
export function openMaintenance(table: Table, now: () => Date = table.now): OpenMaintenance {
  const deps = { testimonials: testimonialStore(table), index: indexStore(table), now };
  const { testimonials, index } = deps;
  return (organization) => ({
    status: () => readIndexStatus(deps, organization),
    isLoading: async () => (await index.readHead(organization))?.load !== undefined,
    isUnused: async () => (await testimonials.readCounter(organization)) === undefined,
    async checkLayout() {
      await index.readHead(organization);
      await testimonials.from(organization, 0, { limit: 1 }).next();
    },
    update: () => updateIndexAlongside(deps, organization, wholeTail),
    rebuild: (work) => rebuildToTheEnd(deps, organization, work),
    async removeOldGenerations(sleep, { fromFirst = false } = {}) {
      const head = (await index.readHead(organization)) ?? noIndex;
      const options = { sleep, ...(fromFirst && { from: firstGeneration }) };
      await removeOldGenerations(index, organization, head, options);
    },
    hasWordsToRemove: () => hasWordsToRemove(deps, organization),
    awaitWordRemoval: (sleep) => awaitWordRemoval(deps, organization, sleep),
    async hasWord(start) {
      const { generation } = (await index.readHead(organization)) ?? noIndex;
      return (await index.readWords(organization, generation, start)).length > 0;
    },
    verify: (progress = () => {}) => verify(deps, organization, progress),
    raiseCounter: (verification) => raiseCounter(deps, organization, verification),
    pace: ({ sleep, onWait }) =>
      paceOf({ ...deps, indexing: ownIndexing, sleep, progress: onWait }, organization),
    remove: (idempotencyKeys, options) => removeOrganization(table, organization, idempotencyKeys, options),
  });
}
