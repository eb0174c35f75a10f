/** The news that a list has to know beside the index, read together with what that has. */
import type { TestimonialStore } from '../../domain/stores.ts';
import { type IndexStore, isSameHead, noIndex } from '../index-store.ts';
import { type Unindexed, uncoveredMarkers } from './correction.ts';
import { IndexReader } from './index-reader.ts';
import type { ListMemory } from './memory.ts';

export interface ReadDependencies {
  testimonials: TestimonialStore;
  index: IndexStore;
  /** The memory of lists before. */
  memory: ListMemory;
}

/**
 * Learns what lies beside the index, while `begin` reads of the index what it can.
 * @param begin gets the reader whose reads are watched
 * @param goOn reads more of the index while the changed testimonials are read, by all that lies beside it but these
 * @returns the reader, by the head that the list began with, what `begin` gave, and the head as it is now, with what lies beside
 */
export async function readWhatIsNew<Begun>(
  { memory, index, testimonials }: ReadDependencies,
  organization: string,
  begin: (reader: IndexReader) => Promise<Begun>,
  goOn: (begun: Begun, reader: IndexReader, unindexed: Unindexed) => Promise<void>,
) {
  const mine = memory.of(organization);
  for (let head = mine.head ?? (await index.readHead(organization)) ?? noIndex; ; ) {
    const reader = new IndexReader(index, organization, head, mine);
    // One round: nothing here waits for anything else.
    const [begun, recent] = await Promise.all([begin(reader), index.readRecent(organization, head.indexed)]);
    const headNow = recent.head ?? noIndex;
    const isSame = isSameHead(headNow, head);
    mine.head = headNow;
    if (recent.complete) mine.meet(headNow, recent.markers);
    const isRead = (head.hasErased || !headNow.hasErased) && (isSame || !reader.hasRemembered);
    const isOfOne = headNow.generation === head.generation && headNow.identity === head.identity;
    if (isOfOne && recent.complete && isRead) {
      const markers = uncoveredMarkers(head, recent);
      const ordinals = markers.map(({ ordinal }) => ordinal).filter((ordinal) => ordinal < head.indexed);
      const isTailApart = headNow.indexed === head.indexed && (headNow.reach ?? 1) <= head.indexed;
      const known = { tail: recent.tail, changed: [], markers, isTailApart };
      const [changed] = await Promise.all([
        mine.changed(headNow, ordinals, (missing) => testimonials.findMany(organization, missing)),
        goOn(begun, reader, known),
      ]);
      const unindexed = { ...known, changed };
      /**
       * Ends the list, and remembers what it read: false once a bit was read that an index update wrote which began later than
       * `headNow` says. Then it begins again.
       */
      const isWhole = () => {
        if (reader.newestStep > headNow.epoch) return false;
        if (isSame) mine.keep(head, reader.read);
        memory.trim(organization);
        return true;
      };
      return { reader, headNow, unindexed, begun, isWhole };
    }
    // A rebuild switched generations: the postings that were read may be gone. Or the head that was remembered is so old that its tail
    // is long, or that nothing was ever erased, or what was remembered is of before.
    head = headNow;
  }
}
