/** Loads testimonials and their index into a table. */
import type { StoredTestimonial } from '../../functions/domain/stored-testimonial.ts';
import { firstPlace } from '../../functions/domain/testimonial-order.ts';
import { type IndexHead, noIndex, sumOfRows } from '../../functions/list-index/index-store.ts';
import { rowOf } from '../../functions/list-index/update-due.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { postingItem } from '../../functions/persistence/keys.ts';
import { testimonialItem } from '../../functions/persistence/stored-items.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';
import { bulkPut } from './bulk-put.ts';
import { WholeIndex } from './whole-index.ts';

/** Fills an organization with `count` generated testimonials, or those given, and their index. */
export async function loadIndexed(
  table: Table,
  organization: string,
  count: number,
  progress: (step: string) => void,
  generated: Iterable<StoredTestimonial> = generateTestimonials(count),
): Promise<void> {
  const whole = new WholeIndex();
  let rows: IndexHead['rows'];
  function* testimonials() {
    for (const stored of generated) {
      whole.add(stored);
      rows = sumOfRows(rows, rowOf(stored.testimonial));
      yield testimonialItem(organization, stored);
    }
  }
  await bulkPut(table, testimonials(), (written) => progress(`${written} testimonials`));

  function* items() {
    for (const { ref, posting } of whole.items()) {
      yield postingItem(organization, noIndex.generation, ref, posting);
    }
  }
  await bulkPut(table, items(), (written) => progress(`${written} postings`));
  const head = { ...noIndex, indexed: firstPlace + count, updated: firstPlace + count, epoch: 1 };
  await indexStore(table).replaceHead(organization, { ...head, ...(rows && { rows }) });
  await testimonialStore(table).takeOrdinals(organization, new Date('2026-01-01T00:00:00.000Z'), count);
}
