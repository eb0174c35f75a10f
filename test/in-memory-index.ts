/** The store of functions/list-index/index-store.ts in memory. */
import type { TestimonialStore } from '../functions/domain/stores.ts';
import type {
  IndexHead,
  IndexStore,
  PostingRef,
  StoredPosting,
} from '../functions/list-index/index-store.ts';

interface Posting {
  organization: string;
  generation: number;
  ref: PostingRef;
  bytes: Uint8Array;
}

export interface InMemoryIndex {
  index: IndexStore;
  /** Called before each write with its name; what it throws fails the write. */
  beforeWrite: (name: string) => void;
}

/** Makes an empty index of a store's testimonials. Every method first awaits, so that concurrent callers interleave. */
export function inMemoryIndex(testimonials: TestimonialStore): InMemoryIndex {
  const heads = new Map<string, IndexHead>();
  const leases = new Map<string, { owner: string; until: number }>();
  const postings = new Map<string, Posting>();
  const keyOf = (organization: string, generation: number, { posting, chunk }: PostingRef) =>
    JSON.stringify([organization, generation, posting, chunk]);
  const state: InMemoryIndex = { index: {} as IndexStore, beforeWrite: () => {} }; // filled below
  const atOnce = async <T>(action: () => T): Promise<T> => {
    await Promise.resolve();
    return action();
  };
  const write = <T>(name: string, action: () => T) =>
    atOnce(() => {
      state.beforeWrite(name);
      return action();
    });
  const matching = (test: (posting: Posting) => boolean): StoredPosting[] =>
    [...postings.values()].filter(test).map(({ ref, bytes }) => ({ chunk: ref.chunk, bytes }));

  state.index = {
    readHead: (organization) => atOnce(() => heads.get(organization)),
    async readRecent(organization, ordinal) {
      const pages = await Array.fromAsync(testimonials.from(organization, ordinal));
      const changes = await testimonials.announcedChanges(organization);
      const head = await atOnce(() => heads.get(organization));
      return { tail: pages.flat(), changes, head, overtaken: false };
    },
    readTerm: (organization, generation, term) =>
      atOnce(() =>
        matching(
          ({ ref, ...its }) =>
            its.organization === organization &&
            its.generation === generation &&
            'term' in ref.posting &&
            ref.posting.term === term,
        ),
      ),
    readWords: (organization, generation, prefix) =>
      atOnce(() =>
        matching(
          ({ ref, ...its }) =>
            its.organization === organization &&
            its.generation === generation &&
            'word' in ref.posting &&
            ref.posting.word.startsWith(prefix),
        ),
      ),
    readPostings: (organization, generation, refs) =>
      atOnce(() => refs.map((ref) => postings.get(keyOf(organization, generation, ref))?.bytes)),
    replacePosting: (organization, generation, ref, previous, next) =>
      write('replacePosting', () => {
        const key = keyOf(organization, generation, ref);
        const there = postings.get(key)?.bytes;
        if (
          there === undefined ? previous !== undefined : !previous || Buffer.compare(there, previous) !== 0
        ) {
          return false;
        }
        postings.set(key, { organization, generation, ref, bytes: next });
        return true;
      }),
    async *scanPostings(organization) {
      await Promise.resolve();
      yield [...postings.values()].filter((posting) => posting.organization === organization);
    },
    deletePostings: (organization, generation, refs) =>
      write('deletePostings', () => {
        for (const ref of refs) postings.delete(keyOf(organization, generation, ref));
      }),
    replaceHead: (organization, previous, next) =>
      write('replaceHead', () => {
        if (JSON.stringify(heads.get(organization)) !== JSON.stringify(previous)) return false;
        heads.set(organization, next);
        return true;
      }),
    takeLease: (organization, owner, now, until) =>
      atOnce(() => {
        const lease = leases.get(organization);
        if (lease && lease.owner !== owner && lease.until >= now) return false;
        leases.set(organization, { owner, until });
        return true;
      }),
    releaseLease: (organization, owner) =>
      atOnce(() => {
        if (leases.get(organization)?.owner === owner) leases.delete(organization);
      }),
  };
  return state;
}
