/** A function's memory of earlier lists, which saves reading the same index items and testimonials again. */

import type { StoredTestimonial } from '../../../domain/stored-testimonial.ts';
import type { Ordinal } from '../../../domain/testimonial-order.ts';
import type { ChangeMarker } from '../../model/testimonial-store.ts';
import { type IndexHead, isSameHead } from '../index-store.ts';
import type { PageRows, RowPlan } from './plan.ts';

// Part of the function's 1,024 MB. One organization gets a share of it, so that it cannot push out all
// others.
const maxBytes = 96 * 1024 * 1024;
const organizationShare = 1 / 4;

/** The memories of organizations, as many as fit. */
export class ListMemory {
  /** Each memory with the bytes of it that `bytes` counts, the least recently used first. */
  readonly #organizations = new Map<string, { memory: OrganizationMemory; counted: number }>();
  readonly #maxBytes: number;
  /** The approximate size of all memories. */
  bytes = 0;

  constructor(bytes = maxBytes) {
    this.#maxBytes = bytes;
  }

  get(organization: string): OrganizationMemory {
    return this.#use(organization).memory;
  }

  /**
   * Counts the bytes that a list added. Clears the memory of an organization above its share, then the least
   * recently used ones above the limit.
   */
  trim(organization: string): void {
    const entry = this.#use(organization);
    const { memory } = entry;
    if (memory.bytes > this.#maxBytes * organizationShare) memory.clear();
    this.bytes += memory.bytes - entry.counted;
    entry.counted = memory.bytes;
    for (const [name, { counted }] of this.#organizations) {
      if (this.bytes <= this.#maxBytes) return;
      this.#organizations.delete(name);
      this.bytes -= counted;
    }
  }

  /** Makes an organization the most recently used one. */
  #use(organization: string): { memory: OrganizationMemory; counted: number } {
    const entry = this.#organizations.get(organization) ?? { memory: new OrganizationMemory(), counted: 0 };
    this.#organizations.delete(organization);
    this.#organizations.set(organization, entry);
    return entry;
  }
}

export interface KnownPage extends PageRows {
  total: number;
  rowPlan: RowPlan;
  /** A fingerprint of the testimonials that were unindexed at that time. */
  unindexedState: string;
}

/** A value decoded from the list index. */
export interface CachedValue {
  value: unknown;
  /** In bytes. */
  size: number;
}

// After a marker is put, the head is replaced at least three times before the marker can be deleted: at the
// beginning of a step, by its commit, and by the update that records the commit as seen.
const maxReplaced = 2;

// The approximate sizes of a head, of a page without its ordinals and keys, and of a row without its texts.
const bytesOfHead = 2000;
const bytesOfPage = 1000;
const bytesOfRow = 1000;

export class OrganizationMemory {
  /** The head with which the next list begins. */
  head: IndexHead | undefined;
  /** The head under which the kept items were read and the pages found. */
  #cachedUnder: IndexHead | undefined;
  readonly #cached = new Map<string, CachedValue>();
  readonly #pages = new Map<string, KnownPage>();
  /** Changed testimonials as they were last read; undefined for an erased one. */
  readonly #changed = new Map<Ordinal, StoredTestimonial | undefined>();
  /** The head of the last read of the markers. */
  #markersReadUnder: IndexHead | undefined;
  #bytesOfIndex = 0;
  #bytesOfChanged = 0;

  get bytes(): number {
    return bytesOfHead + this.#bytesOfIndex + this.#bytesOfChanged;
  }

  /** Returns a value that was read under the same head. */
  cached(head: IndexHead, key: string): CachedValue | undefined {
    return this.#isUnder(head) ? this.#cached.get(key) : undefined;
  }

  /** Returns the page that was found for the same query under the same head. */
  page(head: IndexHead, key: string): KnownPage | undefined {
    return this.#isUnder(head) ? this.#pages.get(key) : undefined;
  }

