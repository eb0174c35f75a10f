/**
 * All stores in memory, for tests without an engine. Every call first awaits, so that concurrent callers
 * interleave.
 */
import {
  type ErasedTestimonial,
  isPartial,
  type StoredTestimonial,
} from '../../functions/domain/stored-testimonial.ts';
import { comparison, firstPosition, sortPosition } from '../../functions/domain/testimonial-order.ts';
import type {
  IndexHead,
  IndexStore,
  Posting,
  PostingRef,
  RenewalRequest,
  RenewalStore,
} from '../../functions/testimonials/list-index/index-store.ts';
import {
  nameOf,
  type PostingPartition,
  partitionOf,
  partitionOfWords,
} from '../../functions/testimonials/list-index/index-terms.ts';
import type { EventItemStore } from '../../functions/testimonials/model/event-item-store.ts';
import type {
  IdempotencyKeyStore,
  IdempotencyRecord,
} from '../../functions/testimonials/model/idempotency-key-store.ts';
import type {
  ChangeMarker,
  CounterValue,
  ErasureTexts,
  TestimonialStore,
} from '../../functions/testimonials/model/testimonial-store.ts';
import type { Backend, StreamedWrite, TestimonialStream } from './backend.ts';
import { interleaving } from './interleaving.ts';
import { bucketInMemory, type MemoryObject } from './memory-bucket.ts';

const keyLifetimeMs = 24 * 60 * 60 * 1000;

export interface InMemoryBackend extends Backend {
  /** Stops the secondary indexes, which lag from then on, as real ones may for a while. */
  freeze(): void;
  /** The organizations of requested index updates, in order. */
  requests: string[];
  /** Everything stored, as text, except the idempotency keys, which have no text of a customer. */
  text(): string;
  items: Items;
  /** No imports. */
  eventItems: EventItemStore;
  bucket: NonNullable<Backend['bucket']>;
  stream: NonNullable<Backend['stream']>;
  renewals: RenewalStore & { request: RenewalRequest | undefined };
  /** The same items in other stores. */
  clone(): InMemoryBackend;
  /** The testimonials of an organization, at once. */
  stored(organization: string): StoredTestimonial[];
}

const sealed = 'sealed';

/** The item at a position: a testimonial, or the reason why there is none. */
type Place = StoredTestimonial | typeof sealed | ErasedTestimonial;

type StoredKey = { record: IdempotencyRecord; expires: number };
type StoredPosting = Posting & { ref: PostingRef };

/** All items. None is changed in place. */
const noItems = () => ({
  counters: new Map<string, CounterValue>(),
  heads: new Map<string, IndexHead>(),
  keys: new Map<string, StoredKey>(),
  tables: new Map<string, Map<number, Place>>(),
  markers: new Map<string, Map<number, ChangeMarker>>(),
  erasures: new Map<string, Map<number, ErasureTexts>>(),
  postings: new Map<string, Map<string, StoredPosting>>(),
  objects: new Map<string, MemoryObject>(),
  /** The records that the stream has delivered, by position. */
  delivered: new Map<string, Map<number, StreamedWrite['kind']>>(),
});
export type Items = ReturnType<typeof noItems>;

function copyOf(items: Items): Items {
  const copy = (map: Map<unknown, unknown>): typeof map =>
    new Map(Array.from(map, ([key, item]) => [key, item instanceof Map ? copy(item) : item]));
  return Object.fromEntries(Object.entries(items).map(([name, map]) => [name, copy(map)])) as Items;
}

/** @param rowsPerPage the most testimonials of one call */
export function inMemoryBackend(items: Items = noItems(), rowsPerPage = 3): InMemoryBackend {
  const requests: string[] = [];
  const table = testimonialsInMemory(items, rowsPerPage);
  const { index, ...postings } = indexInMemory(items, table.testimonials, requests);
  return {
    testimonials: table.testimonials,
    idempotencyKeys: idempotencyKeysInMemory(items),
    index,
    bucket: bucketInMemory(items.objects),
    requests,
    renewals: renewalsInMemory(items),
    freeze: table.freeze,
    text: () => `${table.text()}\n${postings.text()}`,
    items,
    clone: () => inMemoryBackend(copyOf(items), rowsPerPage),
    stored: table.stored,
    eventItems: table.eventItems,
    stream: table.stream,
  };
}

