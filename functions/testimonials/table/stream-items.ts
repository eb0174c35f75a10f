/** The items that changes in the table's stream name. */
import type { CurrentItem, StreamChange } from '../../domain/outcomes.ts';
import type { Ordinal } from '../../domain/testimonial-order.ts';
import {
  isImportKey,
  isTestimonialKey,
  nameOfImportKey,
  ordinalOfTestimonialKey,
} from '../../dynamodb/keys.ts';
import type { EventItemStore } from '../model/event-item-store.ts';

function ordinalOf({ sortKey }: StreamChange): Ordinal | undefined {
  return isTestimonialKey(sortKey) ? ordinalOfTestimonialKey(sortKey) : undefined;
}

/** Returns the ordinals of the testimonials among changes. */
export function positionsOf(changes: readonly StreamChange[]): Ordinal[] {
  return changes.flatMap((change) => ordinalOf(change) ?? []);
}

function importOf({ sortKey }: StreamChange): string | undefined {
  return isImportKey(sortKey) ? nameOfImportKey(sortKey) : undefined;
}

/** Reads each testimonial and ended import among changes once. */
export async function currentItems(
  store: EventItemStore,
  organization: string,
  changes: readonly StreamChange[],
): Promise<Map<StreamChange, CurrentItem>> {
  const testimonials = await store.atPositions(organization, positionsOf(changes));
  const imports = await store.endedImports(
    organization,
    changes.flatMap((change) => importOf(change) ?? []),
  );
  const itemOf = (change: StreamChange): CurrentItem | undefined => {
    const stored = testimonials.find(({ ordinal }) => ordinal === ordinalOf(change));
    if (stored) return toCurrent(stored);
    const ended = imports.find(({ fingerprint }) => fingerprint === importOf(change));
    return ended && { kind: 'imported', identity: ended.fingerprint, count: ended.count };
  };
  const items = changes.flatMap((change): [StreamChange, CurrentItem][] => {
    const item = itemOf(change);
    return item ? [[change, item]] : [];
  });
  return new Map(items);
}

function toCurrent(stored: Awaited<ReturnType<EventItemStore['atPositions']>>[number]): CurrentItem {
  if ('erased' in stored) {
    const { erased: id, time, updateOrdinal: update } = stored;
    return { kind: 'erased', id, time, update };
  }
  const { testimonial, updateOrdinal: update, change, isLoaded = false } = stored;
  return { kind: 'testimonial', testimonial, update, ...(change && { change }), isLoaded };
}
