/** Loads testimonials and their index into a table. */
import { firstPlace } from '../../functions/domain/testimonial-order.ts';
import { noIndex } from '../../functions/list-index/index-store.ts';
import { indexStore } from '../../functions/persistence/dynamodb-index-store.ts';
import { testimonialStore } from '../../functions/persistence/dynamodb-testimonial-store.ts';
import { postingItem } from '../../functions/persistence/keys.ts';
import { testimonialItem } from '../../functions/persistence/stored-items.ts';
import type { Table } from '../../functions/persistence/table.ts';
import { generateTestimonials } from '../zipf/generate-testimonials.ts';
import { bulkPut } from './bulk-put.ts';
import { WholeIndex } from './whole-index.ts';

/** Fills an organization with `count` generated testimonials and their index. */
export async function loadIndexed(
  table: Table,
  organization: string,
  count: number,
  progress: (step: string) => void,
): Promise<void> {
  const whole = new WholeIndex();
  function* testimonials() {
    for (const stored of generateTestimonials(count)) {
      whole.add(stored);
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
  await indexStore(table).replaceHead(organization, head);
  await testimonialStore(table).takeOrdinals(organization, new Date('2026-01-01T00:00:00.000Z'), count);
}