/** The organizations are those that were ever indexed. */
function renewalsInMemory({ heads }: Items): InMemoryBackend['renewals'] {
  let ids = 0;
  const state: Pick<InMemoryBackend['renewals'], 'request'> = { request: undefined };
  const store = interleaving<RenewalStore>({
    async *organizations(from) {
      await Promise.resolve();
      yield* [...heads.keys()].filter((name) => name >= from).sort();
    },
    read: () => state.request,
    begin() {
      ids += 1;
      state.request = { id: String(ids), from: '' };
    },
    continueFrom({ id }, from) {
      if (state.request?.id === id) state.request = { id, from };
    },
    end({ id }) {
      if (state.request?.id === id) state.request = undefined;
    },
  });
  return Object.assign(state, store);
}

function isRow(place: Place): place is StoredTestimonial {
  return place !== sealed && 'testimonial' in place;
}

const read = new WeakMap<StoredTestimonial, StoredTestimonial>();

/** Returns a row without the members that only events read, the same object each time. */
function asRead(row: StoredTestimonial): StoredTestimonial {
  const { change: _, isLoaded: __, ...rest } = row;
  return member(read, row, () => rest);
}

/** Returns a key of several parts. */
export function memoryKey(...parts: unknown[]): string {
  return JSON.stringify(parts);
}

/** Refuses a range whose end is before its beginning, as DynamoDB does. */
function refuseReversed<Key extends number | string>(from: Key, to: Key): void {
  if (from > to)
    throw new Error('The BETWEEN operator requires upper bound to be greater than or equal to lower bound');
}

/** Returns the value of a key, and makes it the first time. */
function member<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

