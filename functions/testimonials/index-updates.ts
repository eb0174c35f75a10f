/** Keeps the list indexes up to date. */
import type { StreamChange } from '../domain/outcomes.ts';
import type { Unreadable } from '../domain/unreadable.ts';
import type { Table } from '../dynamodb/table.ts';
import { FencedOff } from './list-index/write/posting-edits.ts';
import { type RenewalDependencies, renewIndexes } from './list-index/write/renew-indexes.ts';
import { type IndexUpdateReport, updateIndex } from './list-index/write/update-index.ts';
import { shareOfStep } from './list-index/write/update-step.ts';
import { indexStore } from './table/index-store.ts';
import { renewalStore } from './table/renewal-store.ts';
import { positionsOf } from './table/stream-items.ts';
import { testimonialStore } from './table/testimonial-store.ts';

/** An update of one index. */
export type IndexUpdate = Omit<IndexUpdateReport, 'isBeingRebuilt'>;

export interface UpdateTurn {
  /** No step begins after this time, in milliseconds since 1970. */
  until: number;
  /** The number of organizations that are updated at once. They share the limits of one step. */
  sharedBy: number;
}

export interface IndexUpdates {
  /**
   * Updates an organization's index until everything that is due is indexed, or its turn is over.
   * @returns undefined if another process updates or rebuilds it
   * @throws {NewerTerms} if only a newer version of this service can update it
   */
  update(organization: string, turn: UpdateTurn): Promise<IndexUpdate | undefined>;

  /** Requests another update, which arrives with the stream after the records before it. */
  request(organization: string): Promise<void>;

  /** Returns the ids of the erased testimonials among changed ones, in no particular order. */
  erasedAmong(organization: string, changes: readonly StreamChange[]): Promise<string[]>;

  /** Requests the rebuild of every index that other rules built. */
  beginRenewal(): Promise<void>;

  /**
   * Continues a requested renewal, one organization after another, without waiting for a rebuild.
   * @param options begins no organization after `until`, in milliseconds since 1970; `onUnreadable`
   * receives the error of each unreadable index, which is skipped
   * @returns the organizations whose rebuilds it began or tried to begin
   */
  renew(options: { until: number; onUnreadable: (error: Unreadable) => void }): Promise<string[]>;
}

/** Opens the index updates of a table, once for each process. */
export function openIndexUpdates(table: Table): IndexUpdates {
  return indexUpdatesOn({
    testimonials: testimonialStore(table),
    index: indexStore(table),
    renewals: renewalStore(table),
    now: table.now,
  });
}

/** Like `openIndexUpdates`, on any stores. */
export function indexUpdatesOn(deps: RenewalDependencies): IndexUpdates {
  const { testimonials, index, renewals, now } = deps;
  return {
    async update(organization, { until, sharedBy }) {
      try {
        const options = { until, limits: shareOfStep(sharedBy) };
        const { isBeingRebuilt: _, ...update } = await updateIndex(deps, organization, options);
        return update;
      } catch (error) {
        if (error instanceof FencedOff) return undefined;
        throw error;
      }
    },
    request: (organization) => index.requestIndexUpdate(organization, now()),
    erasedAmong: (organization, changes) => testimonials.findErased(organization, positionsOf(changes)),
    beginRenewal: () => renewals.begin(now()),
    renew: (options) => renewIndexes(deps, options),
  };
}
