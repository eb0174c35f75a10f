/** The stores of functions/domain/stores.ts in memory, for tests of the domain alone. */
import type {
  Change,
  IdempotencyKeyStore,
  IdempotencyRecord,
  TestimonialStore,
} from '../functions/domain/stores.ts';
import type { Testimonial } from '../functions/domain/testimonial.ts';
import { comparison, ordinalOf } from '../functions/domain/testimonial-order.ts';

const keyLifetimeMs = 24 * 60 * 60 * 1000;

export interface InMemoryStores {
  testimonials: TestimonialStore;
  idempotencyKeys: IdempotencyKeyStore;
  /** The names of the writes that took place, oldest first. */
  writes: string[];
  /** All testimonials of an organization as the table has them, oldest first. */
  stored(organization: string): Testimonial[];
  /** From now on the secondary indexes and eventually consistent reads show what they show now, as real ones may for a while. */
  freezeIndexes(): void;
  /** The secondary indexes have caught up, and show the table again. */
  thawIndexes(): void;
}

/**
 * Makes empty stores. Every method first awaits, so that concurrent callers interleave.
 * @param lastOrdinal where the counter of every organization stands
 */
export function inMemoryStores(lastOrdinal = 0): InMemoryStores {
  const counters = new Map<string, { ordinal: number; createdAt: string }>();
  const tables = new Map<string, Map<number, Testimonial>>();
  const markers = new Map<string, { organization: string; change: Change }>();
  const markerKey = (organization: string, { ordinal, time, kind }: Change) =>
    `${organization} ${time.toISOString()} ${ordinal} ${kind}`;
  const keys = new Map<string, { record: IdempotencyRecord; expires: number }>();
  const writes: string[] = [];
  let frozen: Map<string, Testimonial[]> | undefined;

  const tableOf = (organization: string) => {
    const table = tables.get(organization) ?? new Map<number, Testimonial>();
    tables.set(organization, table);
    return table;
  };
  const stored = (organization: string) =>
    [...tableOf(organization).values()].sort((a, b) => ordinalOf(a) - ordinalOf(b));
  /** What eventually consistent reads show. */
  const shown = (organization: string) => (frozen ? (frozen.get(organization) ?? []) : stored(organization));
  const atOnce = async <T>(action: () => T): Promise<T> => {
    await Promise.resolve();
    return action();
  };

  const testimonials: TestimonialStore = {
    takeOrdinal: (organization, now, { count = 1 } = {}) =>
      atOnce(() => {
        writes.push('takeOrdinal');
        const last = counters.get(organization);
        const time = now.toISOString();
        const next = {
          ordinal: (last?.ordinal ?? lastOrdinal) + count,
          createdAt: last && last.createdAt > time ? last.createdAt : time,
        };
        counters.set(organization, next);
        return next;
      }),
    insert: (organization, testimonial) =>
      atOnce(() => {
        const table = tableOf(organization);
        const there = table.get(ordinalOf(testimonial));
        if (there) return there;
        writes.push('insert');
        table.set(ordinalOf(testimonial), testimonial);
        return undefined;
      }),
    find: (organization, ordinal) => atOnce(() => tableOf(organization).get(ordinal)),
    findMany: (organization, ordinals, { eventually = false } = {}) =>
      atOnce(() => {
        const wanted = new Set(ordinals);
        return (eventually ? shown(organization) : stored(organization)).filter((row) =>
          wanted.has(ordinalOf(row)),
        );
      }),
    markChange: (organization, change) =>
      atOnce(() => {
        writes.push('markChange');
        markers.set(markerKey(organization, change), { organization, change });
      }),
    announcedChanges: (organization) =>
      atOnce(() =>
        [...markers.values()]
          .filter((marker) => marker.organization === organization)
          .map(({ change }) => change)
          .sort((a, b) => a.time.getTime() - b.time.getTime()),
      ),
    forgetChanges: (organization, changes) =>
      atOnce(() => {
        writes.push('forgetChanges');
        for (const change of changes) markers.delete(markerKey(organization, change));
      }),
    replaceStatus: (organization, previous, next) =>
      atOnce(() => {
        const table = tableOf(organization);
        const there = table.get(ordinalOf(next));
        if (there?.updatedAt !== previous.updatedAt) return false;
        writes.push('replaceStatus');
        table.set(ordinalOf(next), { ...there, status: next.status, updatedAt: next.updatedAt });
        return true;
      }),
    async *from(organization, ordinal, { limit = 3 } = {}) {
      let next = ordinal;
      for (;;) {
        const rest = stored(organization).filter((row) => ordinalOf(row) >= next);
        const page = rest.slice(0, limit);
        await Promise.resolve();
        yield page;
        const last = page.at(-1);
        if (!last || page.length === rest.length) return;
        next = ordinalOf(last) + 1;
      }
    },
    async *walk(organization, { status, sort, order, limit }) {
      const rows = shown(organization)
        .filter((row) => status === undefined || row.status === status)
        .sort(comparison(sort, order));
      for (let i = 0; i < rows.length; i += limit) {
        await Promise.resolve();
        yield rows.slice(i, i + limit);
      }
    },
  };

  const find = (organization: string, key: string, now: Date) => {
    const there = keys.get(`${organization} ${key}`);
    return there && there.expires > now.getTime() ? there.record : undefined;
  };
  const idempotencyKeys: IdempotencyKeyStore = {
    find: (organization, key, now) => atOnce(() => find(organization, key, now)),
    claim: (organization, key, record, now) =>
      atOnce(() => {
        const earlier = find(organization, key, now);
        if (earlier) return earlier;
        writes.push('claim');
        keys.set(`${organization} ${key}`, { record, expires: now.getTime() + keyLifetimeMs });
        return undefined;
      }),
  };

  return {
    thawIndexes: () => {
      frozen = undefined;
    },
    testimonials,
    idempotencyKeys,
    writes,
    stored,
    freezeIndexes: () => {
      frozen = new Map([...tables.keys()].map((organization) => [organization, stored(organization)]));
    },
  };
}
