/** A running function's memory of the lists that it answered, so that what has not changed is not read again. */
import type { StoredTestimonial } from '../../domain/stored-testimonial.ts';
import type { ChangeMarker } from '../../domain/stores.ts';
import type { Ordinal } from '../../domain/testimonial-order.ts';
import { type IndexHead, isSameHead } from '../index-store.ts';
import type { Page, RowPlan } from './plan.ts';

// A part of the function's 1,024 MB, and the share of one organization, so that none takes the memory of all others.
const mostBytes = 96 * 1024 * 1024;
const shareOfOne = 1 / 4;

/** The memories of organizations, as many as fit. */
export class ListMemory {
  /** With how many bytes each was counted; the one that was asked for longest ago comes first. */
  readonly #organizations = new Map<string, { memory: OrganizationMemory; counted: number }>();
  readonly #mostBytes: number;
  /** How many bytes are remembered, about. */
  bytes = 0;

  constructor(bytes = mostBytes) {
    this.#mostBytes = bytes;
  }

  of(organization: string): OrganizationMemory {
    const known = this.#organizations.get(organization) ?? { memory: new OrganizationMemory(), counted: 0 };
    this.#organizations.delete(organization);
    this.#organizations.set(organization, known);
    return known.memory;
  }

  /** Counts what an organization's list has added, and forgets what is too much: of it beyond its share, and of those asked for longest ago. */
  trim(organization: string): void {
    const known = this.#organizations.get(organization);
    if (!known) return;
    const { memory } = known;
    if (memory.bytes > this.#mostBytes * shareOfOne) memory.forget();
    this.bytes += memory.bytes - known.counted;
    known.counted = memory.bytes;
    for (const [name, { counted }] of this.#organizations) {
      if (this.bytes <= this.#mostBytes) return;
      this.#organizations.delete(name);
      this.bytes -= counted;
    }
  }
}

/** A page that was found, and by what. */
export interface KnownPage extends Page {
  total: number;
  rows: RowPlan;
  /** The testimonials that lay beside the index then. */
  unindexedWas: string;
}

/** Something that was read of the list index. */
export interface Kept {
  value: unknown;
  bytes: number;
}

// A marker that is put after others were read is deleted by whoever replaces the head a fourth time at the earliest: the first
// replacement is that of a step's beginning, the next its commit, the next says that it was seen.
const mostReplaced = 2;

// The sizes of a head, of a page beside its numbers and texts, and of a row beside its texts.
const bytesOfHead = 2000;
const bytesOfPage = 1000;
const bytesOfRow = 1000;

/** The memory of one organization's lists. */
export class OrganizationMemory {
  /** The head with which the next list begins. */
  head: IndexHead | undefined;
  /** The head under which the index was read, and pages were found. */
  #keptUnder: IndexHead | undefined;
  readonly #kept = new Map<string, Kept>();
  readonly #pages = new Map<string, KnownPage>();
  /** Testimonials that have changed since the index has them, as they were read last; undefined of one that was erased. */
  readonly #changed = new Map<Ordinal, StoredTestimonial | undefined>();
  /** The head with which the markers were read last. */
  #markersReadUnder: IndexHead | undefined;
  #bytesOfIndex = 0;
  #bytesOfChanged = 0;

  get bytes(): number {
    return bytesOfHead + this.#bytesOfIndex + this.#bytesOfChanged;
  }

  /** Something that was read under a head's revision, by its key. */
  kept(head: IndexHead, key: string): Kept | undefined {
    return this.#isUnder(head) ? this.#kept.get(key) : undefined;
  }

  page(head: IndexHead, key: string): KnownPage | undefined {
    return this.#isUnder(head) ? this.#pages.get(key) : undefined;
  }

  /** Keeps the index reads of a list that knew the head before it read and whose query confirmed it (rule 39). */
  keep(head: IndexHead, read: ReadonlyMap<string, Kept>): void {
    if (!this.#isUnder(head)) this.#forgetIndex(head);
    for (const [key, each] of read) {
      this.#bytesOfIndex += each.bytes - (this.#kept.get(key)?.bytes ?? 0);
      this.#kept.set(key, each);
    }
  }

  keepPage(head: IndexHead, key: string, page: KnownPage): void {
    if (!this.#isUnder(head)) return;
    this.#bytesOfIndex += bytesOfKnown(key, page) - bytesOfKnown(key, this.#pages.get(key));
    this.#pages.set(key, page);
  }

  /**
   * Updates the memory with the newest head and its change markers, also those that are covered. Keeps a changed testimonial only while
   * markers name it, and all of them older changes, and unless a marker may have been put and deleted since the last update (rule 40).
   */
  update(head: IndexHead, markers: readonly ChangeMarker[]): void {
    this.head = head;
    const { revision = Number.NaN, identity } = this.#markersReadUnder ?? {};
    const isContinued = identity === head.identity && head.revision - revision <= mostReplaced;
    this.#markersReadUnder = head;
    const named = Map.groupBy(markers, ({ ordinal }) => ordinal);
    for (const [ordinal, row] of this.#changed) {
      // Also a covered marker may announce a newer change.
      const isNewest = named.get(ordinal)?.every(({ version }) => !row || row.version > version);
      if (!isContinued || !isNewest) this.#forgetChanged(ordinal);
    }
  }

  /**
   * Returns the testimonials that some markers name, without those that were erased. Reads the ones that it does not know, and those of
   * which a marker may announce a newer change.
   * @param head that came with the markers
   * @param read strongly consistent
   */
  async changed(
    head: IndexHead,
    markers: readonly ChangeMarker[],
    read: (ordinals: Ordinal[]) => Promise<StoredTestimonial[]>,
  ): Promise<StoredTestimonial[]> {
    const known: StoredTestimonial[] = [];
    const missing: Ordinal[] = [];
    for (const [ordinal, itsMarkers] of Map.groupBy(markers, (marker) => marker.ordinal)) {
      const row = this.#changed.get(ordinal);
      // Nothing becomes of an erased testimonial any more.
      const isErased = row === undefined && this.#changed.has(ordinal);
      if (row && itsMarkers.every(({ version }) => row.version > version)) known.push(row);
      else if (!isErased) missing.push(ordinal);
    }
    if (missing.length === 0) return known;
    const found = await read(missing);
    if (this.#markersReadUnder && isSameHead(head, this.#markersReadUnder)) {
      const rows = new Map(found.map((row) => [row.ordinal, row]));
      for (const ordinal of missing) {
        this.#forgetChanged(ordinal);
        this.#changed.set(ordinal, rows.get(ordinal));
        this.#bytesOfChanged += bytesOfChanged(rows.get(ordinal));
      }
    }
    return [...known, ...found];
  }

  /** Forgets everything but the head. */
  forget(): void {
    this.#forgetIndex(undefined);
    this.#changed.clear();
    this.#bytesOfChanged = 0;
  }

  #isUnder(head: IndexHead): boolean {
    // Before the first head nothing tells an organization from one that was removed.
    return head.revision > 0 && this.#keptUnder !== undefined && isSameHead(head, this.#keptUnder);
  }

  #forgetIndex(head: IndexHead | undefined): void {
    this.#keptUnder = head;
    this.#kept.clear();
    this.#pages.clear();
    this.#bytesOfIndex = 0;
  }

  #forgetChanged(ordinal: Ordinal): void {
    if (!this.#changed.has(ordinal)) return;
    this.#bytesOfChanged -= bytesOfChanged(this.#changed.get(ordinal));
    this.#changed.delete(ordinal);
  }
}

function bytesOfKnown(key: string, page: KnownPage | undefined): number {
  if (!page) return 0;
  return bytesOfPage + 2 * (key.length + page.unindexedWas.length) + 32 * page.ordinals.length;
}

function bytesOfChanged(row: StoredTestimonial | undefined): number {
  return bytesOfRow + 2 * (row?.testimonial.content.length ?? 0);
}
