/** Fills an organization with generated testimonials, for trying the service out. */
import { setTimeout as wait } from 'node:timers/promises';
import { rebuildIndex, removeOldGenerations } from '../../functions/list-index/rebuild.ts';
import type { Table } from '../../functions/persistence/document-client.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { testimonialItem, testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { bulkPut } from './bulk-put.ts';
import { generateTestimonials } from './generate-testimonials.ts';

const twoYearsMs = 2 * 365 * 24 * 60 * 60 * 1000;

export interface SeedOptions {
  now: () => Date;
  /** Told in words how far it is. */
  progress: (step: string) => void;
  /** Waits before the postings are removed that lists may still read. */
  sleep?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Stores `count` generated testimonials, created between the organization's newest one (or two years ago) and now,
 * and indexes them. Ordinals are taken in one block; lists are complete once the index is built.
 */
export async function seedOrganization(
  table: Table,
  organization: string,
  count: number,
  { now, progress, sleep = wait }: SeedOptions,
): Promise<void> {
  const testimonials = testimonialStore(table);
  const index = indexStore(table);
  const { ordinal: last, createdAt } = await testimonials.takeOrdinal(organization, now(), { count });
  const firstOrdinal = last - count + 1;
  const to = new Date(createdAt);
  const newest = firstOrdinal > 1 ? await testimonials.find(organization, firstOrdinal - 1) : undefined;
  const from = firstOrdinal === 1 ? new Date(to.getTime() - twoYearsMs) : new Date(newest?.createdAt ?? to);

  try {
    await storeAndIndex();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Seeding stopped (${reason}). What was stored may be missing in lists until admin index rebuild --organization ${organization}.`,
      { cause },
    );
  }

  async function storeAndIndex() {
    const generated = generateTestimonials(count, { firstOrdinal, from, to });
    await bulkPut(
      table,
      generated.map(({ testimonial }) => testimonialItem(organization, testimonial)),
      (stored) =>
        progress(`${stored.toLocaleString('en')} of ${count.toLocaleString('en')} testimonials stored`),
    );

    const deps = { testimonials, index, now };
    // Folds that ran meanwhile can have taken a testimonial that was still to be written for a hole.
    const { generation } = await rebuildIndex(deps, organization, (indexed) =>
      progress(`${indexed.toLocaleString('en')} testimonials indexed`),
    );
    progress('Removing the index of before, once no list reads it');
    await removeOldGenerations(deps, organization, generation, sleep);
  }
}