function testimonialsInMemory(items: Items, rowsPerPage: number) {
  const { counters, tables, markers, erasures, delivered } = items;
  let frozen: Map<string, StoredTestimonial[]> | undefined;

  const tableOf = (organization: string) => member(tables, organization, () => new Map<number, Place>());
  const markersOf = (organization: string) =>
    member(markers, organization, () => new Map<number, ChangeMarker>());
  const erasuresOf = (organization: string) =>
    member(erasures, organization, () => new Map<number, ErasureTexts>());
  const stored = (organization: string) =>
    [...tableOf(organization).values()]
      .filter(isRow)
      .map(asRead)
      .sort((a, b) => a.ordinal - b.ordinal);
  /** Returns the rows of the secondary indexes. */
  const shown = (organization: string) => (frozen ? (frozen.get(organization) ?? []) : stored(organization));
  const rowAt = (organization: string, ordinal: number) => {
    const item = tableOf(organization).get(ordinal);
    return item && isRow(item) ? asRead(item) : undefined;
  };
  const take = (
    organization: string,
    now: Date,
    [ordinals, updateOrdinals]: [number, number],
    endsHistory = updateOrdinals > 0,
  ) => {
    const before = { ordinal: firstPosition - 1, updateOrdinal: firstPosition - 1, time: '' };
    const last: CounterValue = counters.get(organization) ?? before;
    const time = last.time > now.toISOString() ? last.time : now.toISOString();
    const next = {
      ...last,
      ordinal: last.ordinal + ordinals,
      updateOrdinal: last.updateOrdinal + updateOrdinals,
      time,
      ...(endsHistory && { historyEnd: last.historyEnd ?? time }),
    };
    counters.set(organization, next);
    return next;
  };
  const putIfFree = (organization: string, ordinal: number, item: Place) => {
    if (!tableOf(organization).has(ordinal)) tableOf(organization).set(ordinal, item);
    return rowAt(organization, ordinal);
  };
  const isErased = (organization: string, id: string) =>
    tableOf(organization)
      .values()
      .some((each) => each !== sealed && 'erased' in each && each.erased === id);
  const standingAt = (organization: string, ordinals: readonly number[]) =>
    [...new Set(ordinals)].flatMap((ordinal) => {
      const item = tableOf(organization).get(ordinal) ?? sealed;
      return item === sealed ? [] : item;
    });
  /** Replaces a row that is still of the version it was read with. */
  const replace = (
    organization: string,
    { ordinal, version }: Pick<StoredTestimonial, 'ordinal' | 'version'>,
    next: (item: StoredTestimonial) => Place,
  ) => {
    const item = tableOf(organization).get(ordinal);
    if (!item || !isRow(item) || item.version !== version) return false;
    tableOf(organization).set(ordinal, next(item));
    return true;
  };

  const testimonials = interleaving<TestimonialStore>({
    reserveOrdinals: (organization, now, count = 1) => take(organization, now, [count, count]),
    beginCounting(organization, { last, ...first }) {
      if (!counters.has(organization))
        counters.set(organization, { ordinal: last, updateOrdinal: last, ...first });
      return counters.get(organization)?.load === first.load;
    },
    raiseTime: (organization, time) => take(organization, new Date(time), [0, 0]),
    reopenHistory(organization, { ordinal, updateOrdinal }) {
      const item = counters.get(organization);
      if (item?.ordinal !== ordinal || item.updateOrdinal !== updateOrdinal) return;
      const { historyEnd: _, ...rest } = item;
      counters.set(organization, rest);
    },
    readCounter: (organization) => counters.get(organization),
    reserveUpdateOrdinal: (organization, now, reason = 'change', count = 1) =>
      take(organization, now, [0, count], reason === 'change'),
    insert(organization, row) {
      putIfFree(organization, row.ordinal, row);
      const item = tableOf(organization).get(row.ordinal) ?? sealed;
      if (item === sealed) return sealed;
      const { id } = row.testimonial;
      if ('erased' in item) return item.erased === id ? 'erased' : 'occupied';
      return item.testimonial.id === id ? asRead(item) : 'occupied';
    },
    sealPosition: (organization, ordinal) => putIfFree(organization, ordinal, sealed),
    find: rowAt,
    // Each item here can be read.
    findReadableParts: () => undefined,
    eraseUnreadable: () => false,
    findMany(organization, ordinals) {
      const wanted = new Set(ordinals);
      return stored(organization).filter(({ ordinal }) => wanted.has(ordinal));
    },
    async *from(organization, ordinal, { limit = rowsPerPage } = {}) {
      for (let next = ordinal; ; ) {
        await Promise.resolve();
        const rest = stored(organization).filter((row) => row.ordinal >= next);
        const page = rest.slice(0, limit);
        yield page;
        const last = page.at(-1);
        if (!last || page.length === rest.length) return;
        next = last.ordinal + 1;
      }
    },
    async *walk(organization, { status, sort, order, limit = rowsPerPage, between }) {
      const keyOf = (place: number[]) => place.map((each) => String(each).padStart(12, '0')).join('#');
      const isWithin = (row: StoredTestimonial) => {
        const key = keyOf(sortPosition(sort, row));
        return !between || (key >= keyOf(between[0]) && key <= keyOf(between[1]));
      };
      if (between) refuseReversed(keyOf(between[0]), keyOf(between[1]));
      const rows = shown(organization)
        .filter(({ testimonial }) => status === undefined || testimonial.status === status)
        .filter(isWithin)
        .sort(comparison(sort, order));
      for (let i = 0; i < rows.length; i += limit) {
        await Promise.resolve();
        yield rows.slice(i, i + limit).map((stored) => {
          const { ordinal, updateOrdinal, testimonial } = stored;
          return { ordinal, updateOrdinal, ...(!isPartial(testimonial) && { stored }) };
        });
      }
    },
    putChangeMarkers(organization, some) {
      for (const each of some) markersOf(organization).set(each.updateOrdinal, each);
    },
    async *changeMarkers(organization) {
      for (let last = 0; ; ) {
        await Promise.resolve();
        const rest = [...markersOf(organization).values()]
          .filter(({ updateOrdinal }) => updateOrdinal > last)
          .sort((a, b) => a.updateOrdinal - b.updateOrdinal);
        // Few markers come in two pages; thousands do not come in thousands.
        const page = rest.slice(0, Math.max(2, rest.length / 2));
        yield page;
        if (page.length === rest.length) return;
        last = page.at(-1)?.updateOrdinal ?? last;
      }
    },
    deleteChangeMarkers(organization, updateOrdinals) {
      for (const each of updateOrdinals) markersOf(organization).delete(each);
    },
    putErasureTexts(organization, texts) {
      for (const each of texts) erasuresOf(organization).set(each.updateOrdinal, each);
    },
    async *erasureTexts(organization) {
      await Promise.resolve();
      const all = [...erasuresOf(organization).values()];
      yield all.sort((a, b) => a.updateOrdinal - b.updateOrdinal);
    },
    deleteErasureTexts(organization, updateOrdinals) {
      for (const each of updateOrdinals) erasuresOf(organization).delete(each);
    },
    writeChange: (organization, previous, { testimonial: { status, tags, updatedAt }, ...next }) =>
      replace(organization, previous, (item) => ({
        ...item,
        testimonial: { ...item.testimonial, status, updatedAt, ...(tags && { tags }) },
        updateOrdinal: next.updateOrdinal,
        ...(next.previousUpdateOrdinal && { previousUpdateOrdinal: next.previousUpdateOrdinal }),
        ...(next.change && { change: next.change }),
        version: next.version,
      })),
    sealVersion: (organization, row) =>
      replace(organization, row, (item) => ({ ...item, version: row.version + 1 })),
    erase(organization, { ordinal, testimonial: { id: erased }, ...row }, erasure) {
      const isRewrite = replace(organization, { ordinal, ...row }, () => ({ erased, ordinal, ...erasure }));
      return isRewrite || isErased(organization, erased);
    },
    wasErased: isErased,
    findErased: (organization, ordinals) =>
      standingAt(organization, ordinals).flatMap((item) => ('erased' in item ? item.erased : [])),
  });
  const eventItems = interleaving<EventItemStore>({ atPositions: standingAt, endedImports: () => [] });
  const deliveredOf = (organization: string) =>
    member(delivered, organization, () => new Map<number, StreamedWrite['kind']>());
  const stream = interleaving<TestimonialStream>({
    pending: (organization) =>
      [...tableOf(organization)].flatMap(([ordinal, item]) => {
        if (item === sealed) return [];
        const kind = isRow(item) ? 'stored' : 'erased';
        const before = deliveredOf(organization).get(ordinal);
        return kind === before ? [] : { ordinal, kind, isNew: before === undefined };
      }),
    deliver(organization, writes) {
      for (const { ordinal, kind } of writes) deliveredOf(organization).set(ordinal, kind);
    },
  });
  return {
    testimonials,
    eventItems,
    stream,
    stored,
    freeze: () => {
      frozen ??= new Map([...tables.keys()].map((organization) => [organization, stored(organization)]));
    },
    text: () =>
      JSON.stringify(
        [...tables.values(), ...markers.values(), ...erasures.values()].map((each) => [...each.values()]),
      ),
  };
}

