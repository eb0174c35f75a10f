/** What a list has to know beside the index: what this does not have yet, read together with what it has. */
import type { TestimonialStore } from '../../domain/stores.ts';
import { type IndexHead, type IndexStore, noIndex, type StoredBits } from '../index-store.ts';
import { type Beside, uncoveredMarkers } from './correction.ts';

/** Remembers heads; a Map does. */
export interface HeadCache {
  get(organization: string): IndexHead | undefined;
  set(organization: string, head: IndexHead): unknown;
}

export interface ReadDependencies {
  testimonials: TestimonialStore;
  index: IndexStore;
  /** Heads met before, by organization. An old one only makes the tail longer. */
  heads: HeadCache;
}

/** What was read of an organization's index and beside it. */
export interface WhatIsNew<Begun> {
  /** That the bits are read by. */
  head: IndexHead;
  headNow: IndexHead;
  beside: Beside;
  /** What `begin` gave. */
  begun: Begun;
  /** False once a bit was read that an index update wrote which began later than `headNow` says. */
  isWhole: () => boolean;
}

/**
 * Learns what lies beside the index, while `begin` reads of the index what it can.
 * @param begin gets the store whose reads are watched
 */
export async function readWhatIsNew<Begun>(
  { heads, index: store, testimonials }: ReadDependencies,
  organization: string,
  begin: (head: IndexHead, index: IndexStore) => Promise<Begun>,
): Promise<WhatIsNew<Begun>> {
  const { index, newestStep } = watched(store);
  for (let head = heads.get(organization) ?? (await index.readHead(organization)) ?? noIndex; ; ) {
    // One round: nothing here waits for anything else.
    const [begun, recent] = await Promise.all([
      begin(head, index),
      index.readRecent(organization, head.indexed),
    ]);
    const headNow = recent.head ?? noIndex;
    heads.set(organization, headNow);
    const isRead = head.hasErased || !headNow.hasErased;
    if (headNow.generation === head.generation && recent.complete && isRead) {
      const markers = uncoveredMarkers(head, recent);
      const ordinals = markers.map(({ ordinal }) => ordinal).filter((ordinal) => ordinal < head.indexed);
      const changed = ordinals.length > 0 ? await testimonials.findMany(organization, ordinals) : [];
      const isWhole = () => newestStep() <= headNow.epoch;
      const isTailApart = headNow.indexed === head.indexed && (headNow.reach ?? 1) <= head.indexed;
      const beside = { tail: recent.tail, changed, markers, isTailApart };
      return { head, headNow, beside, begun, isWhole };
    }
    // A rebuild switched generations: the postings that were read may be gone. Or the head that was remembered
    // is so old that its tail is long, or that nothing was ever erased.
    head = headNow;
  }
}

/**
 * The store, and the newest step that anything read of it knows of. An index update raises the head's epoch before it
 * writes, and after it has read the markers: whoever reads the head, then the markers, and no bit of a newer step than the
 * head's, has seen the marker of every change that is in the bits, whatever the clocks say and whoever paused.
 */
function watched(index: IndexStore): { index: IndexStore; newestStep: () => number } {
  let newest = 0;
  const see = (step: number) => {
    newest = Math.max(newest, step);
  };
  const seeBits = (found: StoredBits[]) => {
    for (const { step } of found) see(step);
    return found;
  };
  return {
    newestStep: () => newest,
    index: {
      ...index,
      readTerm: async (...args) => seeBits(await index.readTerm(...args)),
      readWords: async (...args) => seeBits(await index.readWords(...args)),
      async readPostings(...args) {
        const found = await index.readPostings(...args);
        for (const each of found) if (each) see(each.step ?? each.epoch);
        return found;
      },
    },
  };
}
