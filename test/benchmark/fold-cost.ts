/** Testimonials on top of a loaded organization, for a fold to take. */
import type { Table } from '../../functions/persistence/document-client.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { generateTestimonials } from './testimonials.ts';

/** Stores `count` further testimonials, long settled, above what is indexed. */
export async function insertGenerated(
  table: Table,
  organization: string,
  seed: number,
  count: number,
): Promise<void> {
  const store = testimonialStore(table);
  const head = await indexStore(table).readHead(organization);
  const first = head?.indexed ?? 1;
  for (const { ordinal, testimonial } of generateTestimonials(count, seed + count)) {
    const id = testimonial.id.slice(0, 'test_'.length + 12) + (first + ordinal - 1);
    await store.insert(organization, { ...testimonial, id });
  }
}
