/** The second phase of a list: it reads the index, the tail and the change markers by one head (rule 16). */
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { TestimonialStore, WalkedRow } from '../../domain/stores.ts';
import type { Ordinal } from '../../domain/testimonial-order.ts';
import { Bitmap } from '../bits/bitmap.ts';
import {
  hasNothing,
  type IndexHead,
  type IndexStore,
  isSameHead,
  noIndex,
  type Recent,
} from '../index-store.ts';
import { type ChunkCounts, IndexReader } from './index-reader.ts';
import type { KnownPage, ListMemory } from './memory.ts';
import { firstPostings, type ListPlan, type PostingRead, planFor, type RowRead, walkOf } from './plan.ts';

export interface ReadDependencies {
  testimonials: TestimonialStore;
  index: IndexStore;
  /** The function's memory of earlier lists. */
  memory: ListMemory;
}

/** The positions that match, group by group, or the counts of each chunk. */
export type IndexRead = { by: 'bits'; groups: Bitmap[] } | { by: 'counts'; counts: ChunkCounts[] };

/** Everything that a list read in its first round, by a head that the table confirmed. */
export interface ListRead {
  organization: string;
  head: IndexHead;
  /** The plan for that head. */
  plan: ListPlan;
  reader: IndexReader;
  /** The tail and the change markers. */
  recent: Recent;
  /** The page that this function found earlier for the same query and head. */
  knownPage: KnownPage | undefined;
  /** Absent if the page is known. */
  index: IndexRead | undefined;
  /** Rows read at once: those of the known page, or the first ones of the secondary index. */
  rows: WalkedRow[] | undefined;
}

/**
 * Reads by the remembered head while asking the table for the newest one. If the two differ, drops everything that was read and begins
 * again with the newest.
 */
export async function readByOneHead(
  { memory, index, testimonials }: ReadDependencies,
  organization: string,
  planned: ListPlan,
): Promise<ListRead> {
  const remembered = memory.of(organization);
  for (let head = remembered.head ?? (await index.readHead(organization)) ?? noIndex; ; ) {
    const plan = planFor(planned, head);
    const reader = new IndexReader(index, organization, head, remembered);
    const knownPage = remembered.page(head, plan.key);
    const rowRead = knownPage?.read ?? (plan.walkAtOnce ? walkOf(plan) : undefined);
    // One round: none of the three waits for another.
    const [recent, indexRead, rows] = await Promise.all([
      index.readRecent(organization, head.indexed),
      knownPage ? undefined : readIndex(reader, plan),
      rowRead && readRows(testimonials, organization, rowRead),
    ]);
    const newest = recent.head ?? noIndex;
    if (isSameHead(newest, head)) {
      return { organization, head, plan, reader, recent, knownPage, index: indexRead, rows };
    }
    head = newest;
  }
}

/** Reads the postings or the counts of a plan, in one round. */
export async function readIndex(reader: IndexReader, plan: ListPlan): Promise<IndexRead> {
  // Without an index all testimonials are tail.
  const isEmpty = hasNothing(reader.head);
  if (plan.bySummary) {
    if (isEmpty) return { by: 'counts', counts: [] };
    const [counts] = await Promise.all([
      reader.counts(plan.axis),
      reader.chunks(firstPostings(plan, reader.head)),
    ]);
    return { by: 'counts', counts };
  }
  const ofGroups = plan.groups.terms.map((terms) =>
    terms.map((term): PostingRead => ({ kind: 'facet', term })),
  );
  const reads = [...plan.allOf, ...ofGroups].flat();
  const positions = isEmpty ? [] : await reader.positions(plan.axis, reads);
  const bitmaps = new Map(reads.map((read, i) => [read, positions[i] ?? new Bitmap()]));
  const intersect = (allOf: readonly PostingRead[][]) =>
    allOf
      .map((anyOf) => anyOf.reduce((all, read) => all.or(bitmaps.get(read) ?? all), new Bitmap()))
      .reduce((all, clause) => all.and(clause));
  const matching = intersect(plan.allOf);
  const groups = ofGroups.map((facets) =>
    facets.reduce((group, facet) => group.and(bitmaps.get(facet) ?? group), matching.clone()),
  );
  return { by: 'bits', groups };
}

/** Reads rows with eventual consistency: testimonials that changed within the last seconds are unindexed. */
export async function readRows(
  testimonials: TestimonialStore,
  organization: string,
  read: RowRead,
): Promise<WalkedRow[]> {
  if (read.by === 'ordinal') {
    const rows = await readLagging(testimonials, organization, read.ordinals);
    return rows.map((stored) => ({ ordinal: stored.ordinal, updateOrdinal: stored.updateOrdinal, stored }));
  }
  for await (const rows of testimonials.walk(organization, read.options)) return rows;
  return [];
}

/** Gets testimonials by their ordinals, with eventual consistency. */
export async function readLagging(
  testimonials: TestimonialStore,
  organization: string,
  ordinals: Ordinal[],
): Promise<StoredTestimonial[]> {
  return ordinals.length > 0 ? testimonials.findMany(organization, ordinals, { consistent: false }) : [];
}

/**
 * Ends a list, and remembers its index reads and its page (rule 39).
 * @returns false if the list met bits of an index update that began after its head: it has to begin again
 */
export function remember({ memory }: ReadDependencies, read: ListRead, page?: KnownPage): boolean {
  const { organization, head, reader, plan } = read;
  if (reader.newestStep > head.epoch) return false;
  const remembered = memory.of(organization);
  remembered.keep(head, reader.read);
  if (page) remembered.keepPage(head, plan.key, page);
  memory.trim(organization);
  return true;
}
