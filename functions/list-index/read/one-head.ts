/** A list reads by one head: the one that its function remembers, as soon as the table says that it is still the newest. */
import type { TestimonialStore } from '../../domain/stores.ts';
import { type IndexHead, type IndexStore, isSameHead, noIndex } from '../index-store.ts';
import { type Unindexed, uncoveredMarkers } from './correction.ts';
import { IndexReader } from './index-reader.ts';
import type { ListMemory } from './memory.ts';

export interface ReadDependencies {
  testimonials: TestimonialStore;
  index: IndexStore;
  /** The function's memory of earlier lists. */
  memory: ListMemory;
}

/** A list whose head is confirmed. */
export interface ListByHead<Begun> {
  head: IndexHead;
  reader: IndexReader;
  begun: Begun;
  unindexed: Unindexed;
  /**
   * Ends the list and remembers its index reads. False if it met bits of an index update that began after its head: the
   * list has to begin again.
   */
  keep: () => boolean;
}

/**
 * Reads the unindexed testimonials, while `begin` reads the index by the remembered head. If the table has another head, all of this
 * is dropped, and the list begins again with that one (rule 16).
 * @param begin reads as much of the index as it can before the unindexed testimonials are known
 * @param goOn reads more of the index while the changed testimonials are read
 */
export async function readByOneHead<Begun>(
  { memory, index, testimonials }: ReadDependencies,
  organization: string,
  begin: (reader: IndexReader) => Promise<Begun>,
  goOn: (begun: Begun, reader: IndexReader, unindexed: Unindexed) => Promise<void>,
): Promise<ListByHead<Begun>> {
  const mine = memory.of(organization);
  for (let head = mine.head ?? (await index.readHead(organization)) ?? noIndex; ; ) {
    const reader = new IndexReader(index, organization, head, mine);
    // One round: neither read waits for the other.
    const [begun, recent] = await Promise.all([begin(reader), index.readRecent(organization, head.indexed)]);
    const newest = recent.head ?? noIndex;
    if (!isSameHead(newest, head)) {
      head = newest;
      continue;
    }
    mine.update(head, recent.markers);
    const markers = uncoveredMarkers(head, recent);
    const ofIndexed = new Set(markers.flatMap(({ ordinal }) => (ordinal < head.indexed ? ordinal : [])));
    // Covered markers, too, tell whether the remembered testimonial is the newest.
    const changes = recent.markers.filter(({ ordinal }) => ofIndexed.has(ordinal));
    const isTailApart = (head.reach ?? 1) <= head.indexed;
    const known = { tail: recent.tail, changed: [], markers, isTailApart };
    const [changed] = await Promise.all([
      mine.changed(head, changes, (missing) => testimonials.findMany(organization, missing)),
      goOn(begun, reader, known),
    ]);
    const keep = () => {
      if (reader.newestStep > head.epoch) return false;
      mine.keep(head, reader.read);
      memory.trim(organization);
      return true;
    };
    return { head, reader, begun, unindexed: { ...known, changed }, keep };
  }
}