function idempotencyKeysInMemory({ keys }: Items): IdempotencyKeyStore {
  const find = (organization: string, key: string, now: Date) => {
    const item = keys.get(`${organization} ${key}`);
    return item && item.expires > now.getTime() ? item.record : undefined;
  };
  return interleaving<IdempotencyKeyStore>({
    find,
    claim(organization, key, record, now, replacing) {
      const earlier = find(organization, key, now);
      if (earlier && earlier.testimonialId !== replacing) return earlier;
      keys.set(`${organization} ${key}`, { record, expires: now.getTime() + keyLifetimeMs });
      return record;
    },
  });
}

// Counts the writes of heads, so that none that begins is like another.
let identities = 0;

function indexInMemory({ heads, postings }: Items, testimonials: TestimonialStore, requests: string[]) {
  const partition = (organization: string, generation: number, of: PostingPartition) =>
    member(postings, memoryKey(organization, generation, of), () => new Map<string, StoredPosting>());
  const inPartition = (organization: string, generation: number, of: PostingPartition) => [
    ...partition(organization, generation, of).values(),
  ];
  const postingAt = (organization: string, generation: number, ref: PostingRef) =>
    partition(organization, generation, partitionOf(ref.posting)).get(memoryKey(ref));
  const putPosting = (organization: string, generation: number, ref: PostingRef, posting: Posting) => {
    partition(organization, generation, partitionOf(ref.posting)).set(memoryKey(ref), { ...posting, ref });
    return true;
  };
  const bitsOf = ({ ref, bytes, fence, epoch = fence }: StoredPosting) => ({
    chunk: ref.chunk,
    bytes,
    epoch,
  });

  const index = interleaving<IndexStore>({
    readHead: (organization) => heads.get(organization),
    replaceHead(organization, next) {
      if ((heads.get(organization)?.revision ?? 0) !== next.revision) return undefined;
      identities += 1;
      const first = next.revision === 0 && { identity: String(identities) };
      const head = { ...next, ...first, revision: next.revision + 1 };
      heads.set(organization, head);
      return head;
    },
    async readRecent(organization, ordinal) {
      // As one backwards Query has them.
      const head = heads.get(organization);
      const markers = await Array.fromAsync(testimonials.changeMarkers(organization));
      const pages = await Array.fromAsync(testimonials.from(organization, ordinal));
      return { tail: pages.flat(), markers: markers.flat(), head };
    },
    readTerm(organization, generation, term, { from, to }) {
      refuseReversed(from, to);
      return inPartition(organization, generation, partitionOf(term))
        .filter(({ ref: { posting } }) => nameOf(posting) === nameOf(term))
        .map(bitsOf)
        .filter(({ chunk }) => chunk >= from && chunk <= to)
        .sort((a, b) => a.chunk - b.chunk);
    },
    readWords: (organization, generation, prefix, { isHidden } = {}) =>
      inPartition(organization, generation, partitionOfWords(prefix))
        .filter(({ ref: { posting } }) => posting.kind === 'word' && posting.isHidden === isHidden)
        .filter(({ ref: { posting } }) => posting.kind === 'word' && posting.word.startsWith(prefix))
        .map(bitsOf),
    readPostings: (organization, generation, refs) =>
      refs.map((ref) => {
        const { ref: _, ...posting } = postingAt(organization, generation, ref) ?? {};
        return 'bytes' in posting ? posting : undefined;
      }),
    writePosting(organization, generation, ref, posting, { mustExist } = { mustExist: false }) {
      const { fence } = postingAt(organization, generation, ref) ?? {};
      if (fence === undefined ? mustExist : fence > posting.fence) return false;
      return putPosting(organization, generation, ref, posting);
    },
    deletePosting(organization, generation, ref, epoch) {
      if ((postingAt(organization, generation, ref)?.fence ?? 0) > epoch) return false;
      partition(organization, generation, partitionOf(ref.posting)).delete(memoryKey(ref));
      return true;
    },
    replaceSummary(organization, generation, ref, posting) {
      if ((postingAt(organization, generation, ref)?.fence ?? 0) !== posting.fence - 1) return false;
      return putPosting(organization, generation, ref, posting);
    },
    hasPostings: (...partition) => inPartition(...partition).length > 0,
    async *readPartition(organization, generation, of) {
      await Promise.resolve();
      const all = inPartition(organization, generation, of);
      yield all.map((each) => ({ ...each, epoch: each.epoch ?? each.fence }));
    },
    deletePartition(organization, generation, of) {
      const deleted = inPartition(organization, generation, of);
      postings.delete(memoryKey(organization, generation, of));
      return deleted.length;
    },
    requestIndexUpdate: (organization) => void requests.push(organization),
  });
  return {
    index,
    text: () =>
      JSON.stringify([...[...postings.values()].flatMap((each) => [...each.values()].map(({ ref }) => ref))]),
  };
}