  /**
   * Keeps the index reads of a list that knew the head before it read and whose query confirmed the head
   * (rule 39).
   */
  cache(head: IndexHead, read: ReadonlyMap<string, CachedValue>): void {
    if (!this.#isUnder(head)) this.#forgetIndex(head);
    for (const [key, item] of read) {
      this.#bytesOfIndex += item.size - (this.#cached.get(key)?.size ?? 0);
      this.#cached.set(key, item);
    }
  }

  /** Keeps the page of a query, unless the memory has moved to another head. */
  cachePage(head: IndexHead, key: string, page: KnownPage): void {
    if (!this.#isUnder(head)) return;
    this.#bytesOfIndex += bytesOfKnown(key, page) - bytesOfKnown(key, this.#pages.get(key));
    this.#pages.set(key, page);
  }

  /**
   * Returns testimonials with unindexed changes, except erased ones. Reads the ones that it does not
   * remember. Also makes `head` the one under which the next list begins.
   * @param head read with the markers
   * @param markers including covered ones, which also show whether a remembered testimonial is current
   * @param read reads testimonials with strong consistency
   */
  async changed(
    head: IndexHead,
    markers: readonly ChangeMarker[],
    ordinals: ReadonlySet<Ordinal>,
    read: (ordinals: Ordinal[]) => Promise<StoredTestimonial[]>,
  ): Promise<StoredTestimonial[]> {
    // The rows that stay are current for this list.
    this.#update(head, markers);
    // An erased testimonial never comes back.
    const remembered = Array.from(ordinals, (ordinal) => this.#changed.get(ordinal) ?? []).flat();
    const missing = [...ordinals].filter((ordinal) => !this.#changed.has(ordinal));
    if (missing.length === 0) return remembered;
    const rowsRead = await read(missing);
    if (this.#markersReadUnder && isSameHead(head, this.#markersReadUnder)) {
      const rows = new Map(rowsRead.map((row) => [row.ordinal, row]));
      for (const ordinal of missing) {
        this.#forgetChanged(ordinal);
        this.#changed.set(ordinal, rows.get(ordinal));
        this.#bytesOfChanged += bytesOfChanged(rows.get(ordinal));
      }
    }
    return [...remembered, ...rowsRead];
  }

  /**
   * Updates the memory with the current head and its change markers. Keeps a changed testimonial while
   * markers name it and announce no newer change, unless a marker may have been written and deleted since the
   * last update (rule 40).
   */
  #update(head: IndexHead, markers: readonly ChangeMarker[]): void {
    this.head = head;
    const { revision = Number.NaN, identity } = this.#markersReadUnder ?? {};
    const isContinued = identity === head.identity && head.revision - revision <= maxReplaced;
    this.#markersReadUnder = head;
    const named = Map.groupBy(markers, ({ ordinal }) => ordinal);
    for (const [ordinal, row] of this.#changed) {
      const isNewest = named.get(ordinal)?.every(({ version }) => !row || row.version > version);
      if (!isContinued || !isNewest) this.#forgetChanged(ordinal);
    }
  }

  /** Clears everything except the head. */
  clear(): void {
    this.#forgetIndex(undefined);
    this.#changed.clear();
    this.#bytesOfChanged = 0;
  }

  #isUnder(head: IndexHead): boolean {
    // Revision 0 means that there is no head. It cannot distinguish an organization from one that was removed
    // and created again.
    return head.revision > 0 && this.#cachedUnder !== undefined && isSameHead(head, this.#cachedUnder);
  }

  #forgetIndex(head: IndexHead | undefined): void {
    this.#cachedUnder = head;
    this.#cached.clear();
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
  return bytesOfPage + 2 * (key.length + page.unindexedState.length) + 32 * page.ordinals.length;
}

function bytesOfChanged(row: StoredTestimonial | undefined): number {
  return bytesOfRow + 2 * (row?.testimonial.content.length ?? 0);
}
